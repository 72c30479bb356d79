// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.stats;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import lsmlab.server.cluster.Coordinator;
import lsmlab.server.http.LsmServer;
import lsmlab.server.store.Trouble;
import lsmlab.server.workers.Workers;
import lsmlab.storage.Engine;
import lsmlab.storage.stats.Space;
import lsmlab.storage.stats.Stats;
import one.nio.os.NativeLibrary;

/** What {@code /v0/stats} shows; {@code engine/server/README.md} says what each field means. */
public final class ServerStats {
    private static final JsonMapper JSON = JsonMapper.builder().addMixIn(Stats.class, Flat.class).build();

    /** How the engine's numbers are shown: in one flat object. */
    interface Flat {
        @JsonUnwrapped
        Stats.Writes writes();

        @JsonUnwrapped
        Stats.Reads reads();

        @JsonUnwrapped
        Stats.Background background();

        @JsonUnwrapped
        Stats.Waits waits();

        @JsonUnwrapped
        Stats.Held held();

        @JsonUnwrapped
        Stats.Machine machine();
    }

    private final Map<String, Object> options;
    private final Engine engine;
    private final Map<String, Workers> workers;
    private final Coordinator coordinator; // null: a node alone

    /** @param workers by their part: clients, peers */
    public ServerStats(Map<String, Object> options, Engine engine, Map<String, Workers> workers, Coordinator coordinator) {
        this.options = options;
        this.engine = engine;
        this.workers = workers;
        this.coordinator = coordinator;
    }

    /** @param withSpace also how much of the store lives, for which all of it is read */
    public byte[] json(LsmServer server, boolean withSpace) throws IOException {
        return JSON.writeValueAsBytes(now(server, withSpace));
    }

    private Map<String, Object> now(LsmServer server, boolean withSpace) {
        Map<String, Object> stats = new LinkedHashMap<>();
        stats.put("options", options);
        stats.put("engine", engine.stats());
        if (withSpace) {
            stats.put("space", space());
        }
        stats.put("http", http(server));
        Map<String, Object> pools = new LinkedHashMap<>();
        workers.forEach((part, threads) -> pools.put(part, threads.stats()));
        stats.put("workers", pools);
        if (coordinator != null) {
            stats.put("cluster", coordinator.stats());
        }
        stats.put("jvm", jvm());
        return stats;
    }

    private Space space() {
        try {
            return engine.space();
        } catch (RuntimeException e) {
            throw Trouble.of(e);
        }
    }

    /** What is true of any server on this HTTP layer. */
    public static Map<String, Object> http(LsmServer server) {
        Map<String, Long> answers = new LinkedHashMap<>();
        server.answersByStatus().forEach((status, count) -> answers.put(status.toString(), count));
        Map<String, Object> http = new LinkedHashMap<>();
        http.put("sockets", sockets());
        http.put("connections", server.getConnections());
        http.put("acceptedConnections", server.getAcceptedSessions());
        http.put("maxConnections", server.connections().limit());
        http.put("connectionsClosedForRoom", server.connections().closedForRoom());
        http.put("connectionsRefused", server.connections().refused());
        http.put("openRanges", server.ranges().count());
        http.put("maxRanges", server.ranges().limit());
        http.put("rangesEnded", server.ranges().ended());
        http.put("rangesFailed", server.ranges().failed());
        http.put("oldestRanges", server.ranges().oldest());
        http.put("bodyBytes", server.memory().usedBytes());
        http.put("maxBodyBytes", server.memory().limitBytes());
        http.put("bodiesRefused", server.memory().refused());
        http.put("answersByStatus", answers);
        return http;
    }

    /** one-nio uses sockets of its own where its native library loads, Java's elsewhere: different labs. */
    public static String sockets() {
        return NativeLibrary.IS_SUPPORTED ? "one-nio native" : "java nio";
    }

    public static Map<String, Object> jvm() {
        var heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        var collectors = ManagementFactory.getGarbageCollectorMXBeans();
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ProcessHandle process = ProcessHandle.current();
        Map<String, Object> jvm = new LinkedHashMap<>();
        jvm.put("version", Runtime.version().toString());
        jvm.put("pid", process.pid());
        jvm.put("uptimeMillis", ManagementFactory.getRuntimeMXBean().getUptime());
        jvm.put("cpuMillis", process.info().totalCpuDuration().map(Duration::toMillis).orElse(null));
        jvm.put("threads", threads.getThreadCount());
        jvm.put("heapUsedBytes", heap.getUsed());
        jvm.put("heapMaxBytes", heap.getMax());
        jvm.put("allocatedBytes", threads.getTotalThreadAllocatedBytes());
        jvm.put("gcCount", collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum());
        jvm.put("gcMillis", collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum());
        return jvm;
    }
}
