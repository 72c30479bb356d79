// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.profile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Stacks with what was seen in each: samples (cpu, wall), bytes (alloc) or nanoseconds (lock).
 *
 * @param stacks root first, the name of the thread before it; frames as the converter writes them
 */
public record Samples(List<Stack> stacks) {
    private static final String COMPILER = "CompileBroker::";

    record Stack(String thread, List<String> frames, double weight) {
        /** The frames as patterns see them. */
        String text() {
            return String.join(";", frames);
        }

        /** The topmost frame, without the mark that says how it was compiled. */
        String top() {
            return frames.getLast().replaceFirst("_\\[.]$", "");
        }
    }

    /** Parses the converter's collapsed text, made with threads: "[thread];root;...;top weight" in each line. */
    public static Samples parse(String collapsed) {
        List<Stack> stacks = new ArrayList<>();
        for (String line : collapsed.lines().toList()) {
            int end = line.lastIndexOf(' ');
            List<String> frames = List.of(line.substring(0, end).split(";"));
            List<String> withoutThread = frames.size() == 1 ? frames : frames.subList(1, frames.size());
            stacks.add(new Stack(frames.getFirst(), withoutCompiler(withoutThread), Double.parseDouble(line.substring(end + 1))));
        }
        return new Samples(stacks);
    }

    /** What the JIT compiler does inside is a forest of its own, and no subject here. */
    private static List<String> withoutCompiler(List<String> frames) {
        for (int i = 0; i < frames.size(); i++) {
            if (frames.get(i).startsWith(COMPILER)) {
                return frames.subList(0, i + 1);
            }
        }
        return frames;
    }

    /**
     * The text that {@link #parseShort} reads, a tenth as long as the converter's. The lines are sorted. Each begins with the number of frames, the thread counted, that it shares
     * with the line before it, and has only the others.
     */
    public String shortened() {
        Map<String, Double> weights = new TreeMap<>();
        stacks.forEach(stack -> weights.merge(stack.thread() + ";" + stack.text(), stack.weight(), Double::sum));
        StringBuilder text = new StringBuilder();
        List<String> before = List.of();
        for (Map.Entry<String, Double> stack : weights.entrySet()) {
            List<String> frames = List.of(stack.getKey().split(";"));
            int shared = 0;
            while (shared < before.size() && shared < frames.size() - 1 && before.get(shared).equals(frames.get(shared))) {
                shared++;
            }
            text.append(shared).append(';').append(String.join(";", frames.subList(shared, frames.size()))).append(' ').append(Math.round(stack.getValue())).append('\n');
            before = frames;
        }
        return text.toString();
    }

    /** What {@link #shortened} wrote. */
    public static Samples parseShort(String text) {
        StringBuilder collapsed = new StringBuilder();
        List<String> before = new ArrayList<>();
        for (String line : text.lines().toList()) {
            int end = line.lastIndexOf(' ');
            List<String> parts = List.of(line.substring(0, end).split(";"));
            before = new ArrayList<>(before.subList(0, Integer.parseInt(parts.getFirst())));
            before.addAll(parts.subList(1, parts.size()));
            collapsed.append(String.join(";", before)).append(line, end, line.length()).append('\n');
        }
        return parse(collapsed.toString());
    }

    double total() {
        return stacks.stream().mapToDouble(Stack::weight).sum();
    }

    /** Those with a frame that the pattern is found in. */
    Samples with(String pattern) {
        Pattern compiled;
        try {
            compiled = Pattern.compile(pattern);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("'%s' is no pattern for frames, as \"lsmlab/storage/(\\\\w+/)*Table\\\\.\" is: %s".formatted(pattern, e.getDescription()));
        }
        return new Samples(stacks.stream().filter(stack -> compiled.matcher(stack.text()).find()).toList());
    }

    /** Share of the whole by what {@code key} says of a stack, largest first; the shares add up to 1. */
    Map<String, Double> shares(Function<Stack, String> key) {
        Map<String, Double> weights = new LinkedHashMap<>();
        stacks.forEach(stack -> weights.merge(key.apply(stack), stack.weight(), Double::sum));
        double total = total();
        Map<String, Double> shares = new LinkedHashMap<>();
        weights.entrySet().stream().sorted(Map.Entry.<String, Double>comparingByValue(Comparator.reverseOrder()))
                .forEach(entry -> shares.put(entry.getKey(), entry.getValue() / total));
        return shares;
    }

    /** The same stacks without threads, as a flame graph is made of, weighing {@code total} together. */
    public String collapsed(double total) {
        double factor = total / total();
        StringBuilder text = new StringBuilder();
        stacks.forEach(stack -> text.append(stack.text()).append(' ').append(Math.round(stack.weight() * factor)).append('\n'));
        return text.toString();
    }
}
