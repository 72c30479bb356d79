// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.trace;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** How long one thread has waited for a processor, as Linux counts it. */
final class ProcessorWait implements AutoCloseable {
    private final RandomAccessFile file; // "RAN WAITED SLICES", in nanoseconds
    private final byte[] text = new byte[64];
    private long before;

    /** @param task the thread's folder below /proc */
    ProcessorWait(Path task) throws IOException {
        file = new RandomAccessFile(task.resolve("schedstat").toFile(), "r");
        sinceLast();
    }

    /** Nanoseconds since the last call; 0 for a thread that has ended. */
    long sinceLast() {
        try {
            file.seek(0);
            int length = file.read(text);
            int at = 0;
            while (at < length && text[at] != ' ') {
                at++;
            }
            long waited = 0;
            for (at++; at < length && text[at] != ' '; at++) {
                waited = 10 * waited + text[at] - '0';
            }
            long since = waited - before;
            before = waited;
            return since;
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            // it was only read
        }
    }
}
