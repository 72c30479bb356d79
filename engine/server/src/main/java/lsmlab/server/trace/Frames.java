// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.trace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import lsmlab.storage.stats.Layout;
import lsmlab.storage.stats.Stats;

/** What the engine looks like, two to three times a second: frames of a moving picture. A thread of its own takes them, so they go on while writes stall. */
public final class Frames implements AutoCloseable {
    private static final long PERIOD_MILLIS = 400;
    private static final int MOST_FRAMES = 1_500; // ten minutes
    /** Older runs than these are shown as one. */
    private static final int MOST_RUNS = 60;

    private final Supplier<Layout> layout;
    private final Supplier<Stats> stats;
    private final FrameFile file; // null: none
    private final Deque<Frame> frames = new ArrayDeque<>(); // GUARDED BY this; the newest last
    private final Thread thread = Thread.ofPlatform().daemon().name("frames").unstarted(this::run);

    /**
     * The engine at one moment.
     *
     * @param nanos of System.nanoTime
     */
    public record Frame(long nanos, Layout layout, Counts counts) {}

    /** Of the engine's counters, what a picture shows: all since it was opened. */
    public record Counts(long writes, long gets, long tablesAsked, long prunedByRange, long prunedByMap, long prunedByBloom, long bloomFalsePositives, long stallNanos) {}

    /** @param file for frames as they are taken; null: none */
    Frames(Supplier<Layout> layout, Supplier<Stats> stats, FrameFile file) {
        this.layout = layout;
        this.stats = stats;
        this.file = file;
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                take();
                TimeUnit.MILLISECONDS.sleep(PERIOD_MILLIS);
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    private void take() {
        Frame frame;
        try {
            frame = new Frame(System.nanoTime(), shown(layout.get()), counts(stats.get()));
        } catch (RuntimeException | Error e) {
            return; // the engine is being closed, or there is no memory: a frame less
        }
        if (file != null) {
            file.add(frame);
        }
        synchronized (this) {
            if (frames.size() == MOST_FRAMES) {
                frames.removeFirst();
            }
            Frame last = frames.peekLast();
            boolean isSame = last != null && last.layout.runs().equals(frame.layout.runs()); // mostly so: kept once
            frames.add(isSame ? new Frame(frame.nanos, new Layout(frame.layout.activeBytes(), frame.layout.frozenBytes(), last.layout.runs(), frame.layout.stall()), frame.counts) : frame);
        }
    }

    private static Layout shown(Layout all) {
        if (all.runs().size() <= MOST_RUNS) {
            return all;
        }
        List<Layout.Run> runs = new ArrayList<>(all.runs().subList(0, MOST_RUNS - 1));
        List<Layout.Run> older = all.runs().subList(MOST_RUNS - 1, all.runs().size());
        runs.add(new Layout.Run(older.getLast().level(), older.getLast().id(), older.stream().mapToInt(Layout.Run::tables).sum(), older.stream().mapToLong(Layout.Run::bytes).sum(),
                older.stream().anyMatch(Layout.Run::merging)));
        return new Layout(all.activeBytes(), all.frozenBytes(), runs, all.stall());
    }

    private static Counts counts(Stats stats) {
        Stats.Reads reads = stats.reads();
        return new Counts(stats.writes().puts() + stats.writes().deletes(), reads.gets(), reads.tablesAsked(), reads.prunedByRange(), reads.prunedByMap(), reads.prunedByBloom(),
                reads.bloomFalsePositives(), stats.waits().stallNanos());
    }

    /** Those of this span of time that are kept, oldest first. */
    public synchronized List<Frame> between(long fromNanos, long toNanos) {
        return frames.stream().filter(frame -> frame.nanos >= fromNanos && frame.nanos <= toNanos).toList();
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(); // it reads memory that is freed next
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (file != null) {
            file.close();
        }
    }
}
