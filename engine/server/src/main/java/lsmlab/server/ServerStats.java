// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import lsmlab.storage.Engine;
import one.nio.os.NativeLibrary;

/** What {@code /v0/stats} shows: the options in force, the engine's counters, answers by status, the JVM. */
final class ServerStats {
    private final Engine engine;
    private final Map<Integer, LongAdder> answersByStatus;
    private final Map<String, Object> options;

    ServerStats(Engine engine, Map<Integer, LongAdder> answersByStatus, Map<String, Object> options) {
        this.engine = engine;
        this.answersByStatus = answersByStatus;
        this.options = options;
    }

    Map<String, Object> now() {
        Map<String, Object> stats = new LinkedHashMap<>();
        stats.put("options", options);
        stats.put("engine", engine.stats());
        stats.put("http", http());
        stats.put("jvm", jvm());
        return stats;
    }

    private Map<String, Object> http() {
        Map<String, Long> answers = new TreeMap<>();
        answersByStatus.forEach((status, count) -> answers.put(status.toString(), count.sum()));
        Map<String, Object> http = new LinkedHashMap<>();
        http.put("sockets", sockets());
        http.put("answersByStatus", answers);
        return http;
    }

    /** one-nio uses sockets of its own where its native library loads, Java's elsewhere: different labs. */
    static String sockets() {
        return NativeLibrary.IS_SUPPORTED ? "one-nio native" : "java nio";
    }

    private static Map<String, Object> jvm() {
        var heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        var collectors = ManagementFactory.getGarbageCollectorMXBeans();
        ProcessHandle process = ProcessHandle.current();
        Map<String, Object> jvm = new LinkedHashMap<>();
        jvm.put("version", Runtime.version().toString());
        jvm.put("pid", process.pid());
        jvm.put("uptimeMillis", ManagementFactory.getRuntimeMXBean().getUptime());
        jvm.put("cpuMillis", process.info().totalCpuDuration().map(Duration::toMillis).orElse(null));
        jvm.put("heapUsedBytes", heap.getUsed());
        jvm.put("heapMaxBytes", heap.getMax());
        jvm.put("gcCount", collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum());
        jvm.put("gcMillis", collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum());
        return jvm;
    }
}
