// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import lsmlab.storage.entries.CorruptionException;
import lsmlab.storage.system.CLibrary;

/** Classifies failures: which may pass by themselves, and which are damage. */
public final class Faults {
    /** Of errno: no room, no room for this user, no descriptors for the process or for all, no memory. */
    private static final int[] PASSING_NUMBERS = {28, CLibrary.IS_LINUX ? 122 : 69, 24, 23, 12};
    /** What the system says of these: exceptions have no numbers, and the words are those of the user's language. */
    private static final List<String> PASSING = Stream.concat(
            Stream.of("no space left", "disk quota exceeded", "too many open files", "cannot allocate memory", "map failed"),
            Arrays.stream(PASSING_NUMBERS).mapToObj(CLibrary::message)).filter(message -> !message.isEmpty()).toList();

    private Faults() {}

    /**
     * Whether the same may succeed later, because nothing was handed to the disk that it then lost: there was no room, no descriptor, no
     * memory. A disk that fails otherwise can't be trusted with what it has taken before.
     */
    public static boolean mayPass(Throwable failure) {
        // WHY no switch over types: its first execution allocates, and there may be no memory.
        if (failure instanceof OutOfMemoryError) {
            return true;
        }
        if (failure instanceof UncheckedIOException e) {
            return mayPass(e.getCause());
        }
        return failure instanceof IOException e && !(e instanceof CorruptionException || e instanceof DiskFailure)
                && (e.getCause() instanceof OutOfMemoryError || isPassing(e));
    }

    /** Allocates nothing: memory may be what is missing next. */
    private static boolean isPassing(IOException e) {
        if (e instanceof FileAlreadyExistsException || e instanceof DirectoryNotEmptyException) {
            return true; // something of that name is in the way, until it is moved
        }
        String message = e instanceof FileSystemException named ? named.getReason() : e.getMessage();
        for (int i = 0; message != null && i < PASSING.size(); i++) {
            if (contains(message, PASSING.get(i))) {
                return true;
            }
        }
        return false;
    }

    private static boolean contains(String message, String words) {
        for (int at = 0; at + words.length() <= message.length(); at++) {
            if (message.regionMatches(true, at, words, 0, words.length())) {
                return true;
            }
        }
        return false;
    }

    /** In the place of the JVM's error: mapped memory of the file could not be read, because it was cut or its disk failed. */
    public static CorruptionException reading(String file, InternalError e) {
        CorruptionException damage = new CorruptionException(file, 0, "can't be read: it was cut, or its disk fails");
        damage.initCause(e);
        return damage;
    }
}
