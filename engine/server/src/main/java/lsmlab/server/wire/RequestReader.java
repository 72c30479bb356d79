// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the requests in the bytes of one connection (RFC 9112), chunked bodies included. It takes bytes as they arrive and
 * keeps the parts of an unfinished request, except an unfinished line: the caller passes that again, with more. A request that two readers
 * could understand in two ways is {@link Refused}; after that nothing more may be read from the connection.
 *
 * <p>Nothing is allocated for a request whose parts fit into the buffers of the requests before.
 */
public final class RequestReader {
    /** The longest request line, header or line of a chunked body. An id may take most of it. */
    public static final int MAX_LINE_BYTES = 32 << 10;
    public static final int UNKNOWN = RequestHead.UNKNOWN;

    private static final Pattern LENGTH = Pattern.compile("(?im)^content-length:\\s*(\\d{1,15})\\s*$");
    private static final String END_OF_HEAD = "\r\n\r\n";
    private static final Pattern CHUNKED = Pattern.compile("(?im)^transfer-encoding:");

    private enum At { REQUEST_LINE, HEADERS, BODY, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILERS }

    private final Request request;
    private final RequestHead head;
    private final RequestBody body;

    private At at = At.REQUEST_LINE;
    private int position;

    public RequestReader(Request request, int maxBodyBytes) {
        this.request = request;
        head = new RequestHead(request);
        body = new RequestBody(request, maxBodyBytes);
    }

    /** Reads on from {@code buffer[from, to)}; returns whether the request is complete. {@link #position} says how far it came. */
    public boolean read(byte[] buffer, int from, int to) {
        position = from;
        while (true) {
            if (at == At.BODY || at == At.CHUNK) {
                position += body.take(buffer, position, to);
                if (body.left() > 0) {
                    return false;
                }
                if (at == At.BODY) {
                    return done();
                }
                at = At.CHUNK_END;
            }
            int start = position;
            int end = endOfLine(buffer, start, to);
            if (end < 0) {
                return false;
            }
            if (line(buffer, start, end)) {
                return done();
            }
        }
    }

    /** Where in the buffer the next byte to be read is. */
    public int position() {
        return position;
    }

    /** Whether the head of an unfinished request is read. */
    public boolean isPastHead() {
        return at != At.REQUEST_LINE && at != At.HEADERS;
    }

    /** Whether a part of a request was taken, so that the rest should come soon. */
    public boolean isInside() {
        return at != At.REQUEST_LINE;
    }

    /** Whether the client waits for {@code 100 Continue} before it sends the body; true once a request. */
    public boolean mustSayContinue() {
        return isPastHead() && head.takeExpectation() && request.bodyLength() == 0;
    }

    /**
     * The bytes of a refused request that are still to come, {@link #UNKNOWN} where that is not known. The rest of a
     * refused head is searched for what it says of a body.
     */
    public long announced(byte[] buffer, int to) {
        if (isPastHead()) {
            return head.isChunked() ? UNKNOWN : body.left();
        }
        String rest = "\r\n" + new String(buffer, position, to - position, StandardCharsets.ISO_8859_1); // a line has just ended
        long length = at == At.HEADERS ? head.contentLength() : UNKNOWN;
        Matcher stated = LENGTH.matcher(rest);
        if (length == UNKNOWN && stated.find()) {
            length = Long.parseLong(stated.group(1));
        }
        int headEnd = rest.indexOf(END_OF_HEAD);
        boolean isChunked = at == At.HEADERS && head.isChunked() || CHUNKED.matcher(rest).find();
        if (isChunked || headEnd < 0) {
            return UNKNOWN;
        }
        return Math.max(length, 0) + headEnd + END_OF_HEAD.length() - 2;
    }

    private boolean done() {
        at = At.REQUEST_LINE;
        return true;
    }

    /** The end of the line without its line break; the position is then behind that. -1 if it has not arrived completely. */
    private int endOfLine(byte[] buffer, int start, int to) {
        for (int i = start; i < to; i++) {
            byte b = buffer[i];
            if (b >= 0 && b < ' ' && b != '\t') {
                if (b == '\n') {
                    position = i + 1;
                    return i;
                }
                if (b != '\r') {
                    throw Refused.badRequest("a control character in the head of the request");
                }
                if (i + 1 < to && buffer[i + 1] != '\n') {
                    throw Refused.badRequest("a carriage return without a line feed");
                }
                if (i + 1 < to) {
                    position = i + 2;
                    return i;
                }
            }
            if (i - start > MAX_LINE_BYTES) {
                throw new Refused(at == At.REQUEST_LINE ? 414 : 431, "a line of the request is longer than " + MAX_LINE_BYTES + " bytes");
            }
        }
        return -1;
    }

    /** Returns whether the request ends with this line. */
    private boolean line(byte[] buffer, int start, int end) {
        switch (at) {
            case REQUEST_LINE -> {
                if (end > start) { // blank lines before a request are to be ignored
                    head.requestLine(buffer, start, end);
                    at = At.HEADERS;
                }
            }
            case HEADERS -> {
                if (end > start) {
                    head.header(buffer, start, end);
                } else {
                    return endOfHead();
                }
            }
            case CHUNK_SIZE -> {
                checkLineBreak(end);
                at = body.beginChunk(buffer, start, end) ? At.CHUNK : At.TRAILERS;
            }
            case CHUNK_END -> {
                checkLineBreak(end);
                if (end > start) {
                    throw Refused.badRequest("a chunk is longer than its size");
                }
                at = At.CHUNK_SIZE;
            }
            case TRAILERS -> {
                checkLineBreak(end);
                if (end == start) {
                    return true;
                }
                head.countHeader();
            }
            default -> throw new IllegalStateException(at.name());
        }
        return false;
    }

    /** In a chunked body, a line feed alone is where readers disagree. */
    private void checkLineBreak(int end) {
        if (position - end != 2) {
            throw Refused.badRequest("a line of a chunked body without a carriage return");
        }
    }

    /** Returns whether the request has no body. */
    private boolean endOfHead() {
        at = head.isChunked() ? At.CHUNK_SIZE : At.BODY; // first: how much of what is refused follows depends on it
        body.begin(head.isChunked(), Math.max(head.contentLength(), 0));
        head.check();
        body.checkLength();
        return at == At.BODY && body.left() == 0;
    }
}
