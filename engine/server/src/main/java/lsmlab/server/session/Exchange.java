// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.session;

import lsmlab.server.trace.RequestTrace;
import lsmlab.server.wire.Answer;

/** Takes the answer to one request, at once or later, from any thread. Once it has it, the handler may not use the request any more. */
public interface Exchange {
    void answer(Answer answer);

    /** @param made by {@link Answer#value} */
    void answerValue(byte[] made);

    /** Takes the times of the request's stages; null: nothing does. */
    RequestTrace trace();

    /** Ends the connection of a request that can't be answered, for lack of memory for one. */
    void giveUp(Throwable because);
}
