// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra.nodes;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/**
 * What a node counts, in the words of the lab's engine where it has one, read over JMX. The counts go on when the node starts again. What a killed
 * node had counted since the last look is lost, and of a node that does not answer the last look stays.
 */
final class Counters {
    private static final long ANSWER_MILLIS = 1_000;
    private static final String TABLE = "type=Table,keyspace=lab,scope=entity,name=";
    private static final String CPU = "cpuNanos";

    /** A metric of Cassandra. */
    private record Metric(String name, String bean, String attribute) {}

    private static final List<Metric> COUNTS = List.of(
            new Metric("puts", TABLE + "WriteLatency", "Count"),
            new Metric("gets", TABLE + "ReadLatency", "Count"),
            new Metric("flushes", TABLE + "MemtableSwitchCount", "Count"),
            new Metric("flushedBytes", TABLE + "BytesFlushed", "Count"),
            new Metric("compactions", "type=Compaction,name=TotalCompactionsCompleted", "Count"),
            new Metric("compactionWrittenBytes", TABLE + "CompactionBytesWritten", "Count"),
            new Metric("hints", "type=Storage,name=TotalHints", "Count"),
            new Metric("droppedWrites", "type=DroppedMessage,scope=MUTATION_REQ,name=Dropped", "Count"),
            new Metric("droppedReads", "type=DroppedMessage,scope=READ_REQ,name=Dropped", "Count"),
            new Metric("readRepairs", "type=ReadRepair,name=RepairedBlocking", "Count"));
    /** Cassandra adds false positives over the tables that there are, so they become fewer when tables are merged. */
    private static final List<Metric> STATES = List.of(
            new Metric("bloomFalsePositives", TABLE + "BloomFilterFalsePositives", "Value"),
            new Metric("tables", TABLE + "LiveSSTableCount", "Value"),
            new Metric("tableBytes", TABLE + "LiveDiskSpaceUsed", "Count"),
            new Metric("memtableBytes", TABLE + "MemtableLiveDataSize", "Value"));

    /** What a look found. */
    private record Found(Map<String, Long> counts, Map<String, Long> states) {
        private static final Found NOTHING = new Found(Map.of(), Map.of());
    }

    private final Jmx jmx;
    private final Map<String, Long> ended = new HashMap<>(); // by processes of this node that have ended
    private Found last = Found.NOTHING;
    private long cpuNanos;
    private CompletableFuture<Found> look = CompletableFuture.completedFuture(Found.NOTHING);

    Counters(Jmx jmx) {
        this.jmx = jmx;
    }

    /** From now on another process counts, from 0. */
    synchronized void nodeBegins() {
        jmx.close();
        last.counts.forEach((name, count) -> ended.merge(name, count, Long::sum));
        ended.merge(CPU, cpuNanos, Long::sum);
        last = Found.NOTHING;
        cpuNanos = 0;
        look = CompletableFuture.completedFuture(Found.NOTHING);
    }

    /** @param cpu processor time of the process; null: it does not run */
    synchronized Map<String, Long> now(Duration cpu) {
        if (cpu != null) {
            cpuNanos = cpu.toNanos();
            last = look();
        }
        Map<String, Long> all = new LinkedHashMap<>();
        COUNTS.forEach(metric -> all.put(metric.name, 0L));
        all.put(Histograms.NAME, 0L);
        all.replaceAll((name, _) -> ended.getOrDefault(name, 0L) + last.counts.getOrDefault(name, 0L));
        STATES.forEach(metric -> all.put(metric.name, last.states.getOrDefault(metric.name, 0L)));
        all.put(CPU, ended.getOrDefault(CPU, 0L) + cpuNanos);
        return all;
    }

    private Found look() {
        if (look.isDone()) {
            look = CompletableFuture.supplyAsync(this::read, Thread::startVirtualThread);
        }
        try {
            return look.get(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) { // it starts, is frozen, or ends
            return last;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return last;
        }
    }

    private Found read() {
        try {
            MBeanServerConnection node = jmx.node();
            Map<String, Long> counts = values(node, COUNTS);
            counts.put(Histograms.NAME, Histograms.tablesAsked(node, name(TABLE + Histograms.BEAN)));
            return new Found(counts, values(node, STATES));
        } catch (IOException | JMException | SecurityException e) {
            jmx.close();
            throw new CompletionException(e);
        }
    }

    private static Map<String, Long> values(MBeanServerConnection node, List<Metric> metrics) throws IOException, JMException {
        Map<String, Long> values = new LinkedHashMap<>();
        for (Metric metric : metrics) {
            values.put(metric.name, ((Number) node.getAttribute(name(metric.bean), metric.attribute)).longValue());
        }
        return values;
    }

    private static ObjectName name(String bean) throws JMException {
        return new ObjectName("org.apache.cassandra.metrics:" + bean);
    }
}
