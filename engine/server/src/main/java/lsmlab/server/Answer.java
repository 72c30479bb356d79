// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** What a request is answered with. Those that need no body of their own are made once. */
final class Answer {
    /** A version of a value that another node asked for, or of a tombstone (with 404). */
    static final String VERSION_HEADER = "X-Lsm-Version";

    private static final byte[] VALUE_HEAD = ascii("HTTP/1.1 200 OK\r\nContent-Length: ");
    private static final byte[] END_OF_HEAD = ascii("\r\n\r\n");
    private static final byte[] KEEP_ALIVE = ascii("\r\nConnection: keep-alive\r\n\r\n"); // HTTP/1.0 must be told
    private static final byte[] CLOSE = ascii("\r\nConnection: close\r\n\r\n");

    static final Answer CREATED = new Answer(201, "", new byte[0]);
    static final Answer ACCEPTED = new Answer(202, "", new byte[0]);
    /** Deleted or never there: nobody can tell. */
    static final Answer NO_SUCH_ID = text(404, "no such id");
    static final Answer SERVING = text(200, "serving");
    static final byte[] CONTINUE = ascii("HTTP/1.1 100 Continue\r\n\r\n");

    final int status;
    private final byte[] head; // without the line break of its last line
    private final byte[] body;
    private final byte[] kept; // the whole, for a connection that goes on

    /** @param headers lines that each begin with a line break */
    private Answer(int status, String headers, byte[] body) {
        this.status = status;
        this.body = body;
        head = ascii("HTTP/1.1 " + status + " " + reason(status) + headers + "\r\nContent-Length: " + body.length);
        kept = join(head, END_OF_HEAD, body);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** To a write that was carried out. */
    static Answer written(Request.Method method) {
        return method == Request.Method.PUT ? CREATED : ACCEPTED;
    }

    /** One line of text. */
    static Answer text(int status, String line) {
        return text(status, line, null);
    }

    /** @param header another, or null */
    static Answer text(int status, String line, String header) {
        String headers = (header == null ? "" : "\r\n" + header) + "\r\nContent-Type: text/plain; charset=utf-8";
        return new Answer(status, headers, (line.replaceAll("\\R", " ") + "\n").getBytes(StandardCharsets.UTF_8));
    }

    static Answer of(Refused refused) {
        return text(refused.status, refused.getMessage(), refused.header);
    }

    /** With the body of that type. */
    static Answer document(String contentType, byte[] body) {
        return new Answer(200, "\r\nContent-Type: " + contentType, body);
    }

    /** A value with its version, for another node; a tombstone (404) has no value. */
    static Answer versioned(int status, long version, byte[] value) {
        return new Answer(status, "\r\n" + VERSION_HEADER + ": " + version, value);
    }

    /** A value, as all of its answer: this array is the only thing that a GET allocates. */
    static byte[] value(Request request, MemorySegment source, long offset, int length) {
        byte[] ending = ending(request);
        int digits = digits(length);
        byte[] answer = new byte[VALUE_HEAD.length + digits + ending.length + length];
        System.arraycopy(VALUE_HEAD, 0, answer, 0, VALUE_HEAD.length);
        int at = VALUE_HEAD.length + digits;
        for (int i = at - 1, rest = length; i >= VALUE_HEAD.length; i--, rest /= 10) {
            answer[i] = (byte) ('0' + rest % 10);
        }
        System.arraycopy(ending, 0, answer, at, ending.length);
        MemorySegment.copy(source, JAVA_BYTE, offset, answer, at + ending.length, length);
        return answer;
    }

    private static int digits(int number) {
        int digits = 1;
        for (int rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        return digits;
    }

    /** The whole, as the request's connection needs it. Not to be changed. */
    byte[] bytes(Request request) {
        byte[] ending = ending(request);
        byte[] shown = request.method == Request.Method.HEAD ? new byte[0] : body;
        return ending == END_OF_HEAD && shown == body ? kept : join(head, ending, shown);
    }

    /** The whole, as the last on its connection. */
    byte[] lastBytes() {
        return join(head, CLOSE, body);
    }

    private static byte[] ending(Request request) {
        return !request.keepAlive ? CLOSE : request.http11 ? END_OF_HEAD : KEEP_ALIVE;
    }

    private static byte[] join(byte[] head, byte[] ending, byte[] body) {
        byte[] all = new byte[head.length + ending.length + body.length];
        System.arraycopy(head, 0, all, 0, head.length);
        System.arraycopy(ending, 0, all, head.length, ending.length);
        System.arraycopy(body, 0, all, head.length + ending.length, body.length);
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
            case 413 -> "Content Too Large";
            case 417 -> "Expectation Failed";
            case 500 -> "Internal Server Error";
            case 501 -> "Not Implemented";
            case 503 -> "Service Unavailable";
            case 504 -> "Not Enough Replicas";
            case 505 -> "HTTP Version Not Supported";
            default -> throw new IllegalArgumentException("status " + status);
        };
    }
}
