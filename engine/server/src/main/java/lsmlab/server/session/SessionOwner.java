// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.session;

import lsmlab.server.trace.RequestLog;
import lsmlab.server.wire.MemoryBudget;
import lsmlab.server.wire.Request;

/** The server, as its connections see it. */
public interface SessionOwner {
    /** Sees to it that the request is answered. */
    void handle(Handling handling);

    /** Carries the request out, on a thread that may wait, if there are such. */
    void process(Handling handling);

    /** Called for a request that has a body: only other nodes' bodies may hold a reserved place while they arrive. */
    void checkReserved(Request request);

    void countAnswer(int status);

    void countAnswer(Handling handling, int status);

    Limits limits();

    MemoryBudget memory();

    /** Whether requests are for the selectors' threads only. */
    boolean isSync();

    boolean isStopping();

    /** Where requests are traced; null: nowhere. */
    RequestLog requests();
}
