// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** db_bench's workloads by db_bench's names, one after another on one store, and a line for each like db_bench's. */
final class Workloads {
    /** A workload: what a {@link Worker} is asked, and whether it begins with an empty store. */
    enum Workload {
        FILLSEQ("fill-sequential 1 1 1e9", true), FILLRANDOM("fill-random 1 1 1e9", true), FILLSYNC("fill-synced 1 5", true), READRANDOM("read-random", false),
        READMISSING("read-missing", false), READSEQ("scan", false), COMPACT("compact", false);

        private final String command;
        private final boolean fresh;

        Workload(String command, boolean fresh) {
            this.command = command;
            this.fresh = fresh;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final List<Workload> workloads;
    private final long records;
    private final int valueBytes;

    /** @throws IllegalArgumentException when something is to be read before anything was filled */
    Workloads(List<Workload> workloads, long records, int valueBytes) {
        boolean filled = false;
        for (Workload workload : workloads) {
            if (!workload.fresh && !filled) {
                throw new IllegalArgumentException("%s works on what a fill left: put fillrandom or fillseq before it".formatted(workload));
            }
            filled = workload.fresh ? workload != Workload.FILLSYNC : filled; // which writes for a time, not all records
        }
        this.workloads = workloads;
        this.records = records;
        this.valueBytes = valueBytes;
    }

    /** Runs them on each store in turn and prints what each did. */
    void run(List<Kind> stores, Path folder) throws IOException {
        System.out.printf(Locale.ROOT, "%,d records, keys of %d bytes, values of %d bytes%n", records, Data.KEY_BYTES, valueBytes);
        List<Child> children = new ArrayList<>();
        try {
            for (Kind kind : stores) {
                children.add(new Child(kind, folder.resolve(kind.name().toLowerCase(Locale.ROOT)), records, valueBytes));
            }
            for (Workload workload : workloads) {
                for (Child child : children) {
                    run(workload, child);
                }
            }
        } finally {
            for (Child child : children) {
                child.close();
            }
        }
    }

    private void run(Workload workload, Child child) throws IOException {
        if (workload.fresh) {
            child.ask("close");
            child.empty();
            child.ask(workload == Workload.FILLSYNC ? "open synced" : "open unsynced");
        }
        Child.settleDisk();
        JsonNode result = child.ask(workload.command);
        if (!result.has("perSecond")) {
            System.out.printf(Locale.ROOT, "%-12s: %-12s %12.3f s%n", workload, child.kind.title, result.get("seconds").asDouble());
            return;
        }
        double perSecond = result.get("perSecond").asDouble();
        System.out.printf(Locale.ROOT, "%-12s: %-12s %10.3f micros/op %,12.0f ops/sec %10.1f MB/s%n", workload, child.kind.title, 1e6 / perSecond,
                perSecond, perSecond * (valueBytes + Data.KEY_BYTES) / 1e6);
    }
}
