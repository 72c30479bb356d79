// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.lang.foreign.MemorySegment;

/** Answers {@code /v0/entity} and {@code /v0/entities}: of this node alone, or with others. */
interface Entities {
    /** Answers now, or later from another thread; throws only before it has answered. */
    void entity(Request request, Exchange exchange);

    /** The records with {@code from <= key < to} of this node; {@code to} may be null. */
    RangeStream.Records range(MemorySegment from, MemorySegment to);

    static Refused wrongMethod(String allowed) {
        return new Refused(405, "the methods allowed here: " + allowed, "Allow: " + allowed);
    }
}
