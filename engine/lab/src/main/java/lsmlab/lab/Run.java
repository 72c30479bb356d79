// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import lsmlab.load.LoadResult;

/**
 * One measured run: a row.
 *
 * @param label its name in charts and tables
 * @param server the options of the server's command line, and its heap
 * @param result what the load generator found
 * @param serverCpuShare CPU time of the server's process over elapsed time: 1 is one core
 * @param engine what the engine counted during the run
 */
public record Run(String label, String mode, Map<String, String> server, LoadResult result, double serverCpuShare, Map<String, Long> engine)
        implements Curve, Shown {

    static Run of(String label, Server server, LoadResult result, double cpuShare, JsonNode engineBefore, JsonNode engineAfter) {
        Map<String, String> options = new LinkedHashMap<>(server.options());
        options.put("heap", server.heap());
        Map<String, Long> counted = new LinkedHashMap<>();
        engineAfter.properties().forEach(counter -> {
            if (counter.getValue().isNumber()) {
                counted.put(counter.getKey(), counter.getValue().asLong() - engineBefore.get(counter.getKey()).asLong());
            }
        });
        return new Run(label, Mode.current().toString(), options, result, cpuShare, counted);
    }

    /** Response time at a percentile, in milliseconds. */
    public double percentileMs(double percentile) {
        return result.response().percentileMs(percentile);
    }

    /** Whether the rate asked for was held. */
    public boolean sustained() {
        return result.sustained();
    }

    /** Errors, of whatever kind, over responses. */
    public double errorShare() {
        LoadResult.Errors errors = result.errors();
        long bad = errors.connect() + errors.read() + errors.write() + errors.timeout() + errors.status();
        return (double) bad / Math.max(1, result.requests());
    }

    /** An engine counter ("tablesAsked", "probes") over the GETs of the run; null if there were none. */
    public Double perGet(String counter) {
        long gets = engine.getOrDefault("gets", 0L);
        return gets == 0 ? null : (double) engine.get(counter) / gets;
    }

    @Override
    public Map<String, Object> content() {
        return Table.of(this).content();
    }

    @Override
    public String toString() {
        return Table.of(this).toString();
    }
}
