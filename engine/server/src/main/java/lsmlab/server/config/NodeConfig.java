// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.config;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import lsmlab.server.extension.Extension;
import lsmlab.server.session.Descriptors;
import lsmlab.server.session.Limits;
import lsmlab.server.values.OptionText;
import lsmlab.server.values.Require;
import lsmlab.storage.options.Options;

/**
 * All that a node is started with.
 *
 * @param data folder of the store
 * @param device the modelled device of {@code storage}, as the user wrote it
 */
public record NodeConfig(Path data, String host, int port, Options storage, String device, ServingConfig serving, ClusterConfig cluster, Extension extension) {
    private static final int FEWEST_CONNECTIONS = 16;
    /** For the store's files, its peers, and the JVM itself. */
    private static final int OTHER_DESCRIPTORS = 64;

    public NodeConfig {
        if (!cluster.isAlone()) {
            Require.that(!cluster.proxy().keepsThreadWaiting() || !serving.isSync(),
                    "--proxy %s waits for other nodes, which a selector must not: it needs --workers pool or virtual", OptionText.of(cluster.proxy()));
            Require.that(serving.store() == ServingConfig.StoreKind.LSM, "--store constant is for a node alone: its values have no versions");
            Require.that(!serving.eagerLog(), "--eager-log is for a node alone");
        }
        long most = freeDescriptors(cluster);
        Require.that(most >= FEWEST_CONNECTIONS, "%d descriptors (ulimit -n) leave %d for connections; there must be %d at least%s", Descriptors.limit(), most,
                FEWEST_CONNECTIONS, cluster.peerDescriptors() == 0 ? "" : ": --max-peer-requests takes " + cluster.peerDescriptors());
        Require.that(serving.limits().connections() <= most, "--max-connections is %d, %d descriptors (ulimit -n) leave %d",
                serving.limits().connections(), Descriptors.limit(), most);
    }

    private static long freeDescriptors(ClusterConfig cluster) {
        return Descriptors.limit() - OTHER_DESCRIPTORS - Limits.RESERVED_CONNECTIONS - cluster.peerDescriptors();
    }

    /** Those in force: connections are never 0. */
    public Limits limits() {
        Limits limits = serving.limits();
        return limits.connections() > 0 ? limits : limits.withConnections((int) Math.min(Limits.MOST_CONNECTIONS, freeDescriptors(cluster)));
    }

    /** As {@code /v0/stats} shows it. */
    public Map<String, Object> inForce() {
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("data", data.toString());
        options.put("flushThresholdBytes", storage.flushThresholdBytes());
        options.put("pruning", OptionText.of(storage.pruning()));
        options.put("search", OptionText.of(storage.search()));
        options.put("wal", OptionText.of(storage.wal()));
        options.put("backpressure", OptionText.of(storage.backpressure()));
        options.put("flushThreads", storage.flushThreads());
        options.put("maxFrozen", storage.maxFrozen());
        options.put("reload", OptionText.of(storage.reload()));
        options.put("compaction", OptionText.of(storage.compaction()));
        options.put("compactionBytesPerSecond", storage.compactionBytesPerSecond());
        options.put("device", device);
        options.putAll(serving.inForce());
        options.putAll(cluster.inForce());
        options.putAll(extension.inForce());
        return options;
    }
}
