// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.assembled;

import java.io.IOException;
import java.util.List;

/** A file with what the memtable holds, in the order of writing, for the time after a crash. */
public interface Log extends AutoCloseable {
    /** Returns when the operating system has it: it survives the end of this process. */
    void append(KeyValue written) throws IOException;

    /** What was appended since the last {@link #clear}, also by an earlier process. Where the file ends too early or is damaged, what stands before that place. */
    List<KeyValue> replay() throws IOException;

    /** Forgets everything. The memtable is in a table now. */
    void clear() throws IOException;

    @Override
    void close() throws IOException;
}
