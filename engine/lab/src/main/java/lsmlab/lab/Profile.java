// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import one.convert.Arguments;
import one.convert.JfrToFlame;

/** The stacks of a recording, shown as flame graphs, one for each kind of event, and as shares. */
public final class Profile {
    /** Layers a sample may belong to, in the order they are asked: the first whose pattern a stack has gets it. */
    private static final Map<String, Pattern> LAYERS = layers();

    /** Narrower frames would be less than a pixel wide. */
    private static final String NARROWEST_PERCENT = "0.15";

    private final String label;
    private final String note; // mode and machine
    private final Map<String, Samples> samples;

    private Profile(String label, String note, Map<String, Samples> samples) {
        this.label = label;
        this.note = note;
        this.samples = samples;
    }

    static Profile of(Path recording, Set<String> events, String label) {
        Map<String, Samples> samples = new TreeMap<>();
        events.forEach(event -> samples.put(event, Samples.parse(collapsed(recording, event))));
        return new Profile(label, "%s mode, %s".formatted(Mode.current(), Machine.shortName()), samples);
    }

    /** One that {@link #row} kept. */
    static Profile of(JsonNode row, String note) {
        Map<String, Samples> samples = new TreeMap<>();
        row.get("folded").properties().forEach(event -> samples.put(event.getKey(), Samples.parse(Text.unpacked(event.getValue().asText()))));
        return new Profile(row.get("server").asText(), note, samples);
    }

    private static Map<String, Pattern> layers() {
        Map<String, Pattern> layers = new LinkedHashMap<>();
        layers.put("JIT compiler", Pattern.compile("CompileBroker::|C2Compiler|Compiler::compile_method"));
        layers.put("garbage collector", Pattern.compile("G1|GangWorker|WorkerThread::run|SerialHeap|VM_\\w*Collect"));
        layers.put("JVM's own thread", Pattern.compile("VMThread::"));
        layers.put("flush", Pattern.compile("lsmlab/storage/Flusher\\."));
        layers.put("compaction", Pattern.compile("lsmlab/storage/Compactor\\."));
        layers.put("socket write", Pattern.compile("one/nio/net/NativeSocket\\.(write|send)|NativeSocket_write|sun/nio/ch/[^;]*[wW]rite"));
        layers.put("socket read", Pattern.compile("one/nio/net/NativeSocket\\.read|NativeSocket_read|sun/nio/ch/[^;]*\\.(implR|r)ead"));
        layers.put("waiting for sockets", Pattern.compile("one/nio/net/NativeSelector|epoll"));
        layers.put("asking other nodes", Pattern.compile("jdk/internal/net/http|java/net/http|lsmlab/server/(\\w+/)*\\w*Peers|one/nio/http/HttpClient"));
        layers.put("storage engine", Pattern.compile("lsmlab/storage/"));
        layers.put("HTTP", Pattern.compile("one/nio/|lsmlab/server/"));
        return layers;
    }

    /** An interactive flame graph of "cpu", "wall", "alloc" or "lock"; of an event that was never seen it says so. */
    public FlameGraph flamegraph(String event) {
        String title = event + ", " + label;
        if (total(event) == 0) {
            return FlameGraph.empty(title, "%s: nothing was recorded%s.".formatted(title, switch (event) {
                case "lock" -> ": no thread waited for a lock for 10 µs or more";
                case "alloc" -> ": less than 16 kB was allocated on the heap";
                default -> "";
            }));
        }
        return page(title, flames(arguments(event, title), samples(event), total(event)));
    }

    /** What {@code after} spends more (red) and less (blue) than {@code before}, each frame by its share of the whole. */
    public static FlameGraph diff(Profile before, Profile after, String event) {
        Given.some("Profile.diff", "two profiles", before, after);
        String title = "%s, from %s to %s".formatted(event, before.label, after.label);
        Arguments arguments = new Arguments("--diff", "--norm", "--minwidth", NARROWEST_PERCENT, "--title", title);
        double total = after.total(event);
        one.convert.FlameGraph flames = flames(arguments, after.samples(event), total);
        flames.diff(flames(arguments, before.samples(event), total));
        return page(title, flames);
    }

    private static Arguments arguments(String event, String title) {
        return new Arguments("--" + event, "--total", "--minwidth", NARROWEST_PERCENT, "--title", title);
    }

