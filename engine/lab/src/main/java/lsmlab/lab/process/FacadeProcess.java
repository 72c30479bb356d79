// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import lsmlab.lab.environment.Project;

/** A process that serves a cluster of Cassandra, whose nodes it or another facade has started. */
final class FacadeProcess extends ServerProcess {
    private static final String HEAP = "128m";

    private final FacadeProcess starter; // of the nodes; null: this one

    private FacadeProcess(Map<String, String> options, String label, FacadeProcess starter) {
        super(options, HEAP, label, 0);
        this.starter = starter;
    }

    /** One that starts the nodes. */
    static FacadeProcess withNodes(Map<String, String> options, String label) {
        return new FacadeProcess(options, label, null);
    }

    /** Another one before the same nodes. */
    FacadeProcess beside(Map<String, String> options, String label) {
        return new FacadeProcess(options, label, this);
    }

    @Override
    List<String> command(int port) {
        Map<String, String> all = new LinkedHashMap<>(options());
        if (starter == null) {
            all.put("data", data().toString());
        }
        return JavaCommand.of(Project.root().resolve("engine/cassandra/target/cassandra/lsm-cassandra.jar"), heap(), port, all);
    }

    @Override
    public boolean hasStore() {
        return false;
    }

    /** A request takes processes' time besides that of this one. */
    @Override
    public boolean isInCluster() {
        return true;
    }

    /** Of the facade, and of all nodes together. */
    @Override
    public Duration cpu() {
        return super.cpu().plusNanos(stats().at("/engine/cpuNanos").asLong());
    }

    @Override
    JsonNode stats(String query) {
        ObjectNode stats = (ObjectNode) super.stats(query);
        if (starter != null) {
            JsonNode ofNodes = starter.stats();
            stats.set("engine", ofNodes.get("engine"));
            stats.set("nodes", ofNodes.get("nodes"));
        }
        return stats;
    }
}
