// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.session;

import lsmlab.server.wire.Answer;
import lsmlab.server.wire.MemoryBudget;
import lsmlab.server.wire.Refused;
import lsmlab.server.wire.Request;
import one.nio.net.Session;

/** A large answer. It counts in the memory budget until it is sent or the client is gone. */
final class LargeAnswer extends Session.ArrayQueueItem {
    private final MemoryBudget memory;
    private final int charged;
    private boolean released; // one-nio may do it, and so may we

    private LargeAnswer(byte[] bytes, int charged, MemoryBudget memory) {
        super(bytes, 0, bytes.length, 0);
        this.charged = charged;
        this.memory = memory;
    }

    /** @throws Refused with 503 if there is no room */
    static LargeAnswer of(Answer answer, Request request) {
        request.memory().take(answer.length(), answer.length());
        try {
            return new LargeAnswer(answer.bytes(request), answer.length(), request.memory());
        } catch (OutOfMemoryError e) {
            request.memory().giveBack(answer.length());
            throw e;
        }
    }

    /** @param bytes are counted already */
    static LargeAnswer counted(byte[] bytes, MemoryBudget memory) {
        try {
            return new LargeAnswer(bytes, bytes.length, memory);
        } catch (OutOfMemoryError e) {
            memory.giveBack(bytes.length);
            throw e;
        }
    }

    @Override
    public void release() {
        if (!released) {
            released = true;
            memory.giveBack(charged);
        }
    }
}
