// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.session;

/** How long a client has kept a connection waiting. WHY not by the system's clock: when that is set, no client is late any more, or all are. */
final class Patience {
    private static final long NONE = 0;

    private final Limits limits;
    private volatile long begunMillis = NONE; // the unfinished request, or the refused one
    private volatile long touchedMillis = nowMillis();

    Patience(Limits limits) {
        this.limits = limits;
    }

    private static long nowMillis() {
        return System.nanoTime() / 1_000_000;
    }

    /** Something was read or written. */
    void touched() {
        touchedMillis = nowMillis();
    }

    long touchedMillis() {
        return touchedMillis;
    }

    /** A part of a request is there; later parts change nothing. */
    void requestBegins() {
        if (begunMillis == NONE) {
            begunMillis = nowMillis();
        }
    }

    void requestIsThere() {
        begunMillis = NONE;
    }

    void refusalBegins() {
        begunMillis = nowMillis();
    }

    boolean isRequestUnfinished() {
        return begunMillis != NONE;
    }

    boolean isOverWithRequest() {
        return isRequestUnfinished() && nowMillis() - begunMillis > limits.requestMillis();
    }

    boolean isOverWithRefused() {
        return nowMillis() - touchedMillis > Limits.LINGER_MILLIS || nowMillis() - begunMillis > limits.requestMillis();
    }

    boolean isOverWithIdle() {
        return nowMillis() - touchedMillis > limits.idleMillis();
    }
}
