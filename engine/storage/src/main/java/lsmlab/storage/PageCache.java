// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import lsmlab.storage.system.CLibrary;

/** The system's page cache. It answers most reads of a store that was just written, so a cold read needs it emptied first. */
public final class PageCache {
    private static final int READ_ONLY = 0;
    private static final int DONT_NEED = 4; // POSIX_FADV_DONTNEED of Linux

    private PageCache() {}

    /**
     * Drops the pages of a store's files, which needs no rights but to read them. Only of a store that is closed: mapped pages stay.
     *
     * @return false where the system knows no such thing: it has to be Linux
     */
    public static boolean drop(Path directory) throws IOException {
        boolean areDropped = CLibrary.IS_LINUX;
        try (var files = Files.newDirectoryStream(directory, "*.table")) {
            for (Path file : files) {
                areDropped &= dropFile(file);
            }
        }
        return areDropped;
    }

    /** Drops the pages of one file, except those that are not on the disk yet. REQUIRES: the file is not mapped. */
    public static boolean dropFile(Path file) throws IOException {
        if (!CLibrary.IS_LINUX) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            int descriptor = (int) OPEN.invokeExact(arena.allocateFrom(file.toString()), READ_ONLY);
            if (descriptor < 0) {
                throw new IOException(file + " can't be opened");
            }
            int error = (int) FADVISE.invokeExact(descriptor, 0L, 0L, DONT_NEED);
            int closed = (int) CLOSE.invokeExact(descriptor);
            if (error != 0 || closed != 0) {
                throw new IOException("the pages of %s can't be dropped, error %d".formatted(file, error));
            }
            return true;
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a call into the C library threw " + e, e);
        }
    }

    private static final MethodHandle OPEN = CLibrary.function("open", FunctionDescriptor.of(JAVA_INT, ValueLayout.ADDRESS, JAVA_INT),
            Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE = CLibrary.function("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle FADVISE =
            CLibrary.function("posix_fadvise", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
}
