// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import lsmlab.server.Request.Method;

/**
 * Finds the requests in the bytes of one connection (RFC 9112), chunked bodies included. It takes bytes as they arrive and
 * keeps the parts of an unfinished request, except an unfinished line: the caller passes that again, with more. A request that two readers
 * could understand in two ways is {@link Refused}; after that nothing more may be read from the connection.
 *
 * <p>Nothing is allocated for a request whose parts fit into the buffers of the requests before.
 */
final class RequestReader {
    /** The longest request line, header or line of a chunked body. An id may take most of it. */
    static final int MAX_LINE_BYTES = 32 << 10;
    static final int MAX_HEADERS = 128;
    static final int UNKNOWN = -1;
    private static final int NUMBER_DIGITS = 19; // what overflows is negative, and refused
    private static final int CHUNK_SIZE_DIGITS = 15;

    private static final Method[] METHODS = {Method.GET, Method.PUT, Method.DELETE, Method.HEAD};
    private static final byte[] SCHEME = ascii("http://");
    private static final byte[] HTTP_1 = ascii("HTTP/1.");
    private static final byte[] HOST = ascii("host");
    private static final byte[] CONTENT_LENGTH = ascii("content-length");
    private static final byte[] TRANSFER_ENCODING = ascii("transfer-encoding");
    private static final byte[] CONNECTION = ascii("connection");
    private static final byte[] EXPECT = ascii("expect");
    private static final byte[] REPLICA = ascii("x-lsm-replica");

    private static final Pattern LENGTH = Pattern.compile("(?im)^content-length:\\s*(\\d{1,15})\\s*$");
    private static final String END_OF_HEAD = "\r\n\r\n";
    private static final Pattern CHUNKED = Pattern.compile("(?im)^transfer-encoding:");

    private enum At { REQUEST_LINE, HEADERS, BODY, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILERS }

    private final Request request;
    private final int maxBodyBytes;

    private At at = At.REQUEST_LINE;
    private int headers;
    private long contentLength;
    private boolean chunked;
    private boolean hasHost;
    private boolean expectsContinue;
    private long left; // of the body or the chunk
    private int position;

