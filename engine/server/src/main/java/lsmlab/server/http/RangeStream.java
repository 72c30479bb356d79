// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.http;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import lsmlab.server.session.LsmSession;
import lsmlab.server.wire.HttpDate;
import one.nio.net.Session;
import one.nio.net.Socket;

/**
 * The answer to a range: one record a chunk, {@code <hex length> CRLF <key> LF <value> CRLF}. It fills its buffer
 * from the store, and again when the client has read that. {@link #release} ends the scan: at its end, when the client has gone, or when there
 * are too many ranges.
 */
public final class RangeStream extends Session.QueueItem {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final String HEAD = "\r\nTransfer-Encoding: chunked\r\nContent-Type: application/octet-stream\r\n";
    private static final MemorySegment LINE_FEED = ascii("\n");
    private static final MemorySegment LINE_BREAK = ascii("\r\n");

    private final Records records;
    private final LsmSession session;
    private final OpenRanges ranges;
    private final long beganNanos = System.nanoTime();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final MemorySegment bytes = MemorySegment.ofArray(buffer);
    private int filled;
    private int written;

    private MemorySegment[] pieces; // what comes next, in order
    private int piece;
    private long copied; // of that piece
    private boolean ended; // the pieces are the last
    private Throwable failure; // what is in the buffer is sent before the answer ends because of it
    private boolean released;

    /** The records of a range, one after the other, and what holds them. */
    public interface Records extends AutoCloseable {
        /** Goes to the next record, or the first; false at the end. */
        boolean next();

        /** Stays until the next call of {@code next}, as does the value. */
        MemorySegment key();

        MemorySegment value();

        @Override
        void close();
    }

    /**
     * @param session that it is the answer of
     * @param ranges learns when it no longer holds a scan
     */
    RangeStream(Records records, boolean keepAlive, LsmSession session, OpenRanges ranges) {
        this.records = records;
        this.session = session;
        this.ranges = ranges;
        pieces = new MemorySegment[] {ascii("HTTP/1.1 200 OK"), MemorySegment.ofArray(HttpDate.line()),
            ascii(HEAD + (keepAlive ? "\r\n" : "Connection: close\r\n\r\n"))};
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
            refill();
        }
        int count = socket.write(buffer, written, filled - written, 0);
        written += Math.max(count, 0);
        return count;
    }

    /** The first time, before anything is sent: what can't be read yet is answered as an error. */
    void fill() {
        while (filled < BUFFER_BYTES && (piece < pieces.length || nextPieces())) {
            copyPiece();
        }
    }

    /** After a failure all that is left is not to end the answer properly. */
    private void refill() throws IOException {
        written = 0;
        filled = 0;
        if (released) {
            throw new IOException("a range was ended"); // its records seem to be at their end, and are not
        }
        if (failure == null) {
            try {
                fill();
            } catch (RuntimeException | Error e) {
                failure = e;
                ranges.failed(e);
            }
        }
        if (filled == 0 && failure != null) {
            throw new IOException("a range ended early: " + failure.getMessage(), failure);
        }
    }

    private boolean nextPieces() {
        if (ended) {
            return false;
        }
        if (records.next()) {
            MemorySegment key = records.key();
            MemorySegment value = records.value();
            long length = key.byteSize() + LINE_FEED.byteSize() + value.byteSize();
            pieces = new MemorySegment[] {ascii(Long.toHexString(length) + "\r\n"), key, LINE_FEED, value, LINE_BREAK};
        } else {
            pieces = new MemorySegment[] {ascii("0\r\n\r\n")};
            ended = true; // last: without memory for the end there is none
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
            try {
                records.close();
            } finally {
                ranges.closed(this);
            }
        }
    }

    /** Address and port of the client. */
    String client() {
        InetSocketAddress address = session.socket().getRemoteAddress();
        return address == null ? "gone" : address.getHostString() + ":" + address.getPort();
    }

    long beganNanos() {
        return beganNanos;
    }

    /** Ends it from outside. The connection ends without the last chunk, so no client takes what it got for the whole. */
    void end() {
        Thread.startVirtualThread(() -> { // WHY not here: it takes the lock of that session, and this thread may hold that of another
            synchronized (session) {
                if (!released) {
                    session.close();
                }
            }
        });
    }
}