    /** @param total what the stacks are to weigh together */
    private static one.convert.FlameGraph flames(Arguments arguments, Samples samples, double total) {
        try {
            one.convert.FlameGraph flames = new one.convert.FlameGraph(arguments);
            flames.parseCollapsed(new StringReader(samples.collapsed(total)));
            return flames;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static FlameGraph page(String title, one.convert.FlameGraph flames) {
        try (ByteArrayOutputStream page = new ByteArrayOutputStream()) {
            flames.dump(page);
            return FlameGraph.of(title, page.toString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Samples samples(String event) {
        Samples found = samples.get(event);
        if (found == null) {
            throw new IllegalArgumentException("the profile of %s has no '%s', it has %s".formatted(label, event, samples.keySet()));
        }
        return found;
    }

    /** Samples (cpu, wall), bytes (alloc) or nanoseconds of waiting (lock), all together. */
    public double total(String event) {
        return samples(event).total();
    }

    /** Share of the event in stacks with a frame that the pattern is found in, as "lsmlab/storage/(\\w+/)*Table\\.": 0 to 1, NaN without samples. */
    public double share(String event, String pattern) {
        return samples(event).with(pattern).total() / total(event);
    }

    /** The same among the stacks with a frame of {@code outer} only. */
    public double share(String event, String outer, String pattern) {
        Samples within = samples(event).with(outer);
        return within.with(pattern).total() / within.total();
    }

    /** Share of the event's samples (cpu, wall), bytes (alloc) or waiting time (lock) by layer, largest first; they add up to 1. */
    public Map<String, Double> shares(String event) {
        return samples(event).shares(Profile::layer);
    }

    /** Place of a layer among them by share, 1 for the largest; NaN if it has none. */
    public double rank(String event, String layer) {
        int index = List.copyOf(shares(event).keySet()).indexOf(layer);
        return index < 0 ? Double.NaN : index + 1;
    }

    /** Place of a layer in their order, which charts take its colour from; "other" is the last. */
    static int layerNumber(String layer) {
        int number = List.copyOf(LAYERS.keySet()).indexOf(layer);
        return number < 0 ? LAYERS.size() : number;
    }

    private static String layer(Samples.Stack stack) {
        String text = stack.text();
        return LAYERS.entrySet().stream().filter(layer -> layer.getValue().matcher(text).find()).map(Map.Entry::getKey).findFirst().orElse("other");
    }

    /** The same as a table. */
    public Table layers(String event) {
        return table("by layer", event, "layer", shares(event), Integer.MAX_VALUE);
    }

    /** Share by group of threads: those whose names differ by a number only, which the group's name has, as in "selector-#". */
    public Map<String, Double> threads(String event) {
        return samples(event).shares(stack -> stack.thread().replaceAll("^\\[|( tid=\\d+)?]$", "").replaceAll("\\d+", "#"));
    }

    /** The same as a table. */
    public Table threadGroups(String event) {
        return table("by group of threads", event, "threads", threads(event), 12);
    }

    /** What was at the top of the stacks: where the processor was, what was allocated, which lock was waited for. */
    public Table top(String event, int count) {
        return table("by topmost frame", event, "frame", tops(event), count);
    }

    /** Share by topmost frame, largest first. */
    public Map<String, Double> tops(String event) {
        return samples(event).shares(Samples.Stack::top);
    }

    private Table table(String by, String event, String head, Map<String, Double> shares, int count) {
        Table table = new Table("%s %s, %s, %s".formatted(event, by, label, note), head, "share");
        shares.entrySet().stream().limit(count).forEach(entry -> table.row(entry.getKey(), Text.percent(entry.getValue())));
        return table;
    }

    String label() {
        return label;
    }

    String note() {
        return note;
    }

    /** What is kept of it: of each event the shares by layer, and the stacks. */
    Map<String, Object> row() {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("server", label);
        samples.keySet().forEach(event -> row.put(event, shares(event)));
        Map<String, String> folded = new LinkedHashMap<>();
        samples.forEach((event, stacks) -> folded.put(event, Text.packed(stacks.folded())));
        row.put("folded", folded);
        return row;
    }

    private static String collapsed(Path recording, String event) {
        try {
            Path out = Files.createTempFile(Workspace.newFolder("profiles"), "stacks", ".collapsed");
            try {
                // Allocations and locks weigh by bytes and time, not by number of samples.
                List<String> options = new ArrayList<>(List.of("--" + event, "--threads", "--norm"));
                if (event.equals("alloc") || event.equals("lock")) {
                    options.add("--total");
                }
                Arguments arguments = new Arguments(options.toArray(String[]::new));
                arguments.output = "collapsed";
                JfrToFlame.convert(recording.toString(), out.toString(), arguments);
                return Files.readString(out);
            } finally {
                Files.deleteIfExists(out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
