// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import java.util.LinkedHashMap;
import java.util.Map;
import lsmlab.lab.environment.Given;
import lsmlab.lab.environment.Text;

/** A cluster of Apache Cassandra that is to be started; each method returns a changed copy. */
public final class CassandraBuilder {
    private static final int MOST_NODES = 5;

    private final Map<String, String> options;

    /** @param nodes 1 to 5, each with a replica of each key */
    public CassandraBuilder(int nodes) {
        this(Map.of("nodes", Integer.toString(nodes)));
        if (nodes < 1 || nodes > MOST_NODES) {
            throw new IllegalArgumentException("a cluster of %d nodes of Cassandra; here it takes 1 to %d".formatted(nodes, MOST_NODES));
        }
    }

    private CassandraBuilder(Map<String, String> options) {
        this.options = options;
    }

    /** How many replicas must answer: "one", "quorum" (a majority, unless said otherwise), "all". */
    public CassandraBuilder consistency(String level) {
        return option("consistency", level);
    }

    /** Asks another node as well if the first has not answered after this time: "100ms". Otherwise only one is asked. */
    public CassandraBuilder speculate(String after) {
        Text.duration(after);
        return option("speculate", after);
    }

    /** How the nodes compile their code: "C1" (soon warm, unless said otherwise), "C2" (faster after some minutes). */
    public CassandraBuilder jit(String how) {
        return option("jit", how);
    }

    private CassandraBuilder option(String name, String value) {
        Given.some(name, "a value", value);
        Map<String, String> more = new LinkedHashMap<>(options);
        more.put(name, value);
        return new CassandraBuilder(more);
    }

    /** Starts the nodes, empty, and a facade before them; returns when it serves, after about 15 seconds. What is missing of Cassandra is fetched first. */
    public Cassandra start() {
        return Cassandra.start(options);
    }

    @Override
    public String toString() {
        return "Cassandra, to be started with .start(): " + options;
    }
}
