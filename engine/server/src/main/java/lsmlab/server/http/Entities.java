// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.http;

import java.lang.foreign.MemorySegment;
import lsmlab.server.session.Exchange;
import lsmlab.server.wire.Refused;
import lsmlab.server.wire.Request;

/** Answers {@code /v0/entity} and {@code /v0/entities}: of this node alone, or with others. */
public interface Entities {
    /** Answers now, or later from another thread; throws only before it has answered. */
    void entity(Request request, Exchange exchange);

    /** The records with {@code from <= key < to} of this node; {@code to} may be null. */
    RangeStream.Records range(MemorySegment from, MemorySegment to);

    static Refused wrongMethod(String allowed) {
        return new Refused(405, "the methods allowed here: " + allowed, "Allow: " + allowed);
    }
}
