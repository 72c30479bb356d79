// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.keys;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import lsmlab.storage.counters.ReadCounters;
import lsmlab.storage.entries.ValueReader;
import lsmlab.storage.system.ColdReads;

/** One look-up in the tree: its key, the answer, and the steps where they are asked for. Used again for the next key. */
public final class Lookup {
    /** Runs whose filters are asked for before the first answer is needed. */
    private static final int RUNS_AT_ONCE = 8;

    public final ReadCounters counters;
    public final ColdReads coldReads;

    public MemorySegment key;
    public long hash;
    public long number; // of the key, for a table's index
    public long block; // of the table, where the key is looked for
    public boolean isTied; // if the key is not in that block, it may be in the one before
    public int groups; // of runs that may hold the key, by the map of keys
    public boolean isInside; // the key is known to lie in the range of the table that is asked next
    public boolean isMapped; // by the map of keys, that table may hold it
    public int firstPassed; // of the runs that were passed over when it turned last
    public int endPassed; // they end before this one
    /** What was read only to have it in the processor's cache. Kept, or the JVM would not read it. */
    public long touched;

    // It aims at some runs at once, newest first, and then turns to one after the other.
    private int aims;
    private int turn; // number of the next aim
    private int runs; // those before it were aimed at or ruled out
    private int nextRun; // those before it were turned to or passed over
    private final int[] aimedRuns = new int[RUNS_AT_ONCE];
    private final Source[] tables = new Source[RUNS_AT_ONCE]; // null: none of the run can hold the key
    private final boolean[] inside = new boolean[RUNS_AT_ONCE];
    private final boolean[] mapped = new boolean[RUNS_AT_ONCE];
    private final MemorySegment[] filters = new MemorySegment[RUNS_AT_ONCE];
    private final long[] lines = new long[RUNS_AT_ONCE];
    private boolean asksAhead;
    private boolean tombstone;
    private MemorySegment source;
    private long valueAt;
    private int valueLength;
    private List<String> steps; // null unless the look-up is explained

    public Lookup() {
        this(new ReadCounters(), new ColdReads());
    }

    /** With the counters and the guess of another. */
    public Lookup(Lookup other) {
        this(other.counters, other.coldReads);
    }

    private Lookup(ReadCounters counters, ColdReads coldReads) {
        this.counters = counters;
        this.coldReads = coldReads;
    }

    public Lookup of(MemorySegment key) {
        this.key = key;
        long length = key.byteSize();
        hash = Keys.hash(key, 0, length);
        isInside = false;
        isMapped = false;
        begin(true);
        return this;
    }

    private void begin(boolean asksAhead) {
        tombstone = false;
        aims = 0;
        turn = 0;
        runs = 0;
        nextRun = 0;
        this.asksAhead = asksAhead;
    }

    /** From the beginning, and nothing is asked for before it is needed. What was counted stays. */
    public void again() {
        begin(false);
        if (steps != null) {
            steps.clear();
        }
    }

    /** From now on each step is written down. */
    public Lookup explainedBy(List<String> steps) {
        this.steps = steps;
        return this;
    }

    /** The runs before it were aimed at or ruled out. */
    public int runs() {
        return runs;
    }

    public void clearAims() {
        aims = 0;
        turn = 0;
    }

    public boolean hasRoom() {
        return aims < RUNS_AT_ONCE;
    }

    /**
     * Of the next run that is not ruled out. REQUIRES: room.
     *
     * @param table that will be asked; null: none of the run can hold the key
     * @param filter null: there is none, or it is not asked
     * @param line of the filter, where the key's bits are
     */
    public void aim(int run, Source table, MemorySegment filter, long line) {
        aimedRuns[aims] = run;
        tables[aims] = table;
        inside[aims] = isInside;
        mapped[aims] = isMapped;
        filters[aims] = filter;
        lines[aims++] = line;
    }

    /** It aims at the runs before this one, or they are ruled out. */
    public void aimedUpTo(int runs) {
        this.runs = runs;
    }

    /** Reads a part of each filter's line. WHY in a loop of its own: a processor waits at once for as many lines of its cache as it meets within some hundred instructions. */
    public void touchFilters() {
        long sum = 0;
        for (int i = 0; asksAhead && i < aims; i++) {
            sum += filters[i] == null ? 0 : filters[i].get(ValueLayout.JAVA_BYTE, lines[i]);
        }
        touched += sum;
    }

    /** Turns to the next run that it aims at, and passes over those that are ruled out before it; false: there is none, and it passes over the rest. */
    public boolean turn() {
        boolean isAimed = turn < aims;
        firstPassed = nextRun;
        endPassed = isAimed ? aimedRuns[turn] : runs;
        nextRun = endPassed;
        if (isAimed) {
            turn++;
            nextRun++;
        }
        return isAimed;
    }

    /** Of the run that it has turned to; null: none of its tables can hold the key. From now on it knows of the key and this table what it knew when it aimed. */
    public Source table() {
        isInside = inside[turn - 1];
        isMapped = mapped[turn - 1];
        return tables[turn - 1];
    }

    /** Lets go of key, value and steps; the counters stay. */
    public void forget() {
        key = null;
        source = null;
        steps = null;
    }

    public void foundTombstone() {
        tombstone = true;
    }

    public void found(MemorySegment source, long valueAt, int valueLength) {
        this.source = source;
        this.valueAt = valueAt;
        this.valueLength = valueLength;
    }

    public boolean isFound() {
        return source != null;
    }

    public <C, R> R read(C context, ValueReader<C, R> reader) {
        return reader.read(context, source, valueAt, valueLength);
    }

    public boolean isExplained() {
        return steps != null;
    }

    public void explain(String source, String what) {
        if (steps != null) {
            steps.add(source + ": " + what);
        }
    }

    /** What the search of a table has found, and what all took until now. */
    public void explainSearch(String table) {
        if (steps != null) {
            explain(table, "%s, %s compared and %s read so far".formatted(outcome(), plural(counters.probes, "key"), plural(counters.blocksRead, "block")));
        }
    }

    private static String plural(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    public String outcome() {
        return tombstone ? "tombstone" : source != null ? "found" : "not there";
    }
}
