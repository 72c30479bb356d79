// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;

/**
 * Finds the replies of another node in the bytes of one connection, like {@link RequestReader}: it takes bytes as they arrive and keeps the parts of an unfinished reply, except an
 * unfinished line, which the caller passes again, with more. It understands what these servers send, where each reply has a Content-Length; anything else ends the connection.
 */
public final class ReplyReader {
    private static final byte[] HTTP_1_1 = ascii("HTTP/1.1 ");
    private static final int STATUS_DIGITS = 3;
    private static final byte[] CONTENT_LENGTH = ascii("content-length");
    private static final byte[] VERSION = ascii(Answer.VERSION_HEADER);
    private static final byte[] CONNECTION = ascii("connection");
    private static final long UNKNOWN = -1;

    private enum At { STATUS_LINE, HEADERS, BODY }

    private At at = At.STATUS_LINE;
    private int position;
    private int status;
    private long version;
    private boolean isLast;
    private long contentLength;
    private byte[] body;
    private int filled;

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Reads on from {@code buffer[from, to)}; returns whether a reply is complete. {@link #position} says how far it came. */
    public boolean read(byte[] buffer, int from, int to) throws ProtocolException {
        position = from;
        while (at != At.BODY) {
            int end = position;
            while (end < to && buffer[end] != '\n') {
                end++;
            }
            if (end == to) {
                return false;
            }
            int start = position;
            position = end + 1;
            line(buffer, start, end > start && buffer[end - 1] == '\r' ? end - 1 : end);
        }
        int taken = Math.min(body.length - filled, to - position);
        System.arraycopy(buffer, position, body, filled, taken);
        filled += taken;
        position += taken;
        if (filled < body.length) {
            return false;
        }
        at = At.STATUS_LINE;
        return true;
    }

    private void line(byte[] buffer, int start, int end) throws ProtocolException {
        if (at == At.STATUS_LINE) {
            statusLine(buffer, start, end);
            at = At.HEADERS;
        } else if (end > start) {
            header(buffer, start, end);
        } else if (contentLength == UNKNOWN || contentLength > Integer.MAX_VALUE) {
            throw new ProtocolException("a reply without a length, or with one that is too large");
        } else {
            body = new byte[(int) contentLength];
            filled = 0;
            at = At.BODY;
        }
    }

    private void statusLine(byte[] buffer, int start, int end) throws ProtocolException {
        int digits = start + HTTP_1_1.length;
        if (digits + STATUS_DIGITS > end || !HttpGrammar.isNamed(buffer, start, digits, HTTP_1_1)) {
            throw new ProtocolException("a reply that does not begin with HTTP/1.1");
        }
        status = (int) Digits.number(buffer, digits, digits + STATUS_DIGITS);
        version = 0;
        isLast = false;
        contentLength = UNKNOWN;
    }

    private void header(byte[] buffer, int start, int end) throws ProtocolException {
        int colon = HttpGrammar.tokenEnd(buffer, start, end);
        if (colon == end || buffer[colon] != ':') {
            throw new ProtocolException("a header without a colon");
        }
        if (HttpGrammar.isNamed(buffer, start, colon, CONTENT_LENGTH)) {
            contentLength = number(buffer, colon + 1, end);
        } else if (HttpGrammar.isNamed(buffer, start, colon, VERSION)) {
            version = number(buffer, colon + 1, end);
        } else if (HttpGrammar.isNamed(buffer, start, colon, CONNECTION)) {
            isLast |= new String(buffer, colon + 1, end - colon - 1, StandardCharsets.ISO_8859_1).strip().equalsIgnoreCase("close");
        }
    }

    private static long number(byte[] buffer, int from, int to) throws ProtocolException {
        long number = Digits.number(buffer, from, to);
        if (number < 0) {
            throw new ProtocolException("a header that should be a number");
        }
        return number;
    }

    /** Where in the buffer the next byte to be read is. */
    public int position() {
        return position;
    }

    /** Of the reply that is complete, like what follows. */
    public int status() {
        return status;
    }

    /** 0 where there is none. */
    public long version() {
        return version;
    }

    /** Once: it is not kept for longer. */
    public byte[] body() {
        byte[] taken = body;
        body = null;
        return taken;
    }

    /** Whether the other node ends the connection after it. */
    public boolean isLast() {
        return isLast;
    }
}
