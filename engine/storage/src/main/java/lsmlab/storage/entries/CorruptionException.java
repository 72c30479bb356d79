// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.entries;

import java.io.IOException;

/** A file of the store holds bytes that the engine did not write. The message names the file and the offset. */
public final class CorruptionException extends IOException {
    public CorruptionException(String file, long offset, String what) {
        super("%s %s (at byte %d)".formatted(file, what, offset));
    }
}
