// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.session;

import lsmlab.server.trace.RequestTrace;
import lsmlab.server.trace.RequestTrace.Stage;
import lsmlab.server.wire.Request;
import lsmlab.server.workers.Work;
import lsmlab.server.workers.Workers;

/** A request on its way from its connection to its answer. Each connection has one and reuses it, like the request. */
public final class Handling extends Work {
    private static final RequestEvent ANY_REQUEST = new RequestEvent();

    public final Request request;
    public final LsmSession session;
    private final SessionOwner owner;

    public Route route; // null: an unknown path
    private long beganNanos; // when it was read completely
    private long endedNanos;
    private RequestEvent event; // null unless it is recorded

    Handling(Request request, LsmSession session, SessionOwner owner) {
        this.request = request;
        this.session = session;
        this.owner = owner;
    }

    /** The request was read completely. */
    public void begin() {
        if (ANY_REQUEST.isEnabled()) {
            event = new RequestEvent();
            event.begin();
        }
        route = Route.of(request);
        beganNanos = System.nanoTime();
        RequestTrace.passed(session.trace(), Stage.WHOLE, beganNanos);
    }

    /** Carries it out, on a thread of the {@link Workers}. */
    @Override
    public void run() {
        RequestTrace.taken(session.trace());
        try {
            owner.process(this);
        } catch (RuntimeException | Error e) {
            session.giveUp(e);
        }
    }

    /** From when the request was there until it was answered. */
    public long nanos() {
        return endedNanos - beganNanos;
    }

    /** When it was answered, by System.nanoTime. */
    long endedNanos() {
        return endedNanos;
    }

    /** The request is answered. */
    void end(int status) {
        endedNanos = System.nanoTime();
        if (event != null) {
            event.end();
            if (event.shouldCommit()) {
                event.method = request.method.name();
                event.path = request.path();
                event.status = status;
                event.commit();
            }
            event = null;
        }
    }
}
