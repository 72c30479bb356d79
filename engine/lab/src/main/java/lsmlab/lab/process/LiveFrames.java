// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import lsmlab.lab.environment.Json;

/** Reads the frames that a traced server writes while it works. They come from a file, so a picture keeps moving while the server answers no request. */
public final class LiveFrames {
    private final Path file;
    private long at; // everything before this position was read

    /**
     * One frame.
     *
     * @param insideMicros how long requests were inside the server: of those that ended since the frame before, a hundred at most
     */
    public record LiveFrame(ServerTrace.Frame frame, List<Long> insideMicros) {}

    /** Skips what is in the file already. */
    LiveFrames(Path file) throws IOException {
        this.file = file;
        at = Files.exists(file) ? Files.size(file) : 0;
    }

    /** Frames that the server writes from now on. REQUIRES: the server is traced. */
    public static LiveFrames of(ServerProcess server) {
        try {
            return new LiveFrames(server.frames());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The frames written since the last call, oldest first. */
    public List<LiveFrame> next() {
        List<LiveFrame> frames = new ArrayList<>();
        for (String line : newLines()) {
            try {
                frames.add(Json.MAPPER.readValue(line, LiveFrame.class));
            } catch (JsonProcessingException e) {
                // the end of a line whose beginning was lost when the file was truncated, or a line that a full disk cut off
            }
        }
        return frames;
    }

    private List<String> newLines() {
        try (FileChannel channel = FileChannel.open(file)) {
            long size = channel.size();
            if (size < at) {
                at = 0; // the server truncates its file when it starts, and when the file is large
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(Integer.MAX_VALUE, size - at));
            channel.read(bytes, at);
            int end = bytes.position();
            while (end > 0 && bytes.get(end - 1) != '\n') {
                end--;
            }
            at += end;
            return new String(bytes.array(), 0, end, StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            return List.of(); // the server is stopped, or has no room: there is nothing to see
        }
    }
}
