// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.count;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * The run as a HdrHistogram log: a line a second and tag, of what was completed (or sent) in it. Tags: {@code response}, {@code service},
 * {@code lag} (of sends), and response times by class of status as {@code 2xx}. Values are microseconds, the maxima beside them
 * milliseconds; times count from the beginning of the run, a warm-up left out.
 */
public final class IntervalLog implements Closeable {
    private static final double MICROS_PER_MILLI = 1_000;
    private static final int DIGITS = 3;

    /** What one thread records. */
    public static final class Part {
        private final Map<String, SingleWriterRecorder> byTag = new LinkedHashMap<>();
        private final SingleWriterRecorder response = recorder("response");
        private final SingleWriterRecorder service = recorder("service");
        private final SingleWriterRecorder lag = recorder("lag");
        private final SingleWriterRecorder[] responseByClass = new SingleWriterRecorder[10];

        private Part() {
            for (int i = 1; i < responseByClass.length; i++) {
                responseByClass[i] = recorder(i + "xx");
            }
        }

        private SingleWriterRecorder recorder(String tag) {
            SingleWriterRecorder recorder = new SingleWriterRecorder(DIGITS);
            byTag.put(tag, recorder);
            return recorder;
        }

        public void sent(long lagMicros) {
            lag.recordValue(lagMicros);
        }

        public void completed(int status, long responseMicros, long serviceMicros) {
            response.recordValue(responseMicros);
            service.recordValue(serviceMicros);
            responseByClass[status / 100].recordValue(responseMicros);
        }
    }

    private final Path file;
    private final PrintStream out;
    private final HistogramLogWriter writer;
    private final List<Part> parts = new ArrayList<>();
    private final EverySecond ticks;
    private final long startNanos;
    private long writtenNanos;

    /** @param startNanos when the run begins, a {@link System#nanoTime} */
    public IntervalLog(Path file, String url, int threads, long startNanos) throws FileNotFoundException {
        this.startNanos = startNanos;
        writtenNanos = startNanos;
        for (int i = 0; i < threads; i++) {
            parts.add(new Part());
        }
        this.file = file;
        out = new PrintStream(new BufferedOutputStream(new FileOutputStream(file.toFile())), false, StandardCharsets.UTF_8);
        writer = new HistogramLogWriter(out);
        long startMillis = System.currentTimeMillis() + (startNanos - System.nanoTime()) / 1_000_000;
        writer.outputComment("[wrk2.jar: %s; values in microseconds, maxima in milliseconds]".formatted(url));
        writer.outputLogFormatVersion();
        writer.outputStartTime(startMillis);
        writer.outputLegend();
        ticks = new EverySecond("hlog", startNanos, this::write);
    }

    public Part part(int thread) {
        return parts.get(thread);
    }

    private void write() {
        double from = (writtenNanos - startNanos) / 1e9;
        writtenNanos = System.nanoTime();
        double to = (writtenNanos - startNanos) / 1e9;
        for (String tag : parts.getFirst().byTag.keySet()) {
            Histogram all = new Histogram(DIGITS);
            for (Part part : parts) {
                all.add(part.byTag.get(tag).getIntervalHistogram());
            }
            if (all.getTotalCount() > 0) {
                all.setTag(tag);
                writer.outputIntervalHistogram(from, to, all, MICROS_PER_MILLI);
            }
        }
    }

    /** Writes what came since the last interval. */
    @Override
    public void close() throws IOException {
        ticks.close();
        write();
        writer.close();
        if (out.checkError()) {
            throw new IOException(file + " could not be written in full: is its disk full?");
        }
    }
}
