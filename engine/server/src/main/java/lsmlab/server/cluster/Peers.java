// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import java.util.concurrent.CompletableFuture;
import lsmlab.server.wire.Request;

/** The way to the other nodes. */
public interface Peers extends AutoCloseable {
    /** The header that marks a request to a replica: of a write its version, of a read 0. */
    String REPLICA_HEADER = "X-Lsm-Replica";

    /**
     * What a replica is asked.
     *
     * @param path with the encoded id
     * @param version of a write; 0 of a read
     * @param body of a PUT; null of others
     */
    record Question(Request.Method method, String path, long version, byte[] body) {}

    /** @param version of the value or the tombstone; 0 where there is none */
    record Reply(int status, long version, byte[] body) {}

    /** In the place of a reply that did not come in time; an exception would take memory. */
    Reply TIMED_OUT = new Reply(0, 0, new byte[0]);

    /** The request was not sent: too many already wait for that node's answer. */
    final class TooManyRequests extends Exception {
        TooManyRequests() {
            super("too many requests wait for that node", null, false, false);
        }
    }

    /**
     * Asks a node; the future ends with a reply or with the exception that says why there is none. WHY what follows it is attached with
     * {@code handle}, each time to this future itself: {@code whenComplete} needs memory to hand a failure on, after its action has run.
     */
    CompletableFuture<Reply> ask(int node, Question question);

    /** Whether {@link #ask} returns only when the reply is there. */
    boolean blocks();

    @Override
    void close();
}
