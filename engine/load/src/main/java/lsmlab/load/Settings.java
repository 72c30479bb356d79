// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a run is to do.
 *
 * @param requestsPerSecond all connections together
 * @param script null without one
 * @param scriptArguments what stood after --
 * @param batchLatency of pipelined requests only the last is recorded
 */
record Settings(
        URI url,
        int connections,
        int threads,
        long durationSeconds,
        long timeoutSeconds,
        double requestsPerSecond,
        Path script,
        List<String> scriptArguments,
        Map<String, String> headers,
        boolean batchLatency) {

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
