// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import lsmlab.lab.environment.Given;
import lsmlab.lab.notebook.CellClass;

/**
 * The options of a server that is to be started; each method returns a changed copy. Names and values are those of
 * {@code java -jar lsm-server.jar --help}.
 */
public final class ServerBuilder {
    private static final int MOST_NODES = 64;
    /** Requests whose times a server keeps unless it is {@link #untraced}: 56 MB outside of its heap if there were as many. */
    private static final String TRACED = "500000";

    private final Map<String, String> options;
    private final String heap;
    private final String label;

    public ServerBuilder() {
        this(Map.of(ServerProcess.TRACE, TRACED), "128m", null);
    }

    private ServerBuilder(Map<String, String> options, String heap, String label) {
        this.options = options;
        this.heap = heap;
        this.label = label;
    }

    /** Size of the table at which the memtable is flushed, the reports' block size: "1MB". */
    public ServerBuilder flushThreshold(String size) {
        return option("flush-threshold", size);
    }

    /** How a GET skips tables: "bloom", "map", "range", "range-from-file", "none". */
    public ServerBuilder pruning(String how) {
        return option("pruning", how);
    }

    /** How a GET searches a table: "block-index", "binary". */
    public ServerBuilder search(String how) {
        return option("search", how);
    }

    /** What an answered write survives: "os" (the process), "sync" (the power), "none" (neither). */
    public ServerBuilder wal(String how) {
        return option("wal", how);
    }

    /** Which tables are merged: "tiered", "leveled", "none". */
    public ServerBuilder compaction(String how) {
        return option("compaction", how);
    }

    /** Bytes a second that merges read: "20MB"; faster when writes would soon have to wait for them. "0": no limit. */
    public ServerBuilder compactionRate(String size) {
        return option("compaction-rate", size);
    }

    /** What a PUT does when all memtables are full: "block", "fail" (503), "spin", "slowdown". */
    public ServerBuilder backpressure(String how) {
        return option("backpressure", how);
    }

    /** Memtables written at the same time. */
    public ServerBuilder flushThreads(int count) {
        return option("flush-threads", Integer.toString(count));
    }

    /** Full memtables that may wait for their flush. */
    public ServerBuilder maxFrozen(int count) {
        return option("max-frozen", Integer.toString(count));
    }

    /** What a flush does to the open tables: "incremental" (nothing), "full" (opens them all again). */
    public ServerBuilder reload(String how) {
        return option("reload", how);
    }

    /** A modelled disk, "seek=8ms,rate=100MB,cache=256MB", and with ",sync=5ms" at its end also of the log's syncs; what is measured with it is modelled. */
    public ServerBuilder device(String model) {
        return option("device", model);
    }

    /** Threads that read and write connections. */
    public ServerBuilder selectors(int threads) {
        return option("selectors", Integer.toString(threads));
    }

    /** Where requests are handled: "sync" (on the selectors), "pool", "virtual" (a virtual thread each). */
    public ServerBuilder workers(String how) {
        return option("workers", how);
    }

    /** Threads of the pool. */
    public ServerBuilder workerThreads(int count) {
        return option("worker-threads", Integer.toString(count));
    }

    /** The queue before the pool: "array", "linked", "lifo" (newest first), "synchronous" (none). */
    public ServerBuilder queue(String kind) {
        return option("queue", kind);
    }

    /** Requests that may wait for the pool, or be on virtual threads; beyond them 503. */
    public ServerBuilder queueCapacity(int requests) {
        return option("queue-capacity", Integer.toString(requests));
    }

    /** Which node has a key: "rendezvous", "modulo", "ring". */
    public ServerBuilder sharding(String how) {
        return option("sharding", how);
    }

    /** How nodes ask each other: "pipelined" (many requests at once on a few connections), "jdk" (a connection for each), "jdk-locked" (one request at a time), "one-nio". */
    public ServerBuilder proxy(String client) {
        return option("proxy", client);
    }

