// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.plan;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What a run is to do.
 *
 * @param warmupMillis load before the run, not counted; 0: none, and the first 10 s of a longer run are calibration
 * @param requestsPerSecond all connections together
 * @param script null without one
 * @param scriptArguments what stood after --
 * @param seed of math.random in scripts; null: theirs to choose
 * @param batchLatency of pipelined requests only the last is recorded
 * @param accepted statuses above 399 that are answers, not errors
 * @param hlog where a histogram log goes; null: nowhere
 */
public record Settings(
        URI url,
        int connections,
        int threads,
        long durationSeconds,
        long warmupMillis,
        long timeoutSeconds,
        double requestsPerSecond,
        Path script,
        List<String> scriptArguments,
        Integer seed,
        Map<String, String> headers,
        boolean batchLatency,
        Set<Integer> accepted,
        Path hlog) {

    public Settings withRate(double perSecond) {
        return new Settings(url, connections, threads, durationSeconds, warmupMillis, timeoutSeconds, perSecond, script, scriptArguments, seed,
                headers, batchLatency, accepted, hlog);
    }

    public Settings withDuration(long seconds) {
        return new Settings(url, connections, threads, seconds, warmupMillis, timeoutSeconds, requestsPerSecond, script, scriptArguments, seed,
                headers, batchLatency, accepted, hlog);
    }

    /** A run that is too short to calibrate, with a warm-up that is long enough for all connections to start. */
    public Settings withConnectionsStarted() {
        if (TimeUnit.SECONDS.toNanos(durationSeconds) > Schedule.CALIBRATION_NANOS) {
            return this;
        }
        long start = TimeUnit.NANOSECONDS.toMillis((connectionsOf(0) - 1) * Schedule.START_STEP_NANOS);
        return new Settings(url, connections, threads, durationSeconds, Math.max(warmupMillis, start), timeoutSeconds, requestsPerSecond, script,
                scriptArguments, seed, headers, batchLatency, accepted, hlog);
    }

    /** Connections of thread t; every connection asked for is opened. */
    public int connectionsOf(int thread) {
        return connections / threads + (thread < connections % threads ? 1 : 0);
    }

    public int port() {
        return url.getPort() < 0 ? 80 : url.getPort();
    }

    public String scriptName() {
        return script == null ? null : script.getFileName().toString();
    }
}
