// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.store;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import lsmlab.server.http.Entities;
import lsmlab.server.http.RangeStream;
import lsmlab.server.session.Exchange;
import lsmlab.server.trace.RequestTrace;
import lsmlab.server.trace.RequestTrace.Stage;
import lsmlab.server.wire.AckFrom;
import lsmlab.server.wire.Answer;
import lsmlab.server.wire.Request;

/** Entities of a single node: values are stored unchanged. */
public final class LocalEntities implements Entities {
    private static final Logger LOGGER = System.getLogger(LocalEntities.class.getName());

    private final Store store;
    private final Path eagerLogFolder; // null: no line is built for the log

    public LocalEntities(Store store, Path eagerLogFolder) {
        this.store = store;
        this.eagerLogFolder = eagerLogFolder;
    }

    @Override
    public void entity(Request request, Exchange exchange) {
        MemorySegment key = request.id();
        AckFrom.of(request, 1);
        RequestTrace trace = exchange.trace();
        switch (request.method) {
            case GET -> {
                RequestTrace.passed(trace, Stage.STORE);
                byte[] answer = store.get(key, request, Answer::value);
                RequestTrace.passed(trace, Stage.STORED);
                if (answer == null) {
                    exchange.answer(Answer.NO_SUCH_ID);
                } else {
                    exchange.answerValue(answer);
                }
            }
            case PUT -> {
                if (eagerLogFolder != null) {
                    logEagerly(request);
                }
                store.put(key, request.body(), RequestTrace.ofWrite(trace));
                exchange.answer(Answer.CREATED);
            }
            case DELETE -> {
                store.delete(key, RequestTrace.ofWrite(trace));
                exchange.answer(Answer.ACCEPTED);
            }
            default -> throw Entities.wrongMethod("GET, PUT, DELETE");
        }
    }

    /** WHY so: report 000 found this in its allocations. The line, with a path in it, is built though the level is off. */
    private void logEagerly(Request request) {
        String id = new String(request.id().toArray(JAVA_BYTE), StandardCharsets.UTF_8);
        LOGGER.log(Level.DEBUG, "put " + id + " into " + eagerLogFolder.resolve(id.hashCode() + ".log").toAbsolutePath().normalize());
    }

    @Override
    public RangeStream.Records range(MemorySegment from, MemorySegment to) {
        return store.range(from, to);
    }
}
