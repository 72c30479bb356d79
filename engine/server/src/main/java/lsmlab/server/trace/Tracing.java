// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.trace;

import java.util.function.Supplier;
import lsmlab.storage.stats.Layout;
import lsmlab.storage.stats.Stats;

/** All that is traced of a node: its last requests, what kept it from going on, and what its engine looked like. */
public record Tracing(RequestLog requests, ProcessEvents events, Frames frames) implements AutoCloseable {
    /** @param capacity requests to keep */
    public static Tracing of(int capacity, Supplier<Layout> layout, Supplier<Stats> stats) {
        return new Tracing(new RequestLog(capacity), new ProcessEvents(), new Frames(layout, stats));
    }

    public void start() {
        events.start();
        frames.start();
    }

    @Override
    public void close() {
        frames.close();
        events.close();
        requests.close();
    }
}
