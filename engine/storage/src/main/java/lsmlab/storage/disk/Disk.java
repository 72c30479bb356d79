// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.disk;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import lsmlab.storage.system.Threads;

/**
 * The interface to the disk. All durable data go through it, and tests replace it. Files have names in one folder; bytes are durable after
 * {@link Output#sync}, names after {@link #syncNames}.
 */
public interface Disk extends Closeable {
    /** A new file; an existing one is an error. */
    Output create(String name) throws IOException;

    /** The same for a file that is written once and then read for long; what is written may reach it as late as at {@link Output#sync}. */
    default Output createLasting(String name) throws IOException {
        return create(name);
    }

    /** The same for a file that is written in many small pieces and never synced; if it is not closed, zeros may follow what was written. */
    Output createLog(String name) throws IOException;

    /** The whole of a file, read-only, for as long as the arena lives; a file may be deleted meanwhile. One that is missing, or no file, is named. */
    MemorySegment map(String name, Arena arena) throws IOException;

    /** The same without the zeros at its end. WHY: space that was reserved may have no blocks on the disk, and a look at it would allocate them. */
    Used mapUsed(String name, Arena arena) throws IOException;

    /** @param length zeros included */
    record Used(MemorySegment bytes, long length) {}

    Set<String> list() throws IOException;

    /** A file's length in bytes; -1 if there is none. */
    long length(String name);

    /** Bytes for which there is room; 0 if that is not known. */
    long usableBytes();

    /** Names that no file can have, because folders do. */
    Set<String> folders() throws IOException;

    /** Gives a file another name in one step, in the place of a file that has it already. */
    void rename(String from, String to) throws IOException;

    /**
     * The same as part of a {@link Threads.Step}.
     *
     * @param again it may have been done already
     */
    default void rename(String from, String to, boolean again) throws IOException {
        if (!again || length(from) >= 0) {
            rename(from, to);
        }
    }

    /** Cuts a file off behind its first {@code length} bytes, durably. */
    void truncate(String name, long length) throws IOException;

    void deleteIfExists(String name) throws IOException;

    void syncNames() throws IOException;

    /** Makes the bytes of a file that is there durable. */
    void sync(String name) throws IOException;

    /** The file as messages name it. */
    String path(String name);

    /** A file being written, front to back. */
    interface Output extends Closeable {
        void write(byte[] bytes, int from, int length) throws IOException;

        void sync() throws IOException;

        /** Forgets what was written behind the first {@code length} bytes, if that is possible. */
        void rollBack(long length) throws IOException;
    }
}
