// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import one.convert.Arguments;
import one.convert.JfrToFlame;

/** A recording, shown as flame graphs, one for each kind of event, and as shares. */
public final class Profile {
    /** Layers a sample may belong to, in the order they are asked: the first whose pattern a stack has gets it. */
    private static final Map<String, Pattern> LAYERS = layers();

    private final Path recording;
    private final Set<String> events;
    private final String label;

    Profile(Path recording, Set<String> events, String label) {
        this.recording = recording;
        this.events = new TreeSet<>(events);
        this.label = label;
    }

    private static Map<String, Pattern> layers() {
        Map<String, Pattern> layers = new LinkedHashMap<>();
        layers.put("JIT compiler", Pattern.compile("CompileBroker::|C2Compiler|Compiler::compile_method"));
        layers.put("garbage collector", Pattern.compile("G1|GangWorker|WorkerThread::run|SerialHeap|VM_Operation|VMThread::"));
        layers.put("flush", Pattern.compile("lsmlab/storage/Engine\\.flush"));
        layers.put("socket write", Pattern.compile("one/nio/net/NativeSocket\\.(write|send)|NativeSocket_write|sun/nio/ch/[^;]*[wW]rite"));
        layers.put("socket read", Pattern.compile("one/nio/net/NativeSocket\\.read|NativeSocket_read|sun/nio/ch/[^;]*\\.(implR|r)ead"));
        layers.put("waiting for sockets", Pattern.compile("one/nio/net/NativeSelector|epoll"));
        layers.put("storage engine", Pattern.compile("lsmlab/storage/"));
        layers.put("HTTP", Pattern.compile("one/nio/|lsmlab/server/"));
        return layers;
    }

    /** An interactive flame graph of "cpu", "alloc" or "lock". */
    public FlameGraph flamegraph(String event) {
        String html = convert(event, "html");
        return new FlameGraph(event + ", " + label, html);
    }

    /** Share of the event's samples (cpu), bytes (alloc) or waiting time (lock) by layer, largest first; they add up to 1. */
    public Map<String, Double> shares(String event) {
        Map<String, Double> weights = new LinkedHashMap<>();
        double total = 0;
        for (String line : convert(event, "collapsed").lines().toList()) {
            String stack = line.substring(0, line.lastIndexOf(' '));
            double weight = Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
            weights.merge(layer(stack), weight, Double::sum);
            total += weight;
        }
        Map<String, Double> shares = new LinkedHashMap<>();
        double all = total;
        weights.entrySet().stream().sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .forEach(e -> shares.put(e.getKey(), e.getValue() / all));
        return shares;
    }

    /** Place of a layer among them by share, 1 for the largest; NaN if it has none. */
    public double rank(String event, String layer) {
        int index = List.copyOf(shares(event).keySet()).indexOf(layer);
        return index < 0 ? Double.NaN : index + 1;
    }

    private static String layer(String stack) {
        Predicate<Map.Entry<String, Pattern>> matches = layer -> layer.getValue().matcher(stack).find();
        return LAYERS.entrySet().stream().filter(matches).map(Map.Entry::getKey).findFirst().orElse("other");
    }

    /** The same as a table. */
    public Table layers(String event) {
        Table table = new Table("%s by layer, %s, %s mode".formatted(event, label, Mode.current()), "layer", "share");
        shares(event).forEach((layer, share) -> table.row(layer, Text.percent(share)));
        return table;
    }

    /** What is kept of it: the shares of each event it holds. */
    Map<String, Object> row() {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("server", label);
        for (String event : events) {
            row.put(event, shares(event));
        }
        return row;
    }

    private String convert(String event, String format) {
        try {
            Path out = Files.createTempFile(Workspace.newFolder("profiles"), "flame", "." + format);
            try {
                // Allocations and locks weigh by bytes and time, not by number of samples.
                Arguments arguments = event.equals("cpu")
                        ? new Arguments("--cpu", "--title", "cpu, " + label, recording.toString(), out.toString())
                        : new Arguments("--" + event, "--total", "--title", event + ", " + label, recording.toString(), out.toString());
                arguments.output = format;
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
