// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.format;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * CRC32C of a segment, mapped or not. WHY through a copy: when mapped memory can't be read, because its file was cut or its disk fails, a
 * copy throws an InternalError, while the JVM's own CRC code crashes the process.
 */
public final class Checksum {
    private static final int PIECE_BYTES = 8 << 10;

    private Checksum() {}

    public static int of(MemorySegment bytes, long from, long length) {
        CRC32C sum = new CRC32C();
        byte[] piece = new byte[(int) Math.min(PIECE_BYTES, length)];
        MemorySegment copy = MemorySegment.ofArray(piece);
        for (long done = 0; done < length; done += piece.length) {
            int count = (int) Math.min(piece.length, length - done);
            MemorySegment.copy(bytes, from + done, copy, 0, count);
            sum.update(piece, 0, count);
        }
        return (int) sum.getValue();
    }
}
