// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.count;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import lsmlab.load.result.LoadResult;

/** What one thread counted, or all of them together. Latencies are in microseconds. */
public final class Tally {
    private static final int STATUSES = 1_000;
    private static final int CLASS = 100; // 2xx, 4xx, ...

    public final Samples response = new Samples();
    public final Samples service = new Samples();
    public final Samples sendLag = new Samples();
    private final Samples[] responseByClass = new Samples[STATUSES / CLASS]; // null: no such status so far
    public final RateSamples rates = new RateSamples();
    public final Timeline timeline;
    private final long[] statuses = new long[STATUSES];
    private final Set<Integer> accepted;

    public long planned;
    public long sent;
    public long requests;
    /** Of these, those that came after the load had ended. */
    public long late;
    public long sentBytes;
    public long readBytes;
    public long connectErrors;
    public long readErrors;
    public long writeErrors;
    public long timeouts;

    public long inFlight;
    public long unsent;
    public long oldestNanos;

    public long cpuNanos;
    public long allocatedBytes;

    /** @param accepted statuses above 399 that are answers, not errors */
    public Tally(long durationNanos, Set<Integer> accepted) {
        this.accepted = accepted;
        timeline = new Timeline(durationNanos);
        responseByClass[2] = new Samples(); // most answers' class, so that the first of them takes no time for it
    }

    /** One response; with -B only the last of a batch has its latency recorded. */
    public void completed(int status, boolean recorded, long dueNanos, long responseMicros, long serviceMicros) {
        requests++;
        statuses[status]++;
        if (recorded) {
            response.record(responseMicros);
            service.record(serviceMicros);
            timeline.record(dueNanos, responseMicros, serviceMicros);
            int statusClass = status / CLASS;
            if (responseByClass[statusClass] == null) {
                responseByClass[statusClass] = new Samples();
            }
            responseByClass[statusClass].record(responseMicros);
        }
    }

    /** Forgets latencies, as wrk2 does after its calibration; counts go on. */
    public void resetLatencies() {
        response.reset();
        service.reset();
        sendLag.reset();
        for (Samples samples : responseByClass) {
            if (samples != null) {
                samples.reset();
            }
        }
    }

    /** Adds what a connection left without a response: sent, due but not sent, and how long the oldest had waited. */
    public void addUnfinished(long inFlight, long unsent, long waitedNanos) {
        this.inFlight += inFlight;
        this.unsent += unsent;
        oldestNanos = Math.max(oldestNanos, waitedNanos);
    }

    public void add(Tally other) {
        response.add(other.response);
        service.add(other.service);
        sendLag.add(other.sendLag);
        for (int i = 0; i < responseByClass.length; i++) {
            if (other.responseByClass[i] != null) {
                responseByClass[i] = responseByClass[i] == null ? new Samples() : responseByClass[i];
                responseByClass[i].add(other.responseByClass[i]);
            }
        }
        rates.add(other.rates);
        timeline.add(other.timeline);
        for (int i = 0; i < STATUSES; i++) {
            statuses[i] += other.statuses[i];
        }
        planned += other.planned;
        sent += other.sent;
        requests += other.requests;
        late += other.late;
        sentBytes += other.sentBytes;
        readBytes += other.readBytes;
        connectErrors += other.connectErrors;
        readErrors += other.readErrors;
        writeErrors += other.writeErrors;
        timeouts += other.timeouts;
        addUnfinished(other.inFlight, other.unsent, other.oldestNanos);
        cpuNanos += other.cpuNanos;
        allocatedBytes += other.allocatedBytes;
    }

    public LoadResult.Errors errors() {
        long status = 0;
        for (int i = LoadResult.FIRST_BAD_STATUS; i < STATUSES; i++) {
            status += accepted.contains(i) ? 0 : statuses[i];
        }
        return new LoadResult.Errors(connectErrors, readErrors, writeErrors, timeouts, status);
    }

    public Map<Integer, Long> statuses() {
        Map<Integer, Long> counts = new TreeMap<>();
        for (int i = 0; i < STATUSES; i++) {
            if (statuses[i] > 0) {
                counts.put(i, statuses[i]);
            }
        }
        return counts;
    }

    public Map<String, LoadResult.Latency> responseByStatus() {
        Map<String, LoadResult.Latency> latencies = new TreeMap<>();
        for (int i = 0; i < responseByClass.length; i++) {
            if (responseByClass[i] != null && responseByClass[i].count() > 0) {
                latencies.put(i + "xx", responseByClass[i].result());
            }
        }
        return latencies;
    }
}
