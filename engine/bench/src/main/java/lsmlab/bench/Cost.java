// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What a request costs the server, and how long its client waits.
 *
 * @param cpuMicros processor time of all the server's threads
 * @param heapBytes allocated by all of them
 * @param keysCompared inside tables; 0 without an engine
 * @param blocksRead by gets; 0 without an engine
 * @param writtenBytes to log and tables; 0 without an engine
 * @param p50Ms of the response time, as p99Ms
 */
record Cost(double cpuMicros, double heapBytes, double keysCompared, double blocksRead, double writtenBytes, double p50Ms, double p99Ms) {
    /**
     * @param first the server's stats before the load
     * @param load what {@code wrk2.jar --json} says of it
     * @param last the server's stats after it
     */
    static Cost of(JsonNode first, JsonNode load, JsonNode last) {
        double requests = load.get("requests").asDouble();
        double written = grown("/engine/logBytes", first, last) + grown("/engine/flushedBytes", first, last) + grown("/engine/compactionWrittenBytes", first, last);
        return new Cost(1e3 * grown("/jvm/cpuMillis", first, last) / requests, grown("/jvm/allocatedBytes", first, last) / requests,
                grown("/engine/probes", first, last) / requests, grown("/engine/blocksRead", first, last) / requests, written / requests,
                Client.percentileMs(load.get("response"), 0.5), Client.percentileMs(load.get("response"), 0.99));
    }

    private static double grown(String pointer, JsonNode first, JsonNode last) {
        return last.at(pointer).asLong() - first.at(pointer).asLong();
    }
}
