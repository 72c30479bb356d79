// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import lsmlab.storage.Engine;
import lsmlab.storage.Entry;
import picocli.CommandLine.Option;

/** How requests are taken and handled, as flags. */
final class ServingOptions {
    enum Kind { SYNC, POOL, VIRTUAL }

    enum StoreKind { LSM, CONSTANT }

    private static final int MAX_THREADS = 1_024;
    private static final int MAX_CAPACITY = 1 << 20;
    private static final int MOST_CONNECTIONS = 16_384;
    private static final int FEWEST_CONNECTIONS = 16;
    /** For the store's files, its peers, and the JVM itself. */
    private static final int OTHER_DESCRIPTORS = 64;

    @Option(names = "--selectors", paramLabel = "N", defaultValue = "0",
            description = "selector threads, which read and write connections; 0: as many as cores (${DEFAULT-VALUE})")
    private int selectors;

    @Option(names = "--workers", paramLabel = "HOW", defaultValue = "sync",
            description = "where requests are handled: sync (on the selectors), pool, virtual (a virtual thread each) (${DEFAULT-VALUE})")
    private Kind workers;

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
                    + MOST_CONNECTIONS + " (${DEFAULT-VALUE})")
    private int maxConnections;

    @Option(names = "--max-ranges", paramLabel = "N", defaultValue = "256",
            description = "ranges that are answered at the same time; beyond them the oldest is ended (${DEFAULT-VALUE})")
    private int maxRanges;

    @Option(names = "--store", paramLabel = "WHICH", defaultValue = "lsm",
            description = "lsm, or constant: each GET gets the same 690 bytes and PUTs are forgotten, so what is measured is the wire (${DEFAULT-VALUE})")
    private StoreKind store;

    @Option(names = "--eager-log", description = "builds a log line for each PUT though the log's level is off, as report 000 found itself doing")
    private boolean eagerLog;

    /** Of the values that {@code --store constant} answers with: those of the load scripts have it. */
    static final int CONSTANT_VALUE_BYTES = 690;

    /** @param peerDescriptors that connections to and from other nodes may take */
    void checkDescriptors(Main.Requirement require, long peerDescriptors) {
        long most = freeDescriptors(peerDescriptors);
        require.that(most >= FEWEST_CONNECTIONS, "%d descriptors (ulimit -n) leave %d for connections; there must be %d at least%s", Descriptors.limit(), most,
                FEWEST_CONNECTIONS, peerDescriptors > 0 ? ": --max-peer-requests takes " + peerDescriptors : "");
        require.that(maxConnections <= most, "--max-connections is %d, %d descriptors (ulimit -n) leave %d", maxConnections, Descriptors.limit(), most);
    }

    void check(Main.Requirement require) {
        require.that(selectors >= 0 && selectors <= MAX_THREADS, "--selectors is %d, it must be 0 to %d", selectors, MAX_THREADS);
        require.that(workerThreads >= 0 && workerThreads <= MAX_THREADS, "--worker-threads is %d, it must be 0 to %d", workerThreads, MAX_THREADS);
        require.that(queueCapacity >= 1 && queueCapacity <= MAX_CAPACITY, "--queue-capacity is %d, it must be 1 to %d", queueCapacity, MAX_CAPACITY);
        require.that(maxConnections >= 0, "--max-connections is %d, it must be 1 or more, or 0", maxConnections);
        require.that(maxRanges >= 1 && maxRanges <= MAX_CAPACITY, "--max-ranges is %d, it must be 1 to %d", maxRanges, MAX_CAPACITY);
        require.that(maxBody.bytes() >= 0 && maxBody.bytes() <= Entry.MAX_VALUE_BYTES - VersionedStore.WORD_BYTES,
                "--max-body is %s, it must be less than %s", maxBody, new ByteSize(Entry.MAX_VALUE_BYTES));
    }

    /** @param peerDescriptors that connections to and from other nodes may take */
    Limits limits(long peerDescriptors) {
        int connections = maxConnections == 0 ? (int) Math.min(MOST_CONNECTIONS, freeDescriptors(peerDescriptors)) : maxConnections;
        return new Limits((int) maxBody.bytes(), idleTimeout.toMillis(), requestTimeout.toMillis(), connections, maxRanges);
    }

    private static long freeDescriptors(long peerDescriptors) {
        return Descriptors.limit() - OTHER_DESCRIPTORS - Limits.RESERVED_CONNECTIONS - peerDescriptors;
    }

    /** What a node of a cluster can do without. */
    void checkInCluster(Main.Requirement require) {
        require.that(store == StoreKind.LSM, "--store constant is for a node alone: its values have no versions");
        require.that(!eagerLog, "--eager-log is for a node alone");
    }

    boolean isSync() {
        return workers == Kind.SYNC;
    }

    boolean isEagerLog() {
        return eagerLog;
    }

    int selectors() {
        return orCores(selectors);
    }

    int workerThreads() {
        return orCores(workerThreads);
    }

    int mostThreads() {
        return workers == Kind.VIRTUAL ? queueCapacity : workerThreads();
    }

    private static int orCores(int number) {
        return number == 0 ? Runtime.getRuntime().availableProcessors() : number;
    }

    /** @param name of their threads */
    Workers workers(String name, ExtensionOptions extension) {
        return switch (workers) {
            case SYNC -> new Workers.Sync();
            case POOL -> extension.queue(queueCapacity).map(own -> new PoolWorkers(name, workerThreads(), "extension", own, queueCapacity))
                    .orElseGet(() -> new PoolWorkers(name, workerThreads(), queue, queueCapacity));
            case VIRTUAL -> new VirtualWorkers(name, queueCapacity);
        };
    }

    Store store(Engine engine) {
        return store == StoreKind.LSM ? Store.of(engine) : Store.constant(engine, CONSTANT_VALUE_BYTES);
    }

    /** As {@code /v0/stats} shows them. */
    Map<String, Object> inForce() {
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("selectors", selectors());
        options.put("workers", Choices.name(workers));
        options.put("workerThreads", workerThreads());
        options.put("queue", Choices.name(queue));
        options.put("queueCapacity", queueCapacity);
        options.put("maxBodyBytes", maxBody.bytes());
        options.put("idleTimeoutMillis", idleTimeout.toMillis());
        options.put("requestTimeoutMillis", requestTimeout.toMillis());
        options.put("maxConnections", maxConnections);
        options.put("maxRanges", maxRanges);
        options.put("store", Choices.name(store));
        options.put("eagerLog", eagerLog);
        return options;
    }
}
