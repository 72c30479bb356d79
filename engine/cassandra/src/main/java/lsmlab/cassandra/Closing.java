// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra;

import java.util.ArrayDeque;
import java.util.Deque;

/** What has to be closed when the program ends, the last opened first. The program may end at any moment, also while something is opened. */
final class Closing {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private boolean closed;

    /** Returns it; closes it at once if the program is ending. */
    synchronized <T extends AutoCloseable> T add(T opened) {
        if (closed) {
            close(opened);
        } else {
            open.push(opened);
        }
        return opened;
    }

    synchronized void run() {
        closed = true;
        while (!open.isEmpty()) {
            close(open.pop());
        }
    }

    private static void close(AutoCloseable one) {
        try {
            one.close();
        } catch (Exception e) { // whatever it is, the others are closed
            System.err.println("lsm-cassandra: while ending: " + e);
        }
    }
}
