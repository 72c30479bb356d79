// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** What a request is answered with. Those that need no body of their own are made once. */
public final class Answer {
    /** The longest head of a value's answer, in bytes. */
    private static final int MOST_HEAD_BYTES = 256;
    /** A version of a value that another node asked for, or of a tombstone (with 404). */
    public static final String VERSION_HEADER = "X-Lsm-Version";

    private static final byte[] STATUS_200 = ascii("HTTP/1.1 200 OK");
    private static final byte[] CONTENT_LENGTH = ascii("\r\nContent-Length: ");
    private static final byte[] END_OF_HEAD = ascii("\r\n\r\n");
    private static final byte[] KEEP_ALIVE = ascii("\r\nConnection: keep-alive\r\n\r\n"); // HTTP/1.0 closes without it
    private static final byte[] CLOSE = ascii("\r\nConnection: close\r\n\r\n");

    public static final Answer CREATED = new Answer(201, "", new byte[0]);
    public static final Answer ACCEPTED = new Answer(202, "", new byte[0]);
    /** Deleted or never there; a client can't distinguish the two. */
    public static final Answer NO_SUCH_ID = text(404, "no such id");
    public static final Answer SERVING = text(200, "serving");
    public static final byte[] CONTINUE = ascii("HTTP/1.1 100 Continue\r\n\r\n");

    public final int status;
    private final byte[] head; // without its date, and the line break of its last line
    private final byte[] body;
    private volatile Kept kept = new Kept(null, null);

    /** The whole with a date, for a connection that goes on. */
    private record Kept(byte[] date, byte[] bytes) {}

    /** @param headers lines that each begin with a line break */
    private Answer(int status, String headers, byte[] body) {
        this.status = status;
        this.body = body;
        head = ascii("HTTP/1.1 " + status + " " + reason(status) + headers + "\r\nContent-Length: " + body.length);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** To a write that was carried out. */
    public static Answer written(Request.Method method) {
        return method == Request.Method.PUT ? CREATED : ACCEPTED;
    }

    /** One line of text. */
    public static Answer text(int status, String line) {
        return text(status, line, null);
    }

    /** @param header another, or null */
    public static Answer text(int status, String line, String header) {
        String headers = (header == null ? "" : "\r\n" + header) + "\r\nContent-Type: text/plain; charset=utf-8";
        return new Answer(status, headers, (line.replaceAll("\\R", " ") + "\n").getBytes(StandardCharsets.UTF_8));
    }

    public static Answer of(Refused refused) {
        return text(refused.status, refused.getMessage(), refused.header);
    }

    /** With the body of that type. */
    public static Answer document(String contentType, byte[] body) {
        return new Answer(200, "\r\nContent-Type: " + contentType, body);
    }

    /** A value with its version, for another node; a tombstone (404) has no value. */
    public static Answer versioned(int status, long version, byte[] value) {
        return new Answer(status, "\r\n" + VERSION_HEADER + ": " + version, value);
    }

    /**
     * A value, with its head the whole answer: besides this array a GET allocates only the place of it in the connection's queue. A large answer
     * counts in the memory budget until it is sent.
     */
    public static byte[] value(Request request, MemorySegment source, long offset, int length) {
        int most = length + MOST_HEAD_BYTES;
        if (most <= MemoryBudget.LARGE_BYTES) {
            return whole(request, source, offset, length);
        }
        request.memory().take(most, most);
        int made = 0;
        try {
            byte[] answer = whole(request, source, offset, length);
            made = answer.length <= MemoryBudget.LARGE_BYTES ? 0 : answer.length;
            return answer;
        } finally {
            request.memory().giveBack(most - made);
        }
    }

    private static byte[] whole(Request request, MemorySegment source, long offset, int length) {
        byte[] date = HttpDate.line();
        byte[] ending = ending(request);
        int digits = digits(length);
        byte[] answer = new byte[STATUS_200.length + date.length + CONTENT_LENGTH.length + digits + ending.length + length];
        int at = put(STATUS_200, answer, 0);
        at = put(date, answer, at);
        at = put(CONTENT_LENGTH, answer, at) + digits;
        for (int i = at - 1, rest = length; i >= at - digits; i--, rest /= 10) {
            answer[i] = (byte) ('0' + rest % 10);
        }
        at = put(ending, answer, at);
        MemorySegment.copy(source, JAVA_BYTE, offset, answer, at, length);
        return answer;
    }

    private static int put(byte[] part, byte[] answer, int at) {
        System.arraycopy(part, 0, answer, at, part.length);
        return at + part.length;
    }

    private static int digits(int number) {
        int digits = 1;
        for (int rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        return digits;
    }

    /** The body's length in bytes. */
    public int length() {
        return body.length;
    }

    /** The whole, as the request's connection needs it. Not to be changed. */
    public byte[] bytes(Request request) {
        byte[] date = HttpDate.line();
        byte[] ending = ending(request);
        byte[] shown = request.method == Request.Method.HEAD ? new byte[0] : body;
        if (ending != END_OF_HEAD || shown != body) {
            return join(head, date, ending, shown);
        }
        Kept whole = kept;
        if (whole.date != date) {
            whole = new Kept(date, join(head, date, ending, body));
            kept = whole;
        }
        return whole.bytes;
    }

    /** The whole, as the last on its connection. */
    public byte[] lastBytes() {
        return join(head, HttpDate.line(), CLOSE, body);
    }

    /** The same without a body, for HEAD. */
    public byte[] lastHead() {
        return join(head, HttpDate.line(), CLOSE, new byte[0]);
    }

    private static byte[] ending(Request request) {
        return !request.keepAlive ? CLOSE : request.http11 ? END_OF_HEAD : KEEP_ALIVE;
    }

    private static byte[] join(byte[] head, byte[] date, byte[] ending, byte[] body) {
        byte[] all = new byte[head.length + date.length + ending.length + body.length];
        put(body, all, put(ending, all, put(date, all, put(head, all, 0))));
        return all;
    }

    private static String reason(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 201 -> "Created";
            case 202 -> "Accepted";
            case 400 -> "Bad Request";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 408 -> "Request Timeout";
            case 409 -> "Conflict";
            case 413 -> "Content Too Large";
            case 414 -> "URI Too Long";
            case 417 -> "Expectation Failed";
            case 431 -> "Request Header Fields Too Large";
            case 500 -> "Internal Server Error";
            case 501 -> "Not Implemented";
            case 503 -> "Service Unavailable";
            case 504 -> "Not Enough Replicas";
            case 505 -> "HTTP Version Not Supported";
            default -> throw new IllegalArgumentException("status " + status);
        };
    }
}
