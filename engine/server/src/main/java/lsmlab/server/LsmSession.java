// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.io.IOException;
import java.util.regex.Pattern;
import one.nio.http.HttpException;
import one.nio.http.HttpSession;
import one.nio.http.Response;
import one.nio.net.Socket;
import one.nio.net.SocketClosedException;

/**
 * A connection. What one-nio would get wrong, or leave without a word, is refused here before a handler sees the request: bodies
 * whose end is unclear, since what follows them would be taken for the next request, and bodies and lines that are too long.
 */
final class LsmSession extends HttpSession {
    /** Of a request line or a header. An id may take most of it. */
    static final int MAX_LINE_BYTES = 32 << 10;
    private static final int MAX_HEADERS = 128;
    private static final Pattern LENGTH = Pattern.compile("\\d{1,18}");
    /** Of a body that was refused, at most so much is read, so that the client comes to read the refusal instead of a reset. */
    private static final long MAX_DISCARDED_BYTES = 256L << 20;

    private final LsmServer owner;
    private byte[] line = new byte[512];
    private int lineBytes;
    private long toDiscard;

    LsmSession(Socket socket, LsmServer owner) {
        super(socket, owner);
        this.owner = owner;
    }

    /** The head of this request can't be trusted, or its body is not taken: answered with {@code status}, then the connection ends. */
    private static final class Refused extends RuntimeException {
        final String status;

        Refused(String status, String message) {
            super(message, null, false, false);
            this.status = status;
        }
    }

    @Override
    protected void processRead(byte[] buffer) throws IOException {
        int length = lineBytes;
        System.arraycopy(line, 0, buffer, 0, length);
        lineBytes = 0;
        try {
            length += read(buffer, length, buffer.length - length);
        } catch (SocketClosedException e) {
            handleSocketClosed();
            return;
        }
        if (toDiscard > 0) {
            discard(length);
            return;
        }
        try {
            int processed = processHttpBuffer(buffer, length);
            keepLine(buffer, processed, length - processed);
        } catch (HttpException e) {
            sendError(Response.BAD_REQUEST, e.getMessage());
        } catch (Refused e) {
            sendError(e.status, e.getMessage());
        }
    }

    /** An unfinished line waits for its rest. */
    private void keepLine(byte[] buffer, int from, int length) {
        if (length > MAX_LINE_BYTES) {
            throw new Refused(Response.BAD_REQUEST, "a line of the request is longer than " + MAX_LINE_BYTES + " bytes");
        }
        if (length > line.length) {
            line = new byte[Math.max(length, Math.min(2 * line.length, MAX_LINE_BYTES))];
        }
        System.arraycopy(buffer, from, line, 0, length);
        lineBytes = length;
    }

    @Override
    protected int startParsingRequestBody(String contentLength, byte[] buffer, int offset, int remaining) {
        checkHead();
        long length = contentLength(contentLength);
        if (length > owner.maxBodyBytes()) {
            toDiscard = Math.min(length - remaining, MAX_DISCARDED_BYTES);
            throw new Refused(Response.REQUEST_ENTITY_TOO_LARGE, "the body is larger than the limit of " + new ByteSize(owner.maxBodyBytes()));
        }
        byte[] body = new byte[(int) length];
        requestBodyOffset = (int) Math.min(remaining, length);
        System.arraycopy(buffer, offset, body, 0, requestBodyOffset);
        parsing.setBody(body);
        return requestBodyOffset;
    }

    private static long contentLength(String text) {
        if (!LENGTH.matcher(text).matches()) {
            throw new Refused(Response.BAD_REQUEST, "Content-Length is not a number of bytes");
        }
        return Long.parseLong(text);
    }

    @Override
    protected void handleParsedRequest() throws IOException {
        if (parsing.getBody() == null) {
            checkHead();
        }
        super.handleParsedRequest();
    }

    /** Whatever could make two readers see the end of this request in different places is refused. */
    private void checkHead() {
        int lengths = 0;
        int count = parsing.getHeaderCount();
        if (count > MAX_HEADERS) {
            throw new Refused(Response.BAD_REQUEST, "more than " + MAX_HEADERS + " headers");
        }
        String[] headers = parsing.getHeaders();
        for (int i = 0; i < count; i++) {
            int colon = headers[i].indexOf(':');
            for (int at = 0; at <= colon; at++) {
                if (headers[i].charAt(at) <= ' ') {
                    throw new Refused(Response.BAD_REQUEST, "white space in or before the name of a header");
                }
            }
            if (colon < 1) {
                throw new Refused(Response.BAD_REQUEST, "a header without a name");
            }
            if (named(headers[i], colon, "Content-Length") && ++lengths > 1) {
                throw new Refused(Response.BAD_REQUEST, "Content-Length stands twice");
            }
            if (named(headers[i], colon, "Transfer-Encoding")) {
                throw new Refused(Response.BAD_REQUEST, "Transfer-Encoding is not supported, send the body with Content-Length");
            }
        }
    }

    private static boolean named(String header, int colon, String name) {
        return colon == name.length() && header.regionMatches(true, 0, name, 0, colon);
    }

    private void discard(int length) {
        toDiscard -= length;
        if (toDiscard <= 0) {
            scheduleClose();
        }
    }

    /** Answers and ends the connection, at once or when the refused body was read. */
    @Override
    public synchronized void sendError(String status, String message) throws IOException {
        server.incRequestsRejected();
        owner.countStatus(Integer.parseInt(status.substring(0, 3)));
        Response response = LsmServer.text(status, message);
        response.addHeader("Connection: close");
        writeResponse(response, true);
        parsing = null;
        if (toDiscard <= 0) {
            scheduleClose();
        }
    }
}
