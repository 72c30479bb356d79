// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import lsmlab.server.wire.AckFrom;
import lsmlab.server.wire.Refused;

/** What {@code ack} and {@code from} of a request are in Cassandra, where each key has as many replicas as there are nodes. */
final class Consistency {
    private Consistency() {}

    /** @throws Refused with 501 for what Cassandra does not have */
    static ConsistencyLevel of(AckFrom wanted, int nodes) {
        if (wanted.from() != nodes) {
            throw new Refused(501, "from is %d: each key has a replica on all %d nodes of this cluster".formatted(wanted.from(), nodes));
        }
        if (wanted.ack() == nodes / 2 + 1) {
            return DefaultConsistencyLevel.QUORUM;
        }
        if (wanted.ack() == nodes) {
            return DefaultConsistencyLevel.ALL;
        }
        if (wanted.ack() == 1) {
            return DefaultConsistencyLevel.ONE;
        }
        throw new Refused(501, "ack is %d: of %d nodes, one, a majority (%d) or all can be asked for".formatted(wanted.ack(), nodes, nodes / 2 + 1));
    }
}
