// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;
import lsmlab.storage.stats.Layout;
import lsmlab.storage.stats.Stats;

/** All that is traced of a node: its last requests, what kept it from going on, and what its engine looked like. */
public record Tracing(RequestLog requests, ProcessEvents events, Frames frames) implements AutoCloseable {
    /**
     * @param capacity requests to keep
     * @param frames a file for frames as they are taken; null: none
     */
    public static Tracing of(int capacity, Path frames, Supplier<Layout> layout, Supplier<Stats> stats) throws IOException {
        RequestLog requests = new RequestLog(capacity);
        return new Tracing(requests, new ProcessEvents(), new Frames(layout, stats, frames == null ? null : new FrameFile(frames, requests)));
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
