// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.ProgrammaticDriverConfigLoaderBuilder;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.internal.core.loadbalancing.DcInferringLoadBalancingPolicy;
import com.datastax.oss.driver.internal.core.specex.ConstantSpeculativeExecutionPolicy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Connections to the nodes. */
final class Sessions {
    /** How long the driver collects news of the nodes before it acts on them. By default it is a second, and a start would wait for it several times. */
    private static final Duration EVENTS_WINDOW = Duration.ofMillis(50);
    private static final int SPECULATIVE_EXECUTIONS = 2;
    private static final long MEET_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private Sessions() {}

    /**
     * A session with the data centre of these nodes.
     *
     * @param timeout of a request
     * @param speculate after which another node is asked as well; null: never
     */
    static CqlSession open(List<InetSocketAddress> nodes, Duration timeout, Duration speculate) {
        ProgrammaticDriverConfigLoaderBuilder options = DriverConfigLoader.programmaticBuilder()
                .withClass(DefaultDriverOption.LOAD_BALANCING_POLICY_CLASS, DcInferringLoadBalancingPolicy.class)
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, timeout)
                .withBoolean(DefaultDriverOption.REQUEST_DEFAULT_IDEMPOTENCE, true) // each write says the whole value
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(5))
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, Duration.ofSeconds(5))
                .withDuration(DefaultDriverOption.METADATA_TOPOLOGY_WINDOW, EVENTS_WINDOW)
                .withDuration(DefaultDriverOption.METADATA_SCHEMA_WINDOW, EVENTS_WINDOW)
                .withDuration(DefaultDriverOption.METADATA_SCHEMA_REQUEST_TIMEOUT, Duration.ofSeconds(10))
                .withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(500))
                .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofSeconds(5));
        if (speculate != null) {
            options.withClass(DefaultDriverOption.SPECULATIVE_EXECUTION_POLICY_CLASS, ConstantSpeculativeExecutionPolicy.class)
                    .withInt(DefaultDriverOption.SPECULATIVE_EXECUTION_MAX, SPECULATIVE_EXECUTIONS + 1)
                    .withDuration(DefaultDriverOption.SPECULATIVE_EXECUTION_DELAY, speculate);
        }
        return CqlSession.builder().addContactPoints(nodes).withConfigLoader(options.build()).build();
    }

    /**
     * Returns when the nodes know each other, and the driver their places on the ring: each listens before it has heard of all others.
     *
     * @throws IOException if they do not within a while
     */
    static void awaitAll(CqlSession session, int nodes) throws IOException {
        long deadline = System.nanoTime() + MEET_NANOS;
        while (known(session.getMetadata()) < nodes) {
            if (System.nanoTime() > deadline) {
                throw new IOException("the nodes of Cassandra did not find each other: " + session.getMetadata().getNodes().values());
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private static long known(Metadata metadata) {
        return metadata.getTokenMap().map(ring -> metadata.getNodes().values().stream().filter(node -> node.getState() == NodeState.UP && !ring.getTokens(node).isEmpty()).count()).orElse(0L);
    }
}
