// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/** CRC32C of bytes wherever they are. */
final class Checksum {
    private static final long PIECE_BYTES = 1 << 30;

    private Checksum() {}

    /** In pieces, because a buffer can't be longer than 2 GB. */
    static int of(MemorySegment bytes, long from, long length) {
        CRC32C crc = new CRC32C();
        for (long done = 0; done < length; done += PIECE_BYTES) {
            crc.update(bytes.asSlice(from + done, Math.min(PIECE_BYTES, length - done)).asByteBuffer());
        }
        return (int) crc.getValue();
    }
}
