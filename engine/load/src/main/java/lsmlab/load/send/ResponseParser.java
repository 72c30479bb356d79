// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.send;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads HTTP/1.1 responses from bytes that arrive in any pieces. One per connection; {@link #parse} stops after each response so that
 * its time can be taken. Heads and bodies are kept only when asked for.
 */
public final class ResponseParser {
    private static final int MAX_LINE_BYTES = 64 << 10;
    /** The most that header lines of a response take together, those of interim responses included. A head that never ends is a read error. */
    private static final int MAX_HEAD_BYTES = 1 << 20;
    /** The largest body that a script's response() gets, since it is held in memory. */
    static final int MAX_KEPT_BYTES = 64 << 20;

    private enum State {
        STATUS_LINE, HEADER, BODY, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILER, UNTIL_CLOSE
    }

    private final boolean keep;
    private State state = State.STATUS_LINE;
    private byte[] line = new byte[512];
    private int lineLength;
    private long remaining;
    private boolean chunked;
    private boolean hasLength;
    private int headBytes;

    private int status;
    private boolean closes;
    private final List<String> headers = new ArrayList<>();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();

    /** @param keep whether headers and bodies are wanted, as a script's response() does */
    public ResponseParser(boolean keep) {
        this.keep = keep;
    }

    void reset() {
        state = State.STATUS_LINE;
        lineLength = 0;
        headBytes = 0;
    }

