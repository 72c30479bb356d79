// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * This engine and another store, each in a process of its own, that do the same in turns; each begins in every second turn. WHY in pairs: the data of two stores and their caches fit into
 * memory, those of four do not.
 */
final class Comparison implements AutoCloseable {
    /** Pairs of turns of whatever is a ratio: the second lowest and the second highest of nine hold the median with 96 %. */
    static final int PAIRS = 9;
    /** A store's own cache gets 1 / CACHE_SHARE of limited memory. Its program and the system's cache need the rest. */
    private static final int CACHE_SHARE = 3;
    private static final int WARMING_TURNS = 10; // until what fits into memory is there
    private static final long LEAST_FILL_SECONDS = 30;
    private static final long SLOWEST_FILL_BYTES = 7_000_000; // a second: a store that is slower is filled in part
    private static final long SLOWEST_FILL_RECORDS = 40_000;

    private final int valueBytes;
    private final Kind other;
    private final boolean full;
    private String size; // behind the names of workloads; empty: the usual one
    private final long fillSeconds;
    private final Report report;
    private final List<Child> children = new ArrayList<>();
    private final List<MemoryLimit> limits = new ArrayList<>();
    private int turn;

    /** @param other this engine itself if it is measured alone */
    Comparison(Path folder, long dataBytes, int valueBytes, Kind other, boolean full, String size, Report report) throws IOException {
        this.valueBytes = valueBytes;
        this.other = other;
        this.full = full;
        this.size = size;
        this.report = report;
        fillSeconds = LEAST_FILL_SECONDS + Math.max(dataBytes / SLOWEST_FILL_BYTES, dataBytes / valueBytes / SLOWEST_FILL_RECORDS);
        for (Kind kind : Stream.of(Kind.LSM, other).distinct().toList()) {
            children.add(new Child(kind, folder.resolve(kind.name().toLowerCase(Locale.ROOT)), dataBytes / valueBytes, valueBytes));
        }
    }

    /** All of it: reads of a store as filled and compacted, scans, mixed work, YCSB, fills in order, synced ones. */
    void everything() throws IOException {
        fillAndReads();
        pairs("mixed", "mixed " + seconds());
        for (Ycsb letter : Ycsb.values()) {
            pairs("YCSB " + letter, "ycsb " + letter + " " + seconds());
        }
        empty();
        fill("sequential");
        empty();
        once("open", "open unsynced");
        pairs("fill-batches of 1,000, 8 threads", "fill-batches 1000 8 " + seconds());
        empty();
        for (int threads : new int[] {1, 16}) {
            once("open", "open synced");
            pairs("fill-synced, " + threads + (threads == 1 ? " thread" : " threads"), "fill-synced " + threads + " " + seconds());
            empty();
        }
    }

    /** What grows with the data, or with the values. */
    void fillAndReads() throws IOException {
        fill("random");
        reads("as filled");
        compact();
        reads("compacted");
        pairs("scan", "scan");
    }

    /** Reads of a store that has memory for a part of its data only, its program included; where the system lets us set no limit, none of the data is in memory when a turn begins. */
    void limited(long memoryBytes) throws IOException {
        fill("random");
        once("close", "close");
        size = ", limited memory";
        boolean areLimited = true;
        for (Child child : children) {
            if (!child.hasFailed()) {
                MemoryLimit limit = MemoryLimit.of(memoryBytes, child.kind.name().toLowerCase(Locale.ROOT));
                if (limit == null) {
                    areLimited = false;
                } else {
                    limits.add(limit);
                }
                child.again(limit);
            }
        }
        String open = "open-limited " + memoryBytes / CACHE_SHARE;
        if (areLimited) {
            once("open", open);
            once("warm", "get-existing " + WARMING_TURNS * seconds());
            pairs("get-existing", "get-existing " + seconds());
            pairs("get-missing", "get-missing " + seconds());
            pairs("YCSB B", "ycsb B " + seconds());
            return;
        }
        for (int pair = 0; pair < PAIRS; pair++) {
            once("close", "close");
            for (Child child : children) {
                child.dropPages();
            }
            once("open", open);
            once("get-existing, pages dropped", "get-existing " + seconds());
        }
    }

    /** In as many parts as there are pairs; each ends when the store has settled, so that no work is left for the other's turn. */
    private void fill(String order) throws IOException {
        once("open", "open unsynced");
        for (int part = 1; part <= PAIRS; part++) {
            once("fill-" + order, "fill-%s %d %d %d".formatted(order, part, PAIRS, fillSeconds / PAIRS));
        }
    }

    /** Whether its turns are parts of one task, and not the same again. */
    static boolean isInStages(String workload) {
        return workload.startsWith("fill-random") || workload.startsWith("fill-sequential");
    }

    private void reads(String state) throws IOException {
        once("warm", "warm");
        pairs("get-existing, " + state, "get-existing " + seconds());
        pairs("get-missing, " + state, "get-missing " + seconds());
        if (other.hasViews()) {
            pairs("view-existing, " + state, "view-existing " + seconds());
        }
        pairs("get 16 together, " + state, "get-together 16 " + seconds());
    }

    /** Opened anew, as a store would be that was compacted at night. */
    private void compact() throws IOException {
        once("compact", "compact");
        once("close", "close");
        once("open", "open unsynced");
    }

    private double seconds() {
        return full ? 2 : 0.5;
    }

    private void pairs(String workload, String command) throws IOException {
        for (int pair = 0; pair < PAIRS; pair++) {
            once(workload, command);
        }
    }

    private void once(String workload, String command) throws IOException {
        for (int i = 0; i < children.size(); i++) {
            Child child = children.get((turn + i) % children.size());
            if (!child.hasFailed()) {
                Child.settleDisk();
                report.progress("%s: %s, %d bytes".formatted(child.kind.title, workload, valueBytes));
                ask(child, workload, command);
            }
        }
        turn++;
    }

    /** A store that fails is left out from then on; the other goes on. */
    private void ask(Child child, String workload, String command) {
        try {
            report.add(valueBytes, workload + size, other, child.kind, child.ask(command));
        } catch (IOException e) {
            report.failed(valueBytes, workload + size, child.kind, e.getMessage());
        }
    }

    /** Closes the stores and removes what they hold. */
    private void empty() throws IOException {
        once("close", "close");
        for (Child child : children) {
            if (!child.hasFailed()) {
                child.empty();
            }
        }
    }

    @Override
    public void close() throws IOException {
        try {
            for (Child child : children) {
                child.close();
            }
        } finally {
            limits.forEach(MemoryLimit::close);
        }
    }
}
