// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.send;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import lsmlab.load.count.IntervalLog;
import lsmlab.load.count.SlowRequests;
import lsmlab.load.count.Tally;
import lsmlab.load.plan.Settings;
import lsmlab.load.script.LuaScript;

/** What one thread's connections to one target send, and where it is counted. */
final class Sender {
    private final Settings settings;
    private final LuaScript script;
    private final int pipelineDepth;
    private final ByteBuffer staticRequest; // null: the script makes each
    private final boolean wantsResponses;
    private final IntervalLog.Part log;
    private final SlowRequests slowRequests;
    private Tally measured;
    private Tally warmup; // thrown away; the same as the measured one where there is no warm-up
    private long measureNanos;
    private long endNanos;
    private final AtomicLong responses = new AtomicLong(); // written by one thread

    /**
     * @param log null: no histogram log
     * @param slowRequests null: single requests are not kept
     */
    Sender(Settings settings, LuaScript script, int pipelineDepth, IntervalLog.Part log, SlowRequests slowRequests) {
        this.settings = settings;
        this.script = script;
        this.pipelineDepth = pipelineDepth;
        staticRequest = script.isStatic() ? script.request(ByteBuffer.allocateDirect(4096)).flip() : null;
        wantsResponses = script.wantsResponses();
        this.log = log;
        this.slowRequests = slowRequests;
    }

    /**
     * Counts here from now on.
     *
     * @param measureNanos when the warm-up ends
     * @param warmup the same as {@code measured} if there is none
     * @param endNanos responses are late from here on
     */
    void count(Tally measured, Tally warmup, long measureNanos, long endNanos) {
        this.endNanos = endNanos;
        this.measured = measured;
        this.warmup = warmup;
        this.measureNanos = measureNanos;
    }

    /** The next request, ready to be written; {@code reuse} is the buffer of the connection's last one. */
    ByteBuffer nextRequest(ByteBuffer reuse) {
        if (staticRequest != null) {
            return reuse == null ? staticRequest.duplicate() : reuse.rewind();
        }
        return script.request(reuse == null ? ByteBuffer.allocateDirect(2048) : reuse.clear()).flip();
    }

    void sent(Tally tally, long requests, long lagNanos) {
        tally.sent += requests;
        tally.sendLag.record(lagNanos / 1000);
        if (log != null && tally == measured) {
            log.sent(lagNanos / 1000);
        }
    }

    void completed(Tally tally, ResponseParser parser, long intendedNanos, long sentNanos, long now, boolean lastOfBatch) {
        responses.setOpaque(responses.getPlain() + 1);
        if (now > endNanos) {
            tally.late++;
        }
        boolean recorded = lastOfBatch || !settings.counting().batchLatency();
        long responseMicros = (now - intendedNanos) / 1000;
        long serviceMicros = (now - sentNanos) / 1000;
        tally.completed(parser.status(), recorded, intendedNanos - measureNanos, responseMicros, serviceMicros);
        if (recorded && log != null && tally == measured) {
            log.completed(parser.status(), responseMicros, serviceMicros);
        }
        if (wantsResponses) {
            script.response(parser.status(), parser.headers(), parser.body());
        }
    }

    boolean tracesRequests() {
        return slowRequests != null;
    }

    /** Times as {@link SlowRequests#completed} takes them. */
    void trace(Tally tally, int port, int number, int status, long dueNanos, long freeNanos, long sentNanos, long receivedNanos) {
        if (slowRequests != null && tally == measured) {
            slowRequests.completed(port, number, status, dueNanos, freeNanos, sentNanos, receivedNanos);
        }
    }

    /** @param counted whether what happens is of the run rather than of its warm-up */
    Tally tally(boolean counted) {
        return counted ? measured : warmup;
    }

    /** When the warm-up ends. */
    long measureNanos() {
        return measureNanos;
    }

    boolean wantsResponses() {
        return wantsResponses;
    }

    long timeoutNanos() {
        return settings.span().timeoutSeconds() * 1_000_000_000;
    }

    /** Requests that a call of the script's request() makes. */
    int pipelineDepth() {
        return pipelineDepth;
    }

    /** Received so far. For any thread. */
    long responses() {
        return responses.getOpaque();
    }
}
