// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** Stores that are measured take gigabytes: none of them outlives the benchmark, however that ends. */
final class Leftovers {
    private static final int TRIES = 20;
    private static volatile boolean beingRemoved;

    private Leftovers() {}

    /** Whether the benchmark is ending. It kills its stores and servers then, so errors are expected. */
    static boolean areBeingRemoved() {
        return beingRemoved;
    }

    /** Removes what an earlier benchmark left that was killed, and sees to it that this one leaves nothing. */
    static void keepOut(Path folder) {
        remove(folder);
        MemoryLimit.removeAll();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            beingRemoved = true;
            List<ProcessHandle> stores = ProcessHandle.current().descendants().toList();
            stores.forEach(ProcessHandle::destroyForcibly);
            stores.forEach(store -> store.onExit().join());
            remove(folder);
            MemoryLimit.removeAll();
        }, "remove-stores"));
    }

    /** In a process of the benchmark: when that was killed, this one ends, and its store goes. */
    static void endWithParent(Path folder) {
        ProcessHandle.current().parent().ifPresent(parent -> parent.onExit().thenRun(() -> {
            remove(folder);
            Runtime.getRuntime().halt(1);
        }));
    }

    /** Again while something still writes there. */
    private static void remove(Path folder) {
        for (int i = 0; i < TRIES; i++) {
            try {
                Child.delete(folder);
                return;
            } catch (IOException | UncheckedIOException e) {
                Thread.onSpinWait(); // a process that is ending has just made another file
            }
        }
    }
}
