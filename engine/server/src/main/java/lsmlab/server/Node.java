// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import lsmlab.storage.Engine;

/** One node: its engine, its way to the others if there are any, its workers and its HTTP server. */
final class Node implements LsmServer.Statistics {
    private final Engine engine;
    private final Peers peers; // null: the node is alone
    private final Map<String, Workers> workers = new LinkedHashMap<>();
    private final LsmServer server;
    private final ServerStats stats;
    private final Metrics metrics;

    /** The engine stays the caller's if this throws. */
    Node(Main main, Engine engine) throws IOException {
        this.engine = engine;
        ServingOptions serving = main.serving();
        ClusterOptions cluster = main.cluster();
        VersionedStore.check(main.data(), engine, cluster.isCluster());
        Store store = serving.store(engine);
        peers = cluster.isCluster() ? cluster.peers(serving.mostThreads()) : null;
        Coordinator coordinator = peers == null ? null : cluster.coordinator(peers, serving.isSync(), store, main.extension());
        Entities entities = coordinator == null ? new LocalEntities(store, serving.isEagerLog() ? main.data() : null) : coordinator;
        workers.put("clients", serving.workers("worker", main.extension()));
        if (coordinator != null) {
            workers.put("peers", serving.workers("peer-worker", main.extension()));
        }
        Limits limits = serving.limits(cluster.isCluster() ? cluster.peerDescriptors() : 0);
        server = new LsmServer(LsmServer.config(main.host(), main.port(), serving.selectors()), limits, entities, workers, serving.isSync(), this);
        stats = new ServerStats(main.optionsInForce(), engine, workers, coordinator);
        metrics = new Metrics(engine, server, workers);
    }

    void start() {
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

    /** Answers what was accepted, then closes everything, the engine last. Returns whether all of it is on the disk. */
    boolean stop() {
        try {
            server.stop();
            if (peers != null) {
                peers.close(); // before the workers, which may wait for them
            }
            workers.values().forEach(Workers::close);
        } catch (RuntimeException e) {
            System.err.println("lsm-server: while closing connections: " + e);
        }
        try {
            engine.close();
            return true;
        } catch (IOException | RuntimeException | Error e) {
            System.err.println("lsm-server: the last flush failed: " + e.getMessage());
            return false;
        }
    }
}
