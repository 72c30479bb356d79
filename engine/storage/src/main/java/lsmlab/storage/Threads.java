// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** Waiting that an interrupt does not cut short: what the threads work on is about to be closed. */
final class Threads {
    private Threads() {}

    static void awaitEnd(ExecutorService threads) {
        boolean interrupted = false;
        while (true) {
            try {
                if (threads.awaitTermination(1, TimeUnit.DAYS)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
