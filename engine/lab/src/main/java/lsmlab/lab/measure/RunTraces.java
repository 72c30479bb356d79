// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.stream.Stream;
import lsmlab.lab.process.ServerProcess;
import lsmlab.lab.process.ServerTrace;
import lsmlab.load.result.LoadResult;
import lsmlab.load.result.TracedRequests;
import lsmlab.load.result.TracedRequests.Traced;

/**
 * The slowest requests of a run, as both ends saw them. They are kept as long as the run is.
 *
 * @param client what the load generator knows
 * @param dump what the server answered of all requests of that time: {@link ServerTrace#parse} reads it
 */
public record RunTraces(TracedRequests client, byte[] dump) {
    private static final Map<LoadResult, RunTraces> KEPT = Collections.synchronizedMap(new WeakHashMap<>());

    /** Asks the server at once: it forgets. */
    static void keep(Run run, TracedRequests client, ServerProcess server) {
        if (!client.slowest().isEmpty()) {
            long from = all(client).mapToLong(Traced::dueNanos).min().orElseThrow();
            long to = all(client).mapToLong(Traced::receivedNanos).max().orElseThrow();
            KEPT.put(run.result(), new RunTraces(client, server.traceDump(from, to)));
        }
    }

    private static Stream<Traced> all(TracedRequests client) {
        return Stream.concat(client.slowest().stream(), client.typical().stream());
    }

    /** @throws IllegalArgumentException if the run's server was not traced */
    public static RunTraces of(Run run) {
        RunTraces kept = KEPT.get(run.result());
        if (kept == null) {
            throw new IllegalArgumentException("no request of the run '%s' was kept: it needs a server with .traceRequests(500_000), and the lab's own generator".formatted(run.label()));
        }
        return kept;
    }
}
