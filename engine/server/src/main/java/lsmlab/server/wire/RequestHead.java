// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import lsmlab.server.wire.Request.Method;

/** The request line and the headers of one request. It checks each as it reads it, and puts what the server needs into the request. */
final class RequestHead {
    static final int MAX_HEADERS = 128;
    /** In place of a length that no header gives. */
    static final int UNKNOWN = -1;

    private static final Method[] METHODS = {Method.GET, Method.PUT, Method.DELETE, Method.HEAD};
    private static final byte[] SCHEME = ascii("http://");
    private static final byte[] HTTP_1 = ascii("HTTP/1.");
    private static final byte[] HOST = ascii("host");
    private static final byte[] CONTENT_LENGTH = ascii("content-length");
    private static final byte[] TRANSFER_ENCODING = ascii("transfer-encoding");
    private static final byte[] CONNECTION = ascii("connection");
    private static final byte[] EXPECT = ascii("expect");
    private static final byte[] REPLICA = ascii("x-lsm-replica");

    private final Request request;
    private int headers;
    private long contentLength;
    private boolean chunked;
    private boolean hasHost;
    private boolean expectsContinue;
    private boolean closes; // said the client, whatever else it says

    RequestHead(Request request) {
        this.request = request;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** METHOD TARGET VERSION, in {@code buffer[start, end)}. */
    void requestLine(byte[] buffer, int start, int end) {
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
        closes = false;
        contentLength = UNKNOWN;
        chunked = false;
        hasHost = false;
        expectsContinue = false;
    }

    /** Where the path begins: behind scheme and authority, if they are there. */
    private static int path(byte[] buffer, int target, int end) {
        if (buffer[target] == '/' || target + SCHEME.length > end || !HttpGrammar.isNamed(buffer, target, target + SCHEME.length, SCHEME)) {
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

    /** Trailers count, too. */
    void countHeader() {
        if (++headers > MAX_HEADERS) {
            throw new Refused(431, "more than " + MAX_HEADERS + " headers");
        }
    }

    void header(byte[] buffer, int start, int end) {
        countHeader();
        int colon = HttpGrammar.tokenEnd(buffer, start, end);
        if (colon == start || colon == end || buffer[colon] != ':') {
            throw Refused.badRequest("the name of a header is no token followed by a colon");
        }
        switch (colon - start) { // most headers mean nothing to this server
            case 4 -> {
                if (HttpGrammar.isNamed(buffer, start, colon, HOST)) {
                    host(buffer, colon + 1, end);
                }
            }
            case 6 -> {
                if (HttpGrammar.isNamed(buffer, start, colon, EXPECT)) {
                    expect(value(buffer, colon, end));
                }
            }
            case 10 -> {
                if (HttpGrammar.isNamed(buffer, start, colon, CONNECTION)) {
                    connection(value(buffer, colon, end));
                }
            }
            case 13 -> {
                if (HttpGrammar.isNamed(buffer, start, colon, REPLICA)) {
                    replica(buffer, colon + 1, end);
                }
            }
            case 14 -> {
                if (HttpGrammar.isNamed(buffer, start, colon, CONTENT_LENGTH)) {
                    contentLength(buffer, colon + 1, end);
                }
            }
            case 17 -> {
                if (HttpGrammar.isNamed(buffer, start, colon, TRANSFER_ENCODING)) {
                    transferEncoding(value(buffer, colon, end));
                }
            }
            default -> {}
        }
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
        request.replicaVersion = Digits.number(buffer, from, end);
        if (request.replicaVersion < 0 || request.replicaVersion > Request.MAX_VERSION) {
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
            closes |= option.strip().equalsIgnoreCase("close");
            request.keepAlive |= option.strip().equalsIgnoreCase("keep-alive");
        }
        request.keepAlive &= !closes;
    }

    private void contentLength(byte[] buffer, int from, int end) {
        if (contentLength != UNKNOWN) {
            throw Refused.badRequest("Content-Length stands twice");
        }
        long length = Digits.number(buffer, from, end);
        if (length < 0) {
            throw Refused.badRequest("Content-Length is not a number of bytes");
        }
        contentLength = length;
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

    /** What only the whole head shows. */
    void check() {
        if (!hasHost && request.http11) {
            throw Refused.badRequest("Host is missing");
        }
        if (chunked && contentLength != UNKNOWN) {
            throw Refused.badRequest("Content-Length together with Transfer-Encoding");
        }
    }

    /** In bytes; {@link #UNKNOWN} if no header says it. */
    long contentLength() {
        return contentLength;
    }

    boolean isChunked() {
        return chunked;
    }

    /** Whether the client waits for {@code 100 Continue} before it sends the body; true once a request. */
    boolean takeExpectation() {
        boolean expected = expectsContinue;
        expectsContinue = false;
        return expected;
    }
}
