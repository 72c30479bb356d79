// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import lsmlab.load.result.Interval;
import lsmlab.load.result.Ratio;
import lsmlab.load.result.RoundsResult;

/**
 * Servers under one load, in turns: each ratio to the first server is that of slices of the same rounds.
 *
 * @param label the load
 * @param machine CPU and cores, as charts show them
 * @param servers their labels; the last is a second instance of the first, whose ratio to the first shows the machine against itself (A/A)
 * @param engine of each server what its engine counted meanwhile, warm-up included, by the names of /v0/stats
 * @param measuredBeside which other notebook measured at the same time; null if none did
 * @param betweenStarts by measure, how far a ratio of one start of the servers is from that of another: the standard deviation of its logarithm; null in
 *     rows from before 2026-11-23, whose intervals hold for that start only
 * @param found ratios, and all slices
 */
public record Comparison(String label, String mode, String machine, List<String> servers, List<Map<String, Long>> engine, String measuredBeside,
        Map<String, Double> betweenStarts, RoundsResult found) {
    /** What {@code scripts/bench measuring} saw between comparisons of servers that started anew, beyond what each one's rounds explain. */
    static final Map<String, Double> BETWEEN_STARTS = Map.of("cpuMicrosPerRequest", 0.036, "throughput", 0.035, "p50Ms", 0.11, "p99Ms", 0.24);

    /**
     * A server's value over the first one's, with an interval that holds for another start of the servers, too.
     *
     * @param server its label
     * @param measure "cpuMicrosPerRequest", "throughput", "p50Ms" or "p99Ms"
     */
    public Interval ratio(String server, String measure) {
        int target = servers.indexOf(server);
        if (target < 1) {
            throw new IllegalArgumentException("'%s' is not compared with %s, there are %s".formatted(server, servers.getFirst(), servers.subList(1, servers.size())));
        }
        return interval(target, measure);
    }

    /** The same of the first server's second instance: what the machine makes of servers that are alike. */
    public Interval again(String measure) {
        return interval(servers.size() - 1, measure);
    }

    /** Of the server at this place, from 1. */
    public Interval interval(int target, String measure) {
        Interval ofThisStart = interval(found, target, measure);
        return betweenStarts == null ? ofThisStart : ofThisStart.times(Interval.ofDeviation(betweenStarts.get(measure)));
    }

    static Interval interval(RoundsResult found, int target, String measure) {
        List<Ratio> same = found.ratios().stream().filter(ratio -> ratio.measure().equals(measure)).toList();
        if (same.isEmpty()) {
            throw new IllegalArgumentException("%s is not known of a cluster's nodes".formatted(Ratio.words(measure)));
        }
        Ratio ratio = same.get(target - 1);
        return ratio.median() == null ? Interval.UNKNOWN
                : new Interval(ratio.median(), ratio.low() == null ? 0 : ratio.low(), ratio.high() == null ? Double.POSITIVE_INFINITY : ratio.high());
    }

    /** Whether processor time was measured: not of clusters. */
    public boolean hasCpu() {
        return found.ratios().stream().anyMatch(ratio -> ratio.measure().equals("cpuMicrosPerRequest"));
    }

    /** An engine counter ("tablesAsked", "probes") over the GETs of a server; null if there were none. */
    public Double perGet(int target, String counter) {
        long gets = engine.get(target).getOrDefault("gets", 0L);
        return gets == 0 || !engine.get(target).containsKey(counter) ? null : (double) engine.get(target).get(counter) / gets;
    }

    /** Bytes that the engine of a server wrote, to its log and to tables, for each write; null if there were none. */
    public Double writtenBytesPerWrite(int target) {
        return WrittenBytes.perWrite(engine.get(target));
    }

    /** A server's own value of a measure: the median of its slices. */
    public double median(int target, String measure) {
        return found.median(target, measure);
    }

    @Override
    public String toString() {
        String measure = hasCpu() ? "cpuMicrosPerRequest" : "throughput";
        return "%s: %s to %s %s; %s".formatted(label, hasCpu() ? "processor time a request" : "throughput", servers.getFirst(),
                IntStream.range(1, servers.size()).mapToObj(i -> "%s %.2f".formatted(servers.get(i), interval(i, measure).median())).collect(Collectors.joining(", ")),
                found.method().load());
    }
}
