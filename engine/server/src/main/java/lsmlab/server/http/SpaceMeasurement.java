// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.http;

import java.util.concurrent.atomic.AtomicBoolean;

/** Reads the whole store, in a thread of its own, so that no other request waits for it. One at a time. */
final class SpaceMeasurement {
    private final AtomicBoolean underWay = new AtomicBoolean();

    /**
     * Returns whether it was begun; if not, another one is under way.
     *
     * @param measure calls {@link #ended} as soon as it has read the store
     */
    boolean begin(Runnable measure) {
        if (!underWay.compareAndSet(false, true)) {
            return false;
        }
        Runnable whole = () -> {
            try {
                measure.run();
            } finally {
                ended(); // or it was without memory before it could say so
            }
        };
        try {
            Thread.ofPlatform().daemon().name("space").start(whole);
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
