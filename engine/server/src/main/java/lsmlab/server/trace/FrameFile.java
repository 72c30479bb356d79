// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.trace;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import lsmlab.server.trace.Frames.Frame;

/**
 * Writes each frame when it is taken, as a line of JSON, for a client that watches the engine. WHY a file: it can be read while the server answers no request, as in a stall.
 * The file is truncated when it becomes large.
 */
final class FrameFile implements AutoCloseable {
    private static final long MOST_BYTES = 4 << 20;
    /** Of one frame: enough for a picture of how long requests take. */
    private static final int MOST_REQUESTS = 100;
    private static final long MICRO = 1_000;
    private static final JsonMapper JSON = new JsonMapper();

    private final RequestLog requests;
    private final FileChannel file;
    private long from; // the first entry of the next frame

    FrameFile(Path path, RequestLog requests) throws IOException {
        this.requests = requests;
        file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    }

    /** @param insideMicros how long requests were inside the server: of those that ended since the frame before, at most a hundred, evenly chosen */
    private record Line(Frame frame, long[] insideMicros) {}

    /** Skips a frame that cannot be written: the server does not depend on it. REQUIRES: one thread. */
    void add(Frame frame) {
        long begin = from;
        from = requests.count();
        try {
            long[] nanos = requests.insideNanos(begin, from, Math.ceilDiv(Math.max(1, from - begin), MOST_REQUESTS));
            byte[] line = JSON.writeValueAsBytes(new Line(frame, Arrays.stream(nanos).map(time -> time / MICRO).toArray()));
            ByteBuffer bytes = ByteBuffer.allocate(line.length + 1).put(line).put((byte) '\n').flip();
            if (file.size() > MOST_BYTES) {
                file.truncate(0);
            }
            file.write(bytes, file.size());
        } catch (IOException | OutOfMemoryError e) {
            // the disk is full, there is no memory, or the server is closing
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            // every line was written already
        }
    }
}
