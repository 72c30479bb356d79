// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import lsmlab.server.cluster.Clock;
import lsmlab.server.cluster.Coordinator;
import lsmlab.server.cluster.JdkPeers;
import lsmlab.server.cluster.OneNioPeers;
import lsmlab.server.cluster.Peers;
import lsmlab.server.cluster.PipelinedPeers;
import lsmlab.server.cluster.Sharding;
import lsmlab.server.cluster.VersionedStore;
import lsmlab.server.config.ClusterConfig;
import lsmlab.server.config.NodeConfig;
import lsmlab.server.config.ServingConfig;
import lsmlab.server.http.Entities;
import lsmlab.server.http.LsmServer;
import lsmlab.server.stats.Metrics;
import lsmlab.server.stats.ServerStats;
import lsmlab.server.store.LocalEntities;
import lsmlab.server.store.Store;
import lsmlab.server.store.StudentsStore;
import lsmlab.server.trace.Tracing;
import lsmlab.server.workers.PoolWorkers;
import lsmlab.server.workers.VirtualWorkers;
import lsmlab.server.workers.Workers;
import lsmlab.storage.Engine;
import lsmlab.storage.assembled.AssembledStore;
import lsmlab.storage.assembled.Parts;

/** One node: its engine, its way to the others if there are any, its workers and its HTTP server. */
final class Node implements LsmServer.Statistics {
    private static final String STUDENTS = "assembled"; // folder of a store that is made of an extension's parts
    private static final String STUDENTS_OF_CLUSTER = "assembled-versioned"; // whose values have versions before them
    private static final long STUDENTS_FLUSH_BYTES = 1 << 20;
    private static final int STUDENTS_TABLES = 8;

    private final Engine engine;
    private final AssembledStore students; // null: there is none, and the engine serves
    private final Peers peers; // null: the node is alone
    private final Map<String, Workers> workers = new LinkedHashMap<>();
    private final Tracing tracing; // null: requests are not traced
    private final LsmServer server;
    private final ServerStats stats;
    private final Metrics metrics;

    private Node(NodeConfig config, Engine engine) throws IOException {
        this.engine = engine;
        ServingConfig serving = config.serving();
        boolean isAlone = config.cluster().isAlone();
        Optional<Parts> parts = config.extension().parts();
        students = parts.isPresent() ? new AssembledStore(config.data().resolve(isAlone ? STUDENTS : STUDENTS_OF_CLUSTER), parts.get(), STUDENTS_FLUSH_BYTES, STUDENTS_TABLES) : null; // beside the engine, which stays empty
        Store store = students != null ? new StudentsStore(students) : serving.store() == ServingConfig.StoreKind.LSM ? Store.of(engine) : Store.constant(engine);
        peers = isAlone ? null : peers(config);
        Coordinator coordinator = isAlone ? null : coordinator(config, peers, store);
        Entities entities = isAlone ? new LocalEntities(store, serving.eagerLog() ? config.data() : null) : coordinator;
        workers.put("clients", workers(config, "worker"));
        if (!isAlone) {
            workers.put("peers", workers(config, "peer-worker"));
        }
        tracing = serving.traceRequests() == 0 ? null : Tracing.of(serving.traceRequests(), serving.traceFrames(), engine::layout, engine::stats);
        server = new LsmServer(LsmServer.config(config.host(), config.port(), serving.selectors()), config.limits(), entities, workers, serving.isSync(), this, tracing);
        stats = new ServerStats(config.inForce(), engine, workers, coordinator);
        metrics = new Metrics(engine, server, workers);
    }

    /** The engine stays the caller's if this throws. */
    static Node of(NodeConfig config, Engine engine) throws IOException {
        VersionedStore.check(config.data(), engine, !config.cluster().isAlone());
        return new Node(config, engine);
    }

    /** @param name of their threads */
    private static Workers workers(NodeConfig config, String name) {
        ServingConfig serving = config.serving();
        int capacity = serving.queueCapacity();
        return switch (serving.workers()) {
            case SYNC -> new Workers.Sync();
            case POOL -> config.extension().queue(capacity).map(own -> new PoolWorkers(name, serving.workerThreads(), "extension", own, capacity))
                    .orElseGet(() -> new PoolWorkers(name, serving.workerThreads(), serving.queue(), capacity));
            case VIRTUAL -> new VirtualWorkers(name, capacity);
        };
    }

    private static Peers peers(NodeConfig config) throws IOException {
        ClusterConfig cluster = config.cluster();
        return switch (cluster.proxy()) {
            case PIPELINED -> new PipelinedPeers(cluster.urls(), cluster.peerTimeout(), cluster.peerRequests());
            case JDK -> new JdkPeers(cluster.urls(), cluster.peerTimeout(), false, cluster.peerRequests());
            case JDK_LOCKED -> new JdkPeers(cluster.urls(), cluster.peerTimeout(), true, cluster.peerRequests());
            case ONE_NIO -> new OneNioPeers(cluster.urls(), cluster.peerTimeout(), config.serving().mostThreads());
        };
    }

    private static Coordinator coordinator(NodeConfig config, Peers peers, Store store) {
        ClusterConfig cluster = config.cluster();
        Clock clock = new Clock(cluster.self());
        Sharding.Placement placement = config.extension().placement(cluster.urls()).orElseGet(() -> cluster.sharding().over(cluster.urls()));
        return new Coordinator(cluster.urls(), cluster.self(), placement, peers, peers.blocks() || config.serving().isSync(), new VersionedStore(store, clock), clock);
    }

    void start() {
        EarlyLoading.load();
        if (tracing != null) {
            tracing.start();
        }
        server.start();
    }

    @Override
    public byte[] stats(boolean withSpace) throws IOException {
        return stats.json(server, withSpace);
    }

    @Override
    public byte[] metrics() throws IOException {
        return metrics.text();
    }

    /** Whatever goes wrong in one store, the next is closed. */
    private static boolean closed(AutoCloseable store, String otherwise) {
        try {
            if (store != null) {
                store.close();
            }
            return true;
        } catch (Exception | Error e) {
            System.err.println("lsm-server: " + otherwise + ": " + e.getMessage());
            return false;
        }
    }

    /** Answers what was accepted, then closes everything, the engine last. Returns whether all of it is on the disk. */
    boolean stop() {
        try {
            server.stop();
        } catch (RuntimeException | Error e) { // whatever it is, the engine is closed
            System.err.println("lsm-server: while closing connections: " + e);
        }
        try {
            if (peers != null) {
                peers.close(); // before the workers, which may wait for them
            }
            workers.values().forEach(Workers::close);
            if (tracing != null) {
                tracing.close();
            }
        } catch (RuntimeException | Error e) {
            System.err.println("lsm-server: while ending workers: " + e);
        }
        boolean isKept = closed(students, "the store of the extension could not be closed");
        return closed(engine, "the last flush failed") && isKept;
    }
}
