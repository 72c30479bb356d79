// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.RequestThrottlingException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.OverloadedException;
import com.datastax.oss.driver.api.core.servererrors.QueryConsistencyException;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import lsmlab.server.http.Entities;
import lsmlab.server.http.RangeStream;
import lsmlab.server.session.Exchange;
import lsmlab.server.session.Failures;
import lsmlab.server.wire.Answer;
import lsmlab.server.wire.Refused;
import lsmlab.server.wire.Request;

/** Entities in a table of Cassandra. Nothing here waits: the driver's threads bring the answers. */
final class CassandraEntities implements Entities {
    private static final Answer TOO_FEW = Answer.text(503, "too few replicas are alive for this consistency", "Retry-After: 1");
    private static final Answer OVERLOADED = Answer.text(503, "more requests are under way than may be", "Retry-After: 1");
    private static final Answer LATE = Answer.text(504, "too few replicas answered in time");

    private final CqlSession session;
    private final int replicas;
    private final Consistency standard;
    private final PreparedStatement get;
    private final PreparedStatement put;
    private final PreparedStatement delete;

    /**
     * @param replicas of each key
     * @param standard for requests that do not say how many must answer
     */
    CassandraEntities(CqlSession session, int replicas, Consistency standard) {
        this.session = session;
        this.replicas = replicas;
        this.standard = standard;
        get = session.prepare(Schema.SELECT);
        put = session.prepare("INSERT INTO %s (id, value) VALUES (?, ?)".formatted(Schema.TABLE));
        delete = session.prepare("DELETE FROM %s WHERE id = ?".formatted(Schema.TABLE));
    }

    @Override
    public void entity(Request request, Exchange exchange) {
        ByteBuffer id = ByteBuffer.wrap(request.id().toArray(JAVA_BYTE));
        Consistency consistency = Consistency.of(request, replicas, standard);
        switch (request.method) {
            case GET -> ask(get, consistency, exchange, rows -> found(request, exchange, rows.one()), id);
            case PUT -> ask(put, consistency, exchange, _ -> exchange.answer(Answer.CREATED), id, ByteBuffer.wrap(request.bodyToKeep()));
            case DELETE -> ask(delete, consistency, exchange, _ -> exchange.answer(Answer.ACCEPTED), id);
            default -> throw Entities.wrongMethod("GET, PUT, DELETE");
        }
    }

    private void ask(PreparedStatement statement, Consistency consistency, Exchange exchange, Consumer<AsyncResultSet> then, ByteBuffer... values) {
        session.executeAsync(bound(statement, values).setConsistencyLevel(consistency.level)).thenAccept(then).exceptionally(failure -> {
            exchange.answer(answer(failure));
            return null;
        });
    }

    /** Ids are UTF-8 already, which is how Cassandra keeps text. */
    private static BoundStatement bound(PreparedStatement statement, ByteBuffer... values) {
        BoundStatement bound = statement.bind();
        for (int i = 0; i < values.length; i++) {
            bound = bound.setBytesUnsafe(i, values[i]);
        }
        return bound;
    }

    private static void found(Request request, Exchange exchange, Row row) {
        if (row == null) {
            exchange.answer(Answer.NO_SUCH_ID);
        } else {
            MemorySegment value = MemorySegment.ofBuffer(row.getByteBuffer(0));
            exchange.answerValue(Answer.value(request, value, 0, (int) value.byteSize()));
        }
    }

    private static Answer answer(Throwable failure) {
        return switch (failure instanceof CompletionException wrapped ? wrapped.getCause() : failure) {
            case UnavailableException _ -> TOO_FEW;
            case QueryConsistencyException _ -> LATE; // a time-out of the coordinator, or a replica that failed
            case DriverTimeoutException _ -> LATE;
            case RequestThrottlingException _ -> OVERLOADED;
            case OverloadedException _ -> OVERLOADED;
            case AllNodesFailedException all -> all.getAllErrors().values().stream().flatMap(errors -> errors.stream()).map(CassandraEntities::answer)
                    .filter(answer -> answer.status != 500).findFirst().orElse(TOO_FEW);
            case Throwable other -> Failures.answer(other);
        };
    }

    @Override
    public RangeStream.Records range(MemorySegment from, MemorySegment to) {
        throw new Refused(501, "this cluster keeps keys in the order of their hashes, so it has no ranges of ids");
    }
}