    /** "lsm", or "constant": each GET gets the same 690 bytes and PUTs are forgotten, so what is measured is the wire. */
    public ServerBuilder store(String which) {
        return option("store", which);
    }

    /** Builds a log line for each PUT though the log's level is off, as report 000 found itself doing. */
    public ServerBuilder eagerLog() {
        return option("eager-log", "true");
    }

    /** A class of this notebook in the place of what it implements: a table's filter, a throttle of writes, a merge policy, a queue, a sharding. */
    public ServerBuilder extension(CellClass type) {
        Given.some("extension", "a class, Lab.compiled(\"Name\")", type);
        return option("extension-path", type.folder().toString()).option("extension", type.name());
    }

    /** Turns tracing off, which costs a little processor time: {@code Lab.autopsy}, {@code Lab.replay} and {@code Lab.live} have nothing to show then. */
    public ServerBuilder untraced() {
        return option(ServerProcess.TRACE, "0");
    }

    /** Heap of the server's JVM, "128m" unless said otherwise: the reports' limit. */
    public ServerBuilder heap(String size) {
        Given.some("heap", "a size like 128m", size);
        if (!size.matches("[1-9]\\d{0,6}[kKmMgG]")) {
            throw new IllegalArgumentException("'%s' is not a heap size like 128m or 1g".formatted(size));
        }
        return new ServerBuilder(options, size, label);
    }

    /** The server's name in charts and tables; without one it is made of block size and pruning. */
    public ServerBuilder label(String text) {
        return new ServerBuilder(options, heap, text);
    }

    ServerBuilder option(String name, String value) {
        Given.some(name, "a value", value);
        Map<String, String> more = new LinkedHashMap<>(options);
        more.put(name, value);
        return new ServerBuilder(more, heap, label);
    }

    @Override
    public String toString() {
        String chosen = options.entrySet().stream().filter(option -> !option.equals(Map.entry(ServerProcess.TRACE, TRACED)))
                .map(option -> ", %s %s".formatted(option.getKey(), option.getValue())).collect(Collectors.joining());
        return "a server to be started with .start(): heap %s%s".formatted(heap, chosen.isEmpty() ? ", the default options" : chosen);
    }

    /** Starts the process on an empty store and returns when it serves. */
    public Server start() {
        ServerProcess process = process(options, 0);
        process.start();
        return new Server(process);
    }

    /** The same on a store that {@link Server#fill} has filled. */
    public Server startFilled(int records, String script, Object... arguments) {
        ServerProcess process = process(options, 0);
        Fill fill = Fill.of(process, records, script, arguments);
        try {
            fill.start();
        } catch (RuntimeException | Error e) { // no variable would hold the server, so no cell could stop it
            try {
                process.remove();
            } catch (RuntimeException stopping) {
                e.addSuppressed(stopping);
            }
            throw e;
        }
        return new Server(process);
    }

    /** A cluster of this many servers, which share the keys. */
    public Cluster cluster(int nodes) {
        if (nodes < 1 || nodes > MOST_NODES) {
            throw new IllegalArgumentException("a cluster of %d nodes; it takes 1 to %d".formatted(nodes, MOST_NODES));
        }
        return Cluster.start(this, nodes);
    }

    /** A node that is not started yet. */
    ServerProcess onPort(int port, String cluster) {
        return process(option("cluster", cluster).options, port);
    }

    private ServerProcess process(Map<String, String> options, int port) {
        return new ServerProcess(options, heap, label == null ? label(options) : label, port);
    }

    /** What distinguishes servers in charts: the block size, and how tables are pruned. */
    private static String label(Map<String, String> options) {
        String threshold = options.getOrDefault("flush-threshold", "64MB").replaceFirst("(?i)([kmg]b)$", " $1");
        return options.containsKey("pruning") ? threshold + ", pruning " + options.get("pruning") : threshold;
    }
}
