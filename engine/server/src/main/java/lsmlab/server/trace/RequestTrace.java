// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.trace;

import java.util.Arrays;
import lsmlab.storage.stats.WriteTrace;

/**
 * When a request passed its stages, by {@link System#nanoTime}. Each connection has one and uses it again for its next request. It belongs to the thread
 * that has the request, and goes with it to the next one. A method whose trace is null does nothing.
 */
public final class RequestTrace {
    /** In the order in which a request passes them. */
    public enum Stage {
        /** All of it was read. */
        WHOLE,
        /** A worker took it out of the queue; only where there is one. */
        TAKEN,
        /** The handler asks the store for a value or a range; a write has steps of its own. */
        STORE,
        /** The store has answered, of a range with its first records; of a write only in a cluster, since a single node's answer is there at once. */
        STORED,
        /** Other nodes are asked. */
        ASKED,
        /** Enough replicas have answered, or too many have failed. */
        REPLIED,
        /** The answer is there, for the socket. */
        ANSWERED,
        /** The socket took the last byte. */
        WRITTEN
    }

    static final Stage[] STAGES = Stage.values();
    static final long NOT_PASSED = Long.MIN_VALUE;
    private static final int NO_NODE = -1;

    final WriteTrace write = new WriteTrace();
    final int clientPort;
    final int[] entry = new int[RequestLog.ENTRY_INTS]; // for the log alone
    private final RequestLog log;
    private final long[] nanos = new long[STAGES.length];
    private boolean isAnswered;
    private int selector;
    private int handler;
    private int node = NO_NODE;
    private int requests;
    private int method;
    private int status;
    private long readableNanos;

    RequestTrace(int clientPort, RequestLog log) {
        this.clientPort = clientPort;
        this.log = log;
        Arrays.fill(nanos, NOT_PASSED);
    }

    /** Called by the selector's thread when there is something to read: of a new request, or more of one that has begun. */
    public static void readable(RequestTrace trace, boolean isNew) {
        if (trace != null && isNew) {
            trace.readableNanos = System.nanoTime();
            trace.selector = (int) Thread.currentThread().threadId();
            trace.handler = trace.selector;
        }
    }

    /** It passes a stage now. */
    public static void passed(RequestTrace trace, Stage stage) {
        if (trace != null) {
            trace.nanos[stage.ordinal()] = System.nanoTime();
        }
    }

    /** It passed a stage at that time. */
    public static void passed(RequestTrace trace, Stage stage, long nanos) {
        if (trace != null) {
            trace.nanos[stage.ordinal()] = nanos;
        }
    }

    /** This thread handles it from now on, the selector's or another. */
    public static void taken(RequestTrace trace) {
        if (trace != null && (int) Thread.currentThread().threadId() != trace.selector) {
            passed(trace, Stage.TAKEN);
            trace.handler = (int) Thread.currentThread().threadId();
        }
    }

    /** For the request's write; null without a trace. */
    public static WriteTrace ofWrite(RequestTrace trace) {
        return trace == null ? null : trace.write;
    }

    /** The replicas' answer was complete with that of this node. */
    public static void replied(RequestTrace trace, int node) {
        if (trace != null) {
            passed(trace, Stage.REPLIED);
            trace.node = node;
        }
    }

    /** Its answer is there since that time, and handed to the socket now. */
    public static void answers(RequestTrace trace, int method, int status, long nanos) {
        if (trace != null) {
            passed(trace, Stage.ANSWERED, nanos);
            trace.method = method;
            trace.status = status;
            trace.isAnswered = true;
        }
    }

    /** The socket took some of the answer, or all of it: then what is known of the request goes to the log, and the next one begins. */
    public static void written(RequestTrace trace, boolean all) {
        if (trace != null && trace.isAnswered && all) {
            trace.ends();
        }
    }

    private void ends() {
        passed(this, Stage.WRITTEN);
        log.add(this);
        isAnswered = false;
        readableNanos = nanos(Stage.WRITTEN); // of the next one, if it was read together with this one
        handler = selector;
        Arrays.fill(nanos, NOT_PASSED);
        write.clear();
        node = NO_NODE;
        requests++;
    }

    /** Number of the request on its connection, from 0. */
    int number() {
        return requests;
    }

    int selector() {
        return selector;
    }

    int handler() {
        return handler;
    }

    /** The node that answered last; -1 if none was asked. */
    int node() {
        return node;
    }

    int method() {
        return method;
    }

    int status() {
        return status;
    }

    long readableNanos() {
        return readableNanos;
    }

    /** {@link #NOT_PASSED} if it did not come through there. */
    long nanos(Stage stage) {
        return nanos[stage.ordinal()];
    }
}
