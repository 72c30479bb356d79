// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.profile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import lsmlab.lab.environment.Machine;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.environment.Workspace;
import lsmlab.load.estimate.Estimate;
import lsmlab.load.result.Interval;
import one.convert.Arguments;
import one.convert.JfrToFlame;

/** The stacks of a recording, by kind of event. */
public final class Profile {
    private static final double DEVIATIONS = Estimate.normalDeviations();

    private final String label;
    private final String note;
    private final Map<String, Samples> samples;

    /** @param note how it was taken: mode and machine */
    public Profile(String label, String note, Map<String, Samples> samples) {
        this.label = label;
        this.note = note;
        this.samples = samples;
    }

    static Profile of(Path recording, Set<String> events, String label) {
        Map<String, Samples> samples = new TreeMap<>();
        events.forEach(event -> samples.put(event, Samples.parse(collapsed(recording, event))));
        return of(label, samples);
    }

    /** Taken here and now. */
    public static Profile of(String label, Map<String, Samples> samples) {
        return new Profile(label, "%s mode, %s".formatted(Mode.current(), Machine.shortName()), samples);
    }

    /** The stacks of one kind of event. */
    public Samples samples(String event) {
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
        return samples(event).shares(Layers::of);
    }

    /**
     * Place of a layer among them by its samples (of cpu or wall), 1 for the largest; NaN if it has none. In the interval are the places that it might have in another
     * recording: a layer is surely larger than another one if they differ by more than chance allows in 95 of 100.
     */
    public Interval rank(String event, String layer) {
        Map<String, Double> shares = shares(event);
        if (!shares.containsKey(layer)) {
            return Interval.exactly(Double.NaN);
        }
        double own = shares.get(layer);
        double samples = total(event);
        return new Interval(1 + shares.values().stream().filter(other -> other > own).count(),
                1 + shares.values().stream().filter(other -> isSurelyMore(other, own, samples)).count(),
                shares.values().stream().filter(other -> !isSurelyMore(own, other, samples)).count());
    }

    /** The variance of the difference of two counts is their sum. */
    private static boolean isSurelyMore(double share, double other, double samples) {
        return (share - other) * samples > DEVIATIONS * Math.sqrt((share + other) * samples);
    }

    /** Share by group of threads: those whose names differ by a number only, which the group's name has, as in "selector-#". */
    public Map<String, Double> threads(String event) {
        return samples(event).shares(stack -> stack.thread().replaceAll("^\\[|( tid=\\d+)?]$", "").replaceAll("\\d+", "#"));
    }

    /** Share by topmost frame, largest first. */
    public Map<String, Double> tops(String event) {
        return samples(event).shares(Samples.Stack::top);
    }

    /** Its name in graphs and tables. */
    public String label() {
        return label;
    }

    /** How it was taken: mode and machine. */
    public String note() {
        return note;
    }

    /** The kinds of events that were recorded: "cpu", "wall", "alloc", "lock". */
    public Set<String> events() {
        return samples.keySet();
    }

    @Override
    public String toString() {
        return "a profile of %s: %s".formatted(label, String.join(", ", events()));
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
