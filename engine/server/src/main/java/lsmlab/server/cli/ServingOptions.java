// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cli;

import java.nio.file.Path;
import java.time.Duration;
import lsmlab.server.config.ServingConfig;
import lsmlab.server.session.Limits;
import lsmlab.server.values.ByteSize;
import lsmlab.server.workers.PoolWorkers;
import picocli.CommandLine.Option;

/** {@link ServingConfig} as flags. */
public final class ServingOptions {
    @Option(names = "--selectors", paramLabel = "N", defaultValue = "0",
            description = "selector threads, which read and write connections; 0: as many as cores (${DEFAULT-VALUE})")
    private int selectors;

    @Option(names = "--workers", paramLabel = "HOW", defaultValue = "sync",
            description = "where requests are handled: sync (on the selectors), pool, virtual (a virtual thread each) (${DEFAULT-VALUE})")
    private ServingConfig.Kind workers;

    @Option(names = "--worker-threads", paramLabel = "N", defaultValue = "0",
            description = "threads of the pool; 0: as many as cores (${DEFAULT-VALUE})")
    private int workerThreads;

    @Option(names = "--queue", paramLabel = "KIND", defaultValue = "array",
            description = "queue before the pool: array, linked, lifo (newest first), synchronous (none) (${DEFAULT-VALUE})")
    private PoolWorkers.Queue queue;

    @Option(names = "--queue-capacity", paramLabel = "N", defaultValue = "1024",
            description = "requests that may wait for the pool, or be on virtual threads; beyond them 503 (${DEFAULT-VALUE})")
    private int queueCapacity;

    @Option(names = "--max-body", paramLabel = "SIZE", defaultValue = "16MB",
            description = "largest value a PUT may bring (${DEFAULT-VALUE}); beyond it 413")
    private ByteSize maxBody;

    @Option(names = "--idle-timeout", paramLabel = "TIME", defaultValue = "60s", converter = Durations.class,
            description = "a connection without requests, or whose client reads nothing, is closed after it (${DEFAULT-VALUE})")
    private Duration idleTimeout;

    @Option(names = "--request-timeout", paramLabel = "TIME", defaultValue = "30s", converter = Durations.class,
            description = "a request that takes longer to arrive is answered 408 (${DEFAULT-VALUE})")
    private Duration requestTimeout;

    @Option(names = "--max-connections", paramLabel = "N", defaultValue = "0",
            description = "connections at the same time; beyond them the longest idle one is closed, or the new one answered 503; 0: what the limit of descriptors allows, at most "
                    + Limits.MOST_CONNECTIONS + " (${DEFAULT-VALUE})")
    private int maxConnections;

    @Option(names = "--max-ranges", paramLabel = "N", defaultValue = "256",
            description = "ranges that are answered at the same time; beyond them the oldest is ended (${DEFAULT-VALUE})")
    private int maxRanges;

    @Option(names = "--store", paramLabel = "WHICH", defaultValue = "lsm",
            description = "lsm, or constant: each GET gets the same 690 bytes and PUTs are forgotten, so what is measured is the wire (${DEFAULT-VALUE})")
    private ServingConfig.StoreKind store;

    @Option(names = "--eager-log", description = "builds a log line for each PUT though the log's level is off, as report 000 found itself doing")
    private boolean eagerLog;

    @Option(names = "--trace-requests", paramLabel = "N", defaultValue = "0",
            description = "keep when each of the last N requests passed its stages, for GET /v0/requests on this machine; 0: no tracing (${DEFAULT-VALUE})")
    private int traceRequests;

    @Option(names = "--trace-frames", paramLabel = "FILE", description = "with --trace-requests: write the state of the engine into this file, two to three lines of JSON per second")
    private Path traceFrames;

    public ServingConfig config() {
        Limits limits = new Limits(maxBody.bytes(), idleTimeout.toMillis(), requestTimeout.toMillis(), maxConnections, maxRanges);
        return new ServingConfig(selectors, workers, workerThreads, queue, queueCapacity, limits, store, eagerLog, traceRequests, traceFrames);
    }
}
