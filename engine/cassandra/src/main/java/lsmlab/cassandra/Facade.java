// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import lsmlab.server.cli.ListenOptions;
import lsmlab.server.http.LsmServer;
import lsmlab.server.session.Limits;
import lsmlab.server.stats.HttpMetrics;
import lsmlab.server.stats.ServerStats;
import lsmlab.server.workers.Workers;

/** The server's HTTP layer before a cluster of Cassandra. Requests are handled on the selectors: all they do is to ask the driver. */
final class Facade implements LsmServer.Statistics, AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();

    private final CqlSession session;
    private final Map<String, Object> options;
    private final Supplier<List<Map<String, Object>>> nodes;
    private final LsmServer server;
    private final HttpMetrics metrics;

    /**
     * @param options as {@code /v0/stats} shows them
     * @param nodes what it shows of those that were started here
     */
    Facade(ListenOptions listen, Limits limits, CqlSession session, CassandraEntities entities, Map<String, Object> options, Supplier<List<Map<String, Object>>> nodes)
            throws IOException {
        this.session = session;
        this.options = options;
        this.nodes = nodes;
        server = new LsmServer(LsmServer.config(listen.host(), listen.port(), 0), limits, entities, Map.of("clients", new Workers.Sync()), true, this, null);
        metrics = new HttpMetrics(server);
    }

    void start() {
        server.start();
    }

    @Override
    public byte[] stats(boolean withSpace) throws IOException {
        Map<String, Object> stats = new LinkedHashMap<>();
        List<Map<String, Object>> known = nodes.get();
        stats.put("options", options);
        stats.put("engine", sum(known));
        stats.put("nodes", known);
        stats.put("driver", driver());
        stats.put("http", ServerStats.http(server));
        stats.put("jvm", ServerStats.jvm());
        return JSON.writeValueAsBytes(stats);
    }

    /** What all nodes counted together. */
    private static Map<String, Long> sum(List<Map<String, Object>> nodes) {
        Map<String, Long> sum = new LinkedHashMap<>();
        for (Map<String, Object> node : nodes) {
            ((Map<?, ?>) node.get("counts")).forEach((name, count) -> sum.merge((String) name, (Long) count, Long::sum));
        }
        return sum;
    }

    /** The nodes as the driver knows them. */
    private Map<String, Object> driver() {
        Map<String, Object> known = new LinkedHashMap<>();
        session.getMetadata().getNodes().values().forEach(node -> known.put(node.getEndPoint().toString(),
                Map.of("state", node.getState().toString(), "connections", node.getOpenConnections())));
        return known;
    }

    @Override
    public byte[] metrics() throws IOException {
        return metrics.text();
    }

    /** Answers what was accepted. */
    @Override
    public void close() {
        server.stop();
    }
}
