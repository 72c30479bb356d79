// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.http;

import java.util.concurrent.atomic.AtomicBoolean;

/** A kind of request that takes long, like reading the whole store: it has a thread of its own, so that no other request waits for it. One at a time. */
final class LongTask {
    private final String name;
    private final AtomicBoolean underWay = new AtomicBoolean();

    /** @param name of its thread */
    LongTask(String name) {
        this.name = name;
    }

    /**
     * Returns whether it was begun; if not, another one is under way.
     *
     * @param task may call {@link #ended} before it returns, so that the next one can begin
     */
    boolean begin(Runnable task) {
        if (!underWay.compareAndSet(false, true)) {
            return false;
        }
        Runnable whole = () -> {
            try {
                task.run();
            } finally {
                ended(); // or it was without memory before it could say so
            }
        };
        try {
            Thread.ofPlatform().daemon().name(name).start(whole);
            return true;
        } catch (RuntimeException | Error e) {
            underWay.set(false);
            throw e;
        }
    }

    void ended() {
        underWay.set(false);
    }

    boolean isUnderWay() {
        return underWay.get();
    }
}
