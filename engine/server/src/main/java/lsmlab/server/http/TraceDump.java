// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.http;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import lsmlab.server.trace.ProcessEvents;
import lsmlab.server.trace.RequestLog;
import lsmlab.server.trace.Tracing;
import lsmlab.server.wire.Parameter;
import lsmlab.server.wire.Request;

/**
 * The answer to {@code /v0/requests}, as records of a range: first "about" with a JSON object, then blocks of entries. A block's key is its length in bytes, in
 * digits; {@link RequestLog} says what an entry is.
 */
final class TraceDump implements RangeStream.Records {
    private static final int BLOCK_BYTES = 512 * RequestLog.ENTRY_BYTES;

    private final RequestLog.Reader reader;
    private final byte[] block = new byte[BLOCK_BYTES];
    private MemorySegment about; // null once it was read
    private MemorySegment key;
    private MemorySegment value;

    /** What a request asks for. The next one may begin before the answer is sent: the same client may ask at once. */
    static TraceDump open(Tracing tracing, Request request, LongTask task) throws IOException {
        try {
            return new TraceDump(tracing, request.number(Parameter.START, Long.MIN_VALUE), request.number(Parameter.END, Long.MAX_VALUE));
        } finally {
            task.ended();
        }
    }

    /** Of requests that were under way, and events, in this span of time, by System.nanoTime. */
    private TraceDump(Tracing tracing, long fromNanos, long toNanos) throws IOException {
        about = MemorySegment.ofArray(about(tracing, fromNanos, toNanos));
        reader = tracing.requests().reader(fromNanos, toNanos);
    }

    private static byte[] about(Tracing tracing, long fromNanos, long toNanos) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = new JsonFactory().createGenerator(bytes, JsonEncoding.UTF8)) {
            json.writeStartObject();
            json.writeNumberField("nowNanos", System.nanoTime());
            json.writeNumberField("entryBytes", RequestLog.ENTRY_BYTES);
            json.writeNumberField("unitNanos", RequestLog.UNIT_NANOS);
            json.writeNumberField("lost", tracing.requests().lost());
            json.writeArrayFieldStart("times");
            for (String name : RequestLog.names()) {
                json.writeString(name);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("events");
            for (ProcessEvents.Event event : tracing.events().between(fromNanos, toNanos)) {
                json.writeStartObject();
                json.writeStringField("kind", event.kind());
                json.writeStringField("what", event.what());
                json.writeNumberField("fromNanos", event.fromNanos());
                json.writeNumberField("toNanos", event.toNanos());
                json.writeNumberField("thread", event.thread());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        return bytes.toByteArray();
    }

    @Override
    public boolean next() {
        if (about != null) {
            key = ascii("about");
            value = about;
            about = null;
            return true;
        }
        int length = reader.read(block) * RequestLog.ENTRY_BYTES;
        key = ascii(Integer.toString(length));
        value = MemorySegment.ofArray(block).asSlice(0, length);
        return length > 0;
    }

    private static MemorySegment ascii(String text) {
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public MemorySegment key() {
        return key;
    }

    @Override
    public MemorySegment value() {
        return value;
    }

    @Override
    public void close() {
        // holds nothing
    }
}
