// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The table of entities. */
final class Schema {
    static final String TABLE = "lab.entity";
    static final String SELECT = "SELECT value FROM %s WHERE id = ?".formatted(TABLE);
    private static final Duration MOST = Duration.ofSeconds(20);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private Schema() {}

    /**
     * Makes what is not there yet; returns when each node knows it.
     *
     * @throws DriverException if one does not get to know it
     */
    static void make(CqlSession session, int replicas) {
        List<Node> nodes = session.getMetadata().getNodes().values().stream().filter(node -> node.getState() == NodeState.UP).toList();
        for (String statement : List.of("CREATE KEYSPACE IF NOT EXISTS lab WITH replication = {'class': 'SimpleStrategy', 'replication_factor': %d}".formatted(replicas),
                "CREATE TABLE IF NOT EXISTS %s (id text PRIMARY KEY, value blob)".formatted(TABLE))) {
            session.execute(change(statement).setNode(nodes.getFirst()));
        }
        nodes.forEach(node -> awaitTable(session, node));
    }

    /** WHY not the driver's own waiting: it asks one node, which may not have heard yet that there is something to agree on. */
    private static void awaitTable(CqlSession session, Node node) {
        SimpleStatement any = SimpleStatement.newInstance(SELECT, "any").setNode(node).setConsistencyLevel(DefaultConsistencyLevel.ONE).setTimeout(MOST);
        long deadline = System.nanoTime() + MOST.toNanos();
        while (true) {
            try {
                session.execute(any);
                return;
            } catch (DriverException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
    }

    /** Runs a statement that changes the schema, which takes longer than a request. */
    static void run(CqlSession session, String statement) {
        session.execute(change(statement));
    }

    private static SimpleStatement change(String statement) {
        return SimpleStatement.newInstance(statement).setTimeout(MOST);
    }
}
