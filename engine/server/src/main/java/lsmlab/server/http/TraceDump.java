// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.http;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import lsmlab.server.trace.Frames;
import lsmlab.server.trace.ProcessEvents;
import lsmlab.server.trace.RequestLog;
import lsmlab.server.trace.StackSamples;
import lsmlab.server.trace.Tracing;
import lsmlab.server.wire.Parameter;
import lsmlab.server.wire.Request;

/**
 * The answer to {@code /v0/requests}, as records of a range: first "about" with a JSON object, then blocks of entries. A block's key is its length in bytes, in
 * digits; {@link RequestLog} says what an entry is.
 */
final class TraceDump implements RangeStream.Records {
    private static final JsonMapper JSON = new JsonMapper();
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

    /** What is not in the entries; engine/server/README.md describes it. */
    private record About(long nowNanos, int entryBytes, int unitNanos, long lost, List<String> times, long eventsSinceNanos, List<ProcessEvents.Event> events, List<String> stacks,
            List<StackSamples.Sample> samples, List<Frames.Frame> frames) {}

    private static byte[] about(Tracing tracing, long fromNanos, long toNanos) throws IOException {
        ProcessEvents.Found found = tracing.events().between(fromNanos, toNanos);
        return JSON.writeValueAsBytes(new About(System.nanoTime(), RequestLog.ENTRY_BYTES, RequestLog.UNIT_NANOS, tracing.requests().lost(), RequestLog.names(), found.sinceNanos(), found.events(),
                found.samples().stacks(), found.samples().samples(), tracing.frames().between(fromNanos, toNanos)));
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
