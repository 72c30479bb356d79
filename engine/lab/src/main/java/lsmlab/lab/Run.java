// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import lsmlab.load.LoadResult;

/**
 * One measured run: a row.
 *
 * @param label its name in charts and tables
 * @param server the server's options in force, its heap, and whose sockets it used
 * @param profiled whether async-profiler was attached meanwhile, which costs time
 * @param result what the load generator found
 * @param serverCpuShare CPU time of the server's process over elapsed time: 1 is one core
 * @param engine what the engine counted during the run; of states (number of tables and the like) what they were after it
 */
public record Run(
        String label,
        String mode,
        Map<String, String> server,
        boolean profiled,
        LoadResult result,
        double serverCpuShare,
        Map<String, Long> engine) implements Curve, ShownAsTable {
    /** Of the engine's numbers these are states, not counts: their value after the run is kept, not a difference. */
    private static final Set<String> STATES = Set.of("runs", "tables", "tableBytes", "unreclaimedBytes", "memtableBytes",
            "longestStallNanos");

    static Run of(String label, Server server, LoadResult result, double cpuShare, JsonNode statsBefore, JsonNode statsAfter) {
        Map<String, String> options = new LinkedHashMap<>();
        statsAfter.get("options").properties().forEach(option -> options.put(option.getKey(), option.getValue().asText()));
        options.remove("data");
        options.put("heap", server.heap());
        options.put("sockets", statsAfter.at("/http/sockets").asText());
        Map<String, Long> counted = new LinkedHashMap<>();
        statsAfter.get("engine").properties().forEach(number -> {
            if (number.getValue().isIntegralNumber()) {
                long before = STATES.contains(number.getKey()) ? 0 : statsBefore.at("/engine/" + number.getKey()).asLong();
                counted.put(number.getKey(), number.getValue().asLong() - before);
            }
        });
        return new Run(label, Mode.current().toString(), options, server.isProfiled(), result, cpuShare, counted);
    }

    /** Response time at a percentile, in milliseconds; NaN without responses. */
    public double percentileMs(double percentile) {
        return result.response().percentileMs(percentile);
    }

    /** Service time at a percentile, in milliseconds; NaN where the load generator does not tell it. */
    public double serviceMs(double percentile) {
        return result.service() == null ? Double.NaN : result.service().percentileMs(percentile);
    }

    /** Whether the rate asked for was held. */
    public boolean sustained() {
        return result.sustained();
    }

    /** The same without errors to speak of, and with the 99th percentile below a bound. */
    boolean isHeld(double p99Ms) {
        return result.isHeld(99, p99Ms);
    }

    /** An engine counter ("tablesAsked", "probes") over the GETs of the run; null if there were none. */
    public Double perGet(String counter) {
        long gets = engine.getOrDefault("gets", 0L);
        return gets == 0 ? null : (double) engine.get(counter) / gets;
    }

    @Override
    public Table table() {
        return Table.of(this);
    }

    @Override
    public String toString() {
        return table().toString();
    }
}