    /** Consumes bytes up to the end of one response; true when it is complete. Throws on what is not HTTP. */
    public boolean parse(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            boolean complete = switch (state) {
                case STATUS_LINE, HEADER, CHUNK_SIZE, CHUNK_END, TRAILER -> readLine(bytes) && endLine();
                case BODY -> skip(bytes) && complete();
                case CHUNK -> skip(bytes) && expect(State.CHUNK_END);
                case UNTIL_CLOSE -> {
                    remaining = bytes.remaining();
                    skip(bytes);
                    yield false;
                }
            };
            if (complete) {
                return true;
            }
        }
        return false;
    }

    /** The connection ended: true when that is how the response in progress ends. */
    boolean endOfStream() {
        return state == State.UNTIL_CLOSE && complete();
    }

    /** True once a whole line, without its line end, stands in {@code line}. */
    private boolean readLine(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            byte b = bytes.get();
            if (b == '\n') {
                if (lineLength > 0 && line[lineLength - 1] == '\r') {
                    lineLength--;
                }
                return true;
            }
            if (lineLength == line.length) {
                if (lineLength == MAX_LINE_BYTES) {
                    throw new IOException("a line of the response is longer than " + MAX_LINE_BYTES + " bytes");
                }
                line = Arrays.copyOf(line, lineLength * 2);
            }
            line[lineLength++] = b;
        }
        return false;
    }

    private boolean endLine() throws IOException {
        int length = lineLength;
        lineLength = 0;
        if (state == State.HEADER || state == State.TRAILER) {
            headBytes += length + 2;
            if (headBytes > MAX_HEAD_BYTES) {
                throw new IOException("the headers of a response are longer than %d bytes".formatted(MAX_HEAD_BYTES));
            }
        }
        return switch (state) {
            case STATUS_LINE -> statusLine(length);
            case HEADER -> length == 0 ? endHead() : header(length);
            case CHUNK_SIZE -> chunkSize(length);
            case CHUNK_END -> expect(State.CHUNK_SIZE);
            case TRAILER -> length == 0 && complete();
            default -> throw new IllegalStateException(state.name());
        };
    }

    private boolean expect(State next) {
        state = next;
        return false;
    }

    private boolean statusLine(int length) throws IOException {
        if (length < 12 || !startsWith("http/1.", length) || line[9] == '0' || !isDigit(line[9]) || !isDigit(line[10]) || !isDigit(line[11])
                || length > 12 && line[12] != ' ') {
            throw new IOException("not an HTTP/1.x response");
        }
        status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + line[11] - '0';
        closes = line[7] == '0';
        chunked = false;
        hasLength = false;
        remaining = 0;
        headers.clear();
        body.reset();
        return expect(State.HEADER);
    }

    private boolean header(int length) throws IOException {
        if (isNamed("content-length", length)) {
            long bytes = number(15, length, 10);
            if (hasLength && bytes != remaining) {
                throw new IOException("two lengths that differ");
            }
            remaining = bytes;
            hasLength = true;
        } else if (isNamed("transfer-encoding", length)) {
            chunked = hasToken("chunked", 18, length);
        } else if (isNamed("connection", length)) {
            closes = hasToken("close", 11, length) || closes && !hasToken("keep-alive", 11, length);
        }
        if (keep) {
            int colon = 0;
            while (colon < length && line[colon] != ':') {
                colon++;
            }
            headers.add(new String(line, 0, colon, StandardCharsets.ISO_8859_1));
            headers.add(text(Math.min(colon + 1, length), length));
        }
        return false;
    }

    private boolean endHead() {
        if (status < 200) {
            return expect(State.STATUS_LINE);
        }
        if (status == 204 || status == 304) {
            return complete();
        }
        if (chunked) {
            return expect(State.CHUNK_SIZE);
        }
        if (!hasLength) {
            closes = true;
            return expect(State.UNTIL_CLOSE);
        }
        state = State.BODY;
        return remaining == 0 && complete();
    }

    private boolean chunkSize(int length) throws IOException {
        int end = 0;
        while (end < length && line[end] != ';') {
            end++;
        }
        remaining = number(0, end, 16);
        return expect(remaining == 0 ? State.TRAILER : State.CHUNK);
    }

    /** Consumes of the {@code remaining} bytes what is there; true when none remain. */
    private boolean skip(ByteBuffer bytes) throws IOException {
        int count = (int) Math.min(remaining, bytes.remaining());
        if (keep) {
            if (body.size() + count > MAX_KEPT_BYTES) {
                throw new IOException("a response of more than %d bytes, too large for a script".formatted(MAX_KEPT_BYTES));
            }
            byte[] copy = new byte[count];
            bytes.get(copy);
            body.write(copy, 0, count);
        } else {
            bytes.position(bytes.position() + count);
        }
        remaining -= count;
        return remaining == 0;
    }

    private boolean complete() {
        state = State.STATUS_LINE;
        headBytes = 0;
        return true;
    }

    /** A blank before the colon would make it a header that some readers see and others don't. */
    private boolean isNamed(String lowerCase, int length) throws IOException {
        if (length <= lowerCase.length() || !isAt(0, lowerCase)) {
            return false;
        }
        byte next = line[lowerCase.length()];
        if (next == ' ' || next == '\t') {
            throw new IOException("a blank before the colon of a header");
        }
        return next == ':';
    }

    private boolean startsWith(String lowerCase, int length) {
        return length >= lowerCase.length() && isAt(0, lowerCase);
    }

    private boolean isAt(int at, String lowerCase) {
        for (int i = 0; i < lowerCase.length(); i++) {
            byte b = line[at + i];
            if ((b >= 'A' && b <= 'Z' ? b + 32 : b) != lowerCase.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Whether a list with commas between its parts has this part. */
    private boolean hasToken(String lowerCase, int from, int to) {
        int at = from;
        while (at < to) {
            int end = at;
            while (end < to && !isBetweenTokens(line[end])) {
                end++;
            }
            if (end - at == lowerCase.length() && isAt(at, lowerCase)) {
                return true;
            }
            at = end + 1;
        }
        return false;
    }

    private static boolean isBetweenTokens(byte b) {
        return b == ',' || b == ' ' || b == '\t';
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    private String text(int from, int to) {
        return new String(line, from, to - from, StandardCharsets.ISO_8859_1).strip();
    }

    private long number(int from, int to, int radix) throws IOException {
        while (from < to && line[from] == ' ') {
            from++;
        }
        while (to > from && line[to - 1] == ' ') {
            to--;
        }
        long value = 0;
        for (int i = from; i < to; i++) {
            int digit = Character.digit(line[i], radix);
            if (digit < 0 || value > Long.MAX_VALUE / 32) {
                throw new IOException("not a length: " + text(from, to));
            }
            value = value * radix + digit;
        }
        if (from == to) {
            throw new IOException("an empty length");
        }
        return value;
    }

    public int status() {
        return status;
    }

    /** Whether the server ends the connection after this response. */
    boolean closes() {
        return closes;
    }

    /** Names and values alternately, if kept. */
    List<String> headers() {
        return headers;
    }

    public String body() {
        return body.toString(StandardCharsets.UTF_8);
    }
}