    RequestReader(Request request, int maxBodyBytes) {
        this.request = request;
        this.maxBodyBytes = maxBodyBytes;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Reads on from {@code buffer[from, to)}; returns whether the request is complete. {@link #position} says how far it came. */
    boolean read(byte[] buffer, int from, int to) {
        position = from;
        while (true) {
            if (at == At.BODY || at == At.CHUNK) {
                takeBody(buffer, to);
                if (left > 0) {
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
    int position() {
        return position;
    }

    /** Whether the head of an unfinished request is read. */
    boolean isPastHead() {
        return at != At.REQUEST_LINE && at != At.HEADERS;
    }

    /** Whether a part of a request was taken, so that the rest should come soon. */
    boolean isInside() {
        return at != At.REQUEST_LINE;
    }

    /** Whether the client waits for {@code 100 Continue} before it sends the body; true once a request. */
    boolean mustSayContinue() {
        boolean must = expectsContinue && at != At.HEADERS;
        expectsContinue &= !must;
        return must && request.bodyLength() == 0;
    }

    /**
     * The bytes of a refused request that are still to come, {@link #UNKNOWN} where that is not known. The rest of a
     * refused head is searched for what it says of a body.
     */
    long announced(byte[] buffer, int to) {
        if (isPastHead()) {
            return chunked ? UNKNOWN : left;
        }
        String rest = "\r\n" + new String(buffer, position, to - position, StandardCharsets.ISO_8859_1); // a line has just ended
        long length = at == At.HEADERS ? contentLength : UNKNOWN;
        Matcher stated = LENGTH.matcher(rest);
        if (length == UNKNOWN && stated.find()) {
            length = Long.parseLong(stated.group(1));
        }
        int headEnd = rest.indexOf(END_OF_HEAD);
        boolean isChunked = at == At.HEADERS && chunked || CHUNKED.matcher(rest).find();
        if (isChunked || headEnd < 0) {
            return UNKNOWN;
        }
        return Math.max(length, 0) + headEnd + END_OF_HEAD.length() - 2;
    }

    private boolean done() {
        at = At.REQUEST_LINE;
        expectsContinue = false;
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
                    requestLine(buffer, start, end);
                    at = At.HEADERS;
                }
            }
            case HEADERS -> {
                if (end > start) {
                    header(buffer, start, end);
                } else {
                    return endOfHead();
                }
            }
            case CHUNK_SIZE -> {
                checkLineBreak(end);
                left = chunkSize(buffer, start, end);
                if (request.bodyLength() + left > maxBodyBytes) {
                    throw tooLarge();
                }
                at = left == 0 ? At.TRAILERS : At.CHUNK;
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
                countHeader();
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

    private void requestLine(byte[] buffer, int start, int end) {
        int methodEnd = HttpGrammar.tokenEnd(buffer, start, end);
        int version = end - HTTP_1.length - 1;
        int targetEnd = version - 1;
        int target = methodEnd + 1;
        if (methodEnd == start || target >= targetEnd || buffer[methodEnd] != ' ' || buffer[targetEnd] != ' ') {
            throw Refused.badRequest("the first line is not METHOD TARGET HTTP/1.1");
        }
        for (int i = target; i < targetEnd; i++) {
            if (buffer[i] >= 0 && buffer[i] <= ' ') {
                throw Refused.badRequest("white space in the target");
            }
        }
        byte minor = buffer[end - 1];
        if (!Arrays.equals(buffer, version, end - 1, HTTP_1, 0, HTTP_1.length) || minor != '0' && minor != '1') {
            throw new Refused(505, "this server speaks HTTP/1.1 and 1.0");
        }
        target = path(buffer, target, targetEnd);
        request.begin(method(buffer, start, methodEnd), buffer, target, targetEnd - target, minor == '1');
        headers = 0;
        contentLength = UNKNOWN;
        chunked = false;
        hasHost = false;
        expectsContinue = false;
        left = 0;
    }

    /** Where the path begins: behind scheme and authority, if they are there. */
    private static int path(byte[] buffer, int target, int end) {
        if (buffer[target] == '/' || target + SCHEME.length > end || !isNamed(buffer, target, target + SCHEME.length, SCHEME)) {
            return target;
        }
        int path = target + SCHEME.length;
        while (path < end && buffer[path] != '/') {
            path++;
        }
        return path;
    }

    private static Method method(byte[] buffer, int start, int end) {
        for (Method method : METHODS) {
            String name = method.name();
            int i = 0;
            while (i < name.length() && start + i < end && buffer[start + i] == name.charAt(i)) {
                i++;
            }
            if (i == name.length() && start + i == end) {
                return method;
            }
        }
        return Method.OTHER;
    }

    private void countHeader() {
        if (++headers > MAX_HEADERS) {
            throw new Refused(431, "more than " + MAX_HEADERS + " headers");
        }
    }

    private void header(byte[] buffer, int start, int end) {
        countHeader();
        int colon = HttpGrammar.tokenEnd(buffer, start, end);
        if (colon == start || colon == end || buffer[colon] != ':') {
            throw Refused.badRequest("the name of a header is no token followed by a colon");
        }
        switch (colon - start) { // most headers mean nothing to this server
            case 4 -> {
                if (isNamed(buffer, start, colon, HOST)) {
                    host(buffer, colon + 1, end);
                }
            }
            case 6 -> {
                if (isNamed(buffer, start, colon, EXPECT)) {
                    expect(value(buffer, colon, end));
                }
            }
            case 10 -> {
                if (isNamed(buffer, start, colon, CONNECTION)) {
                    connection(value(buffer, colon, end));
                }
            }
            case 13 -> {
                if (isNamed(buffer, start, colon, REPLICA)) {
                    replica(buffer, colon + 1, end);
                }
            }
            case 14 -> {
                if (isNamed(buffer, start, colon, CONTENT_LENGTH)) {
                    contentLength(buffer, colon + 1, end);
                }
            }
            case 17 -> {
                if (isNamed(buffer, start, colon, TRANSFER_ENCODING)) {
                    transferEncoding(value(buffer, colon, end));
                }
            }
            default -> { }
        }
    }

    private static boolean isNamed(byte[] buffer, int start, int end, byte[] name) {
        for (int i = 0; i < name.length; i++) {
            if ((buffer[start + i] | 0x20) != (name[i] | 0x20)) {
                return false;
            }
        }
        return end - start == name.length;
    }

    private static String value(byte[] buffer, int colon, int end) {
        return new String(buffer, colon + 1, end - colon - 1, StandardCharsets.ISO_8859_1).strip();
    }

    private void host(byte[] buffer, int from, int end) {
        if (hasHost) {
            throw Refused.badRequest("Host stands twice");
        }
        if (!HttpGrammar.isHost(buffer, HttpGrammar.skipBlanks(buffer, from, end), HttpGrammar.trimBlanks(buffer, from, end))) {
            throw Refused.badRequest("Host is not HOST or HOST:PORT");
        }
        hasHost = true;
    }

    private void replica(byte[] buffer, int from, int end) {
        if (request.isFromPeer()) {
            throw Refused.badRequest("X-Lsm-Replica stands twice");
        }
        request.replicaVersion = number(buffer, from, end);
        if (request.replicaVersion < 0 || request.replicaVersion > Clock.MAX_VERSION) {
            throw Refused.badRequest("X-Lsm-Replica is not a version");
        }
    }

    private void expect(String value) {
        if (!value.equalsIgnoreCase("100-continue")) {
            throw new Refused(417, "the only expectation known here is 100-continue");
        }
        expectsContinue = request.http11;
    }

    /** A list of names; those of the JDK's client, which offers HTTP/2 with each request, mean nothing here. */
    private void connection(String value) {
        for (String option : value.split(",")) {
            if (option.strip().equalsIgnoreCase("close")) {
                request.keepAlive = false;
            } else if (option.strip().equalsIgnoreCase("keep-alive")) {
                request.keepAlive = true;
            }
        }
    }

    private void contentLength(byte[] buffer, int from, int end) {
        if (contentLength != UNKNOWN) {
            throw Refused.badRequest("Content-Length stands twice");
        }
        long length = number(buffer, from, end);
        if (length < 0) {
            throw Refused.badRequest("Content-Length is not a number of bytes");
        }
        contentLength = length;
    }

    /** The decimal number that stands there between blanks; negative if none does. */
    private static long number(byte[] buffer, int from, int to) {
        int first = HttpGrammar.skipBlanks(buffer, from, to);
        return digits(buffer, first, HttpGrammar.trimBlanks(buffer, first, to), 10, NUMBER_DIGITS);
    }

    /** The number that {@code buffer[from, to)} spells; negative if it spells none. */
    private static long digits(byte[] buffer, int from, int to, int radix, int maxDigits) {
        int first = from;
        while (first < to && buffer[first] == '0') {
            first++;
        }
        if (from == to || to - first > maxDigits) {
            return -1;
        }
        long number = 0;
        for (int i = first; i < to; i++) {
            int digit = Character.digit(buffer[i], radix);
            if (digit < 0) {
                return -1;
            }
            number = number * radix + digit;
        }
        return number;
    }

    private void transferEncoding(String value) {
        if (chunked || !request.http11) {
            throw Refused.badRequest(chunked ? "Transfer-Encoding stands twice" : "Transfer-Encoding in HTTP/1.0");
        }
        chunked = true; // known or not, it hides how long the body is
        if (!value.equalsIgnoreCase("chunked")) {
            boolean isLast = value.toLowerCase(Locale.ROOT).matches(".*,\\s*chunked");
            throw isLast ? new Refused(501, "the only transfer encoding known here is chunked")
                    : Refused.badRequest("the last transfer encoding is not chunked, so the end of the body is unknown");
        }
    }

    /** Returns whether the request has no body. */
    private boolean endOfHead() {
        at = chunked ? At.CHUNK_SIZE : At.BODY;
        left = Math.max(contentLength, 0);
        if (!hasHost && request.http11) {
            throw Refused.badRequest("Host is missing");
        }
        if (chunked && contentLength != UNKNOWN) {
            throw Refused.badRequest("Content-Length together with Transfer-Encoding");
        }
        if (chunked) {
            return false;
        }
        if (left > maxBodyBytes) {
            throw tooLarge();
        }
        return left == 0;
    }

    private Refused tooLarge() {
        return new Refused(413, "the body is larger than the limit of " + new ByteSize(maxBodyBytes));
    }

    private static long chunkSize(byte[] buffer, int start, int end) {
        int sizeEnd = start;
        while (sizeEnd < end && Character.digit(buffer[sizeEnd], 16) >= 0) {
            sizeEnd++;
        }
        long size = digits(buffer, start, sizeEnd, 16, CHUNK_SIZE_DIGITS);
        if (size < 0 || !HttpGrammar.areChunkExtensions(buffer, sizeEnd, end)) {
            throw Refused.badRequest("a chunk without a size, or with extensions that are none");
        }
        return size;
    }

    private void takeBody(byte[] buffer, int to) {
        int piece = (int) Math.min(left, to - position);
        int upTo = chunked ? maxBodyBytes : (int) (request.bodyLength() + left);
        byte[] body = request.roomForBody(piece, upTo, !chunked);
        System.arraycopy(buffer, position, body, request.bodyLength(), piece);
        request.addedToBody(piece);
        position += piece;
        left -= piece;
    }
}
