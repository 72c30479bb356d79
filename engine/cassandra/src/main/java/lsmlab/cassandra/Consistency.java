// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.util.Locale;
import lsmlab.server.wire.AckFrom;
import lsmlab.server.wire.Parameter;
import lsmlab.server.wire.Refused;
import lsmlab.server.wire.Request;

/** How many replicas of a key must answer. */
enum Consistency {
    ONE(DefaultConsistencyLevel.ONE), QUORUM(DefaultConsistencyLevel.QUORUM), ALL(DefaultConsistencyLevel.ALL);

    final ConsistencyLevel level;

    Consistency(ConsistencyLevel level) {
        this.level = level;
    }

    /**
     * What {@code ack} and {@code from} of a request are in Cassandra.
     *
     * @param replicas of each key
     * @param standard for a request without them
     * @throws Refused with 501 for what Cassandra does not have
     */
    static Consistency of(Request request, int replicas, Consistency standard) {
        if (!request.has(Parameter.ACK) && !request.has(Parameter.FROM) && !request.has(Parameter.REPLICAS)) {
            return standard;
        }
        AckFrom wanted = AckFrom.of(request, replicas);
        if (wanted.from() != replicas) {
            throw new Refused(501, "from is %d: each key has %d replicas in this cluster".formatted(wanted.from(), replicas));
        }
        if (wanted.ack() == replicas / 2 + 1) {
            return QUORUM;
        }
        if (wanted.ack() == replicas) {
            return ALL;
        }
        if (wanted.ack() == 1) {
            return ONE;
        }
        throw new Refused(501, "ack is %d: of %d replicas, one, a majority (%d) or all can be asked for".formatted(wanted.ack(), replicas, replicas / 2 + 1));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
