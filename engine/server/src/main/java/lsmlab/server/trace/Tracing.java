// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.trace;

/** All that is traced of a node: its last requests, and what kept it from going on. */
public record Tracing(RequestLog requests, ProcessEvents events) implements AutoCloseable {
    /** @param capacity requests to keep */
    public static Tracing of(int capacity) {
        return new Tracing(new RequestLog(capacity), new ProcessEvents());
    }

    @Override
    public void close() {
        events.close();
        requests.close();
    }
}
