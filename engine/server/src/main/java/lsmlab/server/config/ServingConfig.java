// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.config;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import lsmlab.server.cluster.VersionedStore;
import lsmlab.server.session.Limits;
import lsmlab.server.values.ByteSize;
import lsmlab.server.values.OptionText;
import lsmlab.server.values.Require;
import lsmlab.server.workers.PoolWorkers;
import lsmlab.storage.entries.Entry;

/**
 * How requests are taken and handled.
 *
 * @param selectors threads that read and write connections; 0: as many as cores
 * @param workerThreads of the pool; 0: as many as cores
 * @param queueCapacity requests that may wait for the pool, or be on virtual threads
 * @param limits as the user set them, in which 0 connections stand for as many as the descriptors allow
 * @param eagerLog builds a line for the log for each PUT though its level is off
 * @param traceRequests whose stages are kept; 0: none
 * @param traceFrames a file for frames as they are taken; null: none
 */
public record ServingConfig(int selectors, Kind workers, int workerThreads, PoolWorkers.Queue queue, int queueCapacity, Limits limits, StoreKind store,
        boolean eagerLog, int traceRequests, Path traceFrames) {
    public enum Kind { SYNC, POOL, VIRTUAL }

    public enum StoreKind { LSM, CONSTANT }

    private static final int MAX_THREADS = 1_024;
    private static final int MAX_CAPACITY = 1 << 20;
    private static final int MAX_TRACED = 1 << 24;

    public ServingConfig {
        Require.that(selectors >= 0 && selectors <= MAX_THREADS, "--selectors is %d, it must be 0 to %d", selectors, MAX_THREADS);
        Require.that(workerThreads >= 0 && workerThreads <= MAX_THREADS, "--worker-threads is %d, it must be 0 to %d", workerThreads, MAX_THREADS);
        Require.that(queueCapacity >= 1 && queueCapacity <= MAX_CAPACITY, "--queue-capacity is %d, it must be 1 to %d", queueCapacity, MAX_CAPACITY);
        Require.that(limits.connections() >= 0, "--max-connections is %d, it must be 1 or more, or 0", limits.connections());
        Require.that(limits.ranges() >= 1 && limits.ranges() <= MAX_CAPACITY, "--max-ranges is %d, it must be 1 to %d", limits.ranges(), MAX_CAPACITY);
        Require.that(limits.maxBodyBytes() >= 0 && limits.maxBodyBytes() <= Entry.MAX_VALUE_BYTES - VersionedStore.WORD_BYTES,
                "--max-body is %s, it must be less than %s", new ByteSize(limits.maxBodyBytes()), new ByteSize(Entry.MAX_VALUE_BYTES));
        Require.that(traceRequests >= 0 && traceRequests <= MAX_TRACED, "--trace-requests is %d, it must be 0 to %d", traceRequests, MAX_TRACED);
        Require.that(traceFrames == null || traceRequests > 0, "--trace-frames needs --trace-requests N");
        selectors = orCores(selectors);
        workerThreads = orCores(workerThreads);
    }

    private static int orCores(int number) {
        return number == 0 ? Runtime.getRuntime().availableProcessors() : number;
    }

    public boolean isSync() {
        return workers == Kind.SYNC;
    }

    /** Where requests wait for other nodes: how many can do so at the same time. */
    public int mostThreads() {
        return workers == Kind.VIRTUAL ? queueCapacity : workerThreads;
    }

    /** As {@code /v0/stats} shows it. */
    Map<String, Object> inForce() {
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("selectors", selectors);
        options.put("workers", OptionText.of(workers));
        options.put("workerThreads", workerThreads);
        options.put("queue", OptionText.of(queue));
        options.put("queueCapacity", queueCapacity);
        options.put("maxBodyBytes", limits.maxBodyBytes());
        options.put("idleTimeoutMillis", limits.idleMillis());
        options.put("requestTimeoutMillis", limits.requestMillis());
        options.put("maxConnections", limits.connections());
        options.put("maxRanges", limits.ranges());
        options.put("store", OptionText.of(store));
        options.put("eagerLog", eagerLog);
        options.put("traceRequests", traceRequests);
        return options;
    }
}
