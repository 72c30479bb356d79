// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import static org.junit.jupiter.api.Assertions.assertSame;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import lsmlab.server.cluster.Peers.Reply;
import org.junit.jupiter.api.Test;

class DeadlinesTest {
    @Test
    void aWaitEndsUnlessItsReplyHasCome() throws Exception {
        try (Deadlines deadlines = new Deadlines(Duration.ofMillis(100), () -> {})) {
            CompletableFuture<Reply> answered = new CompletableFuture<>();
            CompletableFuture<Reply> failing = new CompletableFuture<>();
            CompletableFuture<Reply> silent = new CompletableFuture<>();
            Deadlines.Wait wait = deadlines.begin(answered);
            deadlines.begin(failing);
            deadlines.begin(silent);
            failing.whenComplete((_, _) -> {
                throw new OutOfMemoryError("on purpose");
            });
            Reply reply = new Reply(200, 1, null);
            answered.complete(reply);
            wait.done();
            assertSame(Peers.TIMED_OUT, silent.get(20, TimeUnit.SECONDS));
            assertSame(Peers.TIMED_OUT, failing.get(20, TimeUnit.SECONDS));
            assertSame(reply, answered.get());
            CompletableFuture<Reply> later = new CompletableFuture<>();
            deadlines.begin(later);
            assertSame(Peers.TIMED_OUT, later.get(20, TimeUnit.SECONDS));
        }
    }
}
