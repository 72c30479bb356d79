// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.stats;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.snapshots.Unit;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import lsmlab.server.http.LsmServer;
import lsmlab.server.workers.Workers;
import lsmlab.storage.Engine;
import lsmlab.storage.stats.Stats;

/** The counters of {@link ServerStats} for Prometheus. */
public final class Metrics {
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private final HttpMetrics http;
    private final Engine engine;
    private Stats stats; // of this scrape, for all of its metrics

    public Metrics(Engine engine, LsmServer server, Map<String, Workers> workers) {
        this.engine = engine;
        http = new HttpMetrics(server);
        engineMetrics();
        workerCounter(workers, "lsm_workers_waited_total", "Requests that waited in the queue", null, Workers.Stats::waited);
        workerCounter(workers, "lsm_workers_wait_seconds_total", "Time that requests waited in the queue", Unit.SECONDS, s -> s.waitNanos() / NANOS);
        workerCounter(workers, "lsm_workers_rejected_total", "Requests answered 503 for want of room", null, Workers.Stats::rejected);
        GaugeWithCallback.builder().name("lsm_workers_queue_length").help("Requests that wait now").labelNames("part")
                .callback(to -> workers.forEach((part, threads) -> to.call(threads.stats().queueLength(), part))).register(http.registry);
    }

    private void engineMetrics() {
        counter("lsm_puts_total", "Puts", null, stats -> stats.writes().puts());
        counter("lsm_deletes_total", "Deletes", null, stats -> stats.writes().deletes());
        counter("lsm_gets_total", "Gets", null, stats -> stats.reads().gets());
        counter("lsm_user_bytes_total", "Keys and values of puts and deletes", Unit.BYTES, stats -> stats.writes().userBytes());
        counter("lsm_log_bytes_total", "Written to the log", Unit.BYTES, stats -> stats.writes().logBytes());
        counter("lsm_tables_asked_total", "Tables searched by gets", null, stats -> stats.reads().tablesAsked());
        counter("lsm_blocks_read_total", "Blocks read by gets", null, stats -> stats.reads().blocksRead());
        counter("lsm_scans_total", "Scans that are closed", null, stats -> stats.reads().scans());
        counter("lsm_entries_scanned_total", "Entries read by scans", null, stats -> stats.reads().entriesScanned());
        counter("lsm_flushes_total", "Flushes", null, stats -> stats.background().flushes());
        counter("lsm_flushed_bytes_total", "Written by flushes", Unit.BYTES, stats -> stats.background().flushedBytes());
        counter("lsm_compactions_total", "Compactions", null, stats -> stats.background().compactions());
        counter("lsm_compaction_written_bytes_total", "Written by compactions", Unit.BYTES, stats -> stats.background().compactionWrittenBytes());
        counter("lsm_stalls_total", "Writes that had to wait", null, stats -> stats.waits().stalls());
        counter("lsm_stall_seconds_total", "Time that writes had to wait", Unit.SECONDS, stats -> stats.waits().stallNanos() / NANOS);
        gauge("lsm_runs", "Sorted runs", null, stats -> stats.held().runs());
        gauge("lsm_tables", "Tables", null, stats -> stats.held().tables());
        gauge("lsm_table_bytes", "Length of all tables", Unit.BYTES, stats -> stats.held().tableBytes());
        gauge("lsm_memtable_bytes", "In the active memtable", Unit.BYTES, stats -> stats.held().memtableBytes());
    }

    private void counter(String name, String help, Unit unit, ToDoubleFunction<Stats> value) {
        CounterWithCallback.builder().name(name).help(help).unit(unit).callback(to -> to.call(value.applyAsDouble(stats))).register(http.registry);
    }

    private void gauge(String name, String help, Unit unit, ToDoubleFunction<Stats> value) {
        GaugeWithCallback.builder().name(name).help(help).unit(unit).callback(to -> to.call(value.applyAsDouble(stats))).register(http.registry);
    }

    private void workerCounter(Map<String, Workers> workers, String name, String help, Unit unit, ToDoubleFunction<Workers.Stats> value) {
        CounterWithCallback.builder().name(name).help(help).unit(unit).labelNames("part")
                .callback(to -> workers.forEach((part, threads) -> to.call(value.applyAsDouble(threads.stats()), part))).register(http.registry);
    }

    /** In Prometheus' text format. */
    public synchronized byte[] text() throws IOException {
        stats = engine.stats();
        return http.text();
    }
}
