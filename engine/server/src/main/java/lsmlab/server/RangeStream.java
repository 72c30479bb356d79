// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import lsmlab.storage.Entry;
import one.nio.net.Session;
import one.nio.net.Socket;

/**
 * The answer to a range: one record a chunk, {@code <hex length> CRLF <key> LF <value> CRLF}. It takes from the store what fits into
 * its buffer, and more when the client has read that. {@link #release} ends the scan, at its end or when the client went away.
 */
final class RangeStream extends Session.QueueItem {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final String HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/octet-stream\r\n";
    private static final MemorySegment LINE_FEED = ascii("\n");
    private static final MemorySegment LINE_BREAK = ascii("\r\n");

    private final Records records;
    private final AtomicInteger open;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final MemorySegment bytes = MemorySegment.ofArray(buffer);
    private int filled;
    private int written;

    private MemorySegment[] pieces; // what comes next, in order
    private int piece;
    private long copied; // of that piece
    private boolean ended; // the pieces are the last
    private boolean released;

    /** The records of a range and what holds them; what {@code next} returned stays until the next call. */
    interface Records extends AutoCloseable {
        /** Null at the end. */
        Entry next();

        @Override
        void close();
    }

    /** @param open counts the streams that hold a scan */
    RangeStream(Records records, boolean keepAlive, AtomicInteger open) {
        this.records = records;
        this.open = open;
        open.incrementAndGet();
        pieces = new MemorySegment[] {ascii(HEAD + (keepAlive ? "\r\n" : "Connection: close\r\n\r\n"))};
    }

    private static MemorySegment ascii(String text) {
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public int remaining() {
        return ended && piece == pieces.length && written == filled ? 0 : 1;
    }

    @Override
    public int write(Socket socket) throws IOException {
        if (written == filled) {
            fill();
        }
        int count = socket.write(buffer, written, filled - written, 0);
        written += Math.max(count, 0);
        return count;
    }

    private void fill() throws IOException {
        written = 0;
        filled = 0;
        try {
            while (filled < BUFFER_BYTES && (piece < pieces.length || nextPieces())) {
                copyPiece();
            }
        } catch (RuntimeException | Error e) { // the answer has begun: all that is left is not to end it properly
            throw new IOException("a range ended early: " + e.getMessage(), e);
        }
    }

    private boolean nextPieces() {
        if (ended) {
            return false;
        }
        Entry record = records.next();
        if (record == null) {
            ended = true;
            pieces = new MemorySegment[] {ascii("0\r\n\r\n")};
        } else {
            long length = record.key().byteSize() + LINE_FEED.byteSize() + record.value().byteSize();
            pieces = new MemorySegment[] {ascii(Long.toHexString(length) + "\r\n"), record.key(), LINE_FEED, record.value(), LINE_BREAK};
        }
        piece = 0;
        return true;
    }

    private void copyPiece() {
        MemorySegment from = pieces[piece];
        long length = Math.min(from.byteSize() - copied, BUFFER_BYTES - filled);
        MemorySegment.copy(from, copied, bytes, filled, length);
        filled += (int) length;
        copied += length;
        if (copied == from.byteSize()) {
            piece++;
            copied = 0;
        }
    }

    @Override
    public void release() {
        if (!released) {
            released = true;
            records.close();
            open.decrementAndGet();
        }
    }
}
