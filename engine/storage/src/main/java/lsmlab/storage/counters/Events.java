// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.counters;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Events for the flight recorder. An event's duration is that of the work. */
public final class Events {
    private Events() {}

    /** The annotations are inherited. */
    @Category("LSM store")
    @StackTrace(false)
    abstract static class OfStore extends Event {}

    @Name("lsmlab.Flush")
    @Label("Flush")
    public static final class Flush extends OfStore {
        @Label("Number of the memtable and its table")
        public long number;
        @Label("Entries")
        public long entries;
        @Label("Length of the table")
        @DataAmount
        public long bytes;
    }

    @Name("lsmlab.Compaction")
    @Label("Compaction")
    public static final class Compaction extends OfStore {
        @Label("Why")
        public String because;
        @Label("Input tables")
        public int inputs;
        @Label("Output tables")
        public int outputs;
        @Label("Length of the inputs")
        @DataAmount
        public long readBytes;
        @Label("Length of the outputs")
        @DataAmount
        public long writtenBytes;
    }

    @Name("lsmlab.Stall")
    @Label("Stall of writes")
    public static final class Stall extends OfStore {
        @Label("Cause")
        public String cause;
    }

    @Name("lsmlab.Recovery")
    @Label("Recovery")
    public static final class Recovery extends OfStore {
        @Label("Tables opened")
        public int tables;
        @Label("Logs read")
        public int logs;
        @Label("Writes found in them")
        public long writes;
        @Label("What was cut off, if anything")
        public String cut;
    }
}
