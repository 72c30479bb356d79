// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import lsmlab.server.cluster.Peers.Question;
import lsmlab.server.cluster.Peers.Reply;
import lsmlab.server.wire.Request.Method;

/** A question as it goes over a {@link PeerConnection}, and the place of its reply. */
final class PeerRequest {
    private static final byte[] NO_BODY = {};

    final CompletableFuture<Reply> reply = new CompletableFuture<>();
    final int node;
    final boolean isRead;
    volatile PeerConnection connection; // the last that took it; null: none did yet
    private final byte[] head;
    private final byte[] body;
    private int sent; // bytes of both
    private boolean isSkipped; // it was given up before its turn came
    private boolean wasSentAgain;
    PeerRequest next; // on its connection; GUARDED BY that

    /** @param host of the node, with its port */
    PeerRequest(int node, String host, Question question) {
        this.node = node;
        isRead = question.method() == Method.GET;
        body = question.body() == null ? NO_BODY : question.body();
        String length = isRead ? "" : "Content-Length: " + body.length + "\r\n";
        head = (question.method() + " " + question.path() + " HTTP/1.1\r\nHost: " + host + "\r\n" + Peers.REPLICA_HEADER + ": " + question.version() + "\r\n" + length + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Moves as much of it as there is room for; returns whether that was the rest. One that was given up before is skipped. */
    boolean moveTo(ByteBuffer output) {
        if (sent == 0 && reply.isDone()) {
            isSkipped = true;
            return true;
        }
        if (sent < head.length) {
            int part = Math.min(head.length - sent, output.remaining());
            output.put(head, sent, part);
            sent += part;
        }
        if (sent >= head.length) {
            int from = sent - head.length;
            int part = Math.min(body.length - from, output.remaining());
            output.put(body, from, part);
            sent += part;
        }
        return sent == head.length + body.length;
    }

    boolean isBegun() {
        return sent > 0;
    }

    /** No reply will come. */
    boolean isSkipped() {
        return isSkipped;
    }

    /** Whether it may go over another connection, once, from its beginning: a replica that takes the same version twice keeps it once. */
    boolean mayBeSentAgain() {
        boolean may = !wasSentAgain && !reply.isDone();
        wasSentAgain = true;
        sent = 0;
        next = null;
        return may;
    }
}
