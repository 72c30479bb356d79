// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.time.Duration;

/** The table of entities. */
final class Schema {
    static final String TABLE = "lab.entity";
    static final String SELECT = "SELECT value FROM %s WHERE id = ?".formatted(TABLE);
    private static final Duration MOST = Duration.ofSeconds(20);

    private Schema() {}

    /** Makes what is not there yet. */
    static void make(CqlSession session, int replicas) {
        run(session, "CREATE KEYSPACE IF NOT EXISTS lab WITH replication = {'class': 'SimpleStrategy', 'replication_factor': %d}".formatted(replicas));
        run(session, "CREATE TABLE IF NOT EXISTS %s (id text PRIMARY KEY, value blob)".formatted(TABLE));
    }

    /** Runs a statement that changes the schema, which takes longer than a request. */
    static void run(CqlSession session, String statement) {
        session.execute(SimpleStatement.newInstance(statement).setTimeout(MOST));
    }
}
