// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a run is to do.
 *
 * @param warmupSeconds load before the run, of which nothing is counted; 0: none, and the first 10 s of a longer run are calibration
 * @param requestsPerSecond all connections together
 * @param script null without one
 * @param scriptArguments what stood after --
 * @param seed of math.random in scripts; null: theirs to choose
 * @param batchLatency of pipelined requests only the last is recorded
 * @param hlog where a histogram log goes; null: nowhere
 */
record Settings(
        URI url,
        int connections,
        int threads,
        long durationSeconds,
        long warmupSeconds,
        long timeoutSeconds,
        double requestsPerSecond,
        Path script,
        List<String> scriptArguments,
        Integer seed,
        Map<String, String> headers,
        boolean batchLatency,
        Path hlog) {

    Settings withRate(double perSecond) {
        return new Settings(url, connections, threads, durationSeconds, warmupSeconds, timeoutSeconds, perSecond, script, scriptArguments, seed,
                headers, batchLatency, hlog);
    }

    Settings withDuration(long seconds) {
        return new Settings(url, connections, threads, seconds, warmupSeconds, timeoutSeconds, requestsPerSecond, script, scriptArguments, seed,
                headers, batchLatency, hlog);
    }

    /** Connections of thread t; every connection asked for is opened. */
    int connectionsOf(int thread) {
        return connections / threads + (thread < connections % threads ? 1 : 0);
    }

    int port() {
        return url.getPort() < 0 ? 80 : url.getPort();
    }

    String scriptName() {
        return script == null ? null : script.getFileName().toString();
    }
}
