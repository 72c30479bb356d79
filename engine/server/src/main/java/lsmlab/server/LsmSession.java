// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.io.IOException;
import one.nio.http.HttpException;
import one.nio.http.HttpSession;
import one.nio.http.Response;
import one.nio.net.Socket;

/** A connection. What one-nio would get wrong or leave without a word is decided here, before a handler sees the request. */
final class LsmSession extends HttpSession {
    private final LsmServer owner;

    LsmSession(Socket socket, LsmServer owner) {
        super(socket, owner);
        this.owner = owner;
    }

    @Override
    protected int getMaxRequestBodyLength() {
        return owner.maxBodyBytes();
    }

    @Override
    protected int startParsingRequestBody(String contentLength, byte[] buffer, int offset, int remaining)
            throws IOException, HttpException {
        refuseTransferEncoding();
        return super.startParsingRequestBody(contentLength, buffer, offset, remaining);
    }

    @Override
    protected void handleParsedRequest() throws IOException {
        try {
            refuseTransferEncoding();
        } catch (HttpException e) {
            sendError(Response.BAD_REQUEST, e.getMessage());
            return;
        }
        super.handleParsedRequest();
    }

    /** one-nio would take the chunks of such a body for the next request, which lets one client smuggle requests into another's. */
    private void refuseTransferEncoding() throws HttpException {
        if (parsing.getHeader("Transfer-Encoding:") != null) {
            throw new HttpException("Transfer-Encoding is not supported, send the body with Content-Length");
        }
    }

    /** Errors that end the connection: one-nio gives 413 no text. */
    @Override
    public synchronized void sendError(String code, String message) throws IOException {
        boolean silent = message == null || message.isEmpty();
        String text = silent && code.equals(Response.REQUEST_ENTITY_TOO_LARGE)
                ? "the body is larger than the limit of " + new ByteSize(owner.maxBodyBytes())
                : silent ? code.substring(4) : message;
        owner.countStatus(Integer.parseInt(code.substring(0, 3)));
        super.sendError(code, text + "\n");
    }
}
