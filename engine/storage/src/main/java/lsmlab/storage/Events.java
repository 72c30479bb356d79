// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Events for the flight recorder. An event's duration is that of the work. */
final class Events {
    private Events() {}

    @Name("lsmlab.Flush")
    @Label("Flush")
    @Category("LSM store")
    @StackTrace(false)
    static final class Flush extends Event {
        @Label("Number of the memtable and its table")
        long number;
        @Label("Entries")
        long entries;
        @Label("Length of the table")
        @DataAmount
        long bytes;
    }

    @Name("lsmlab.Compaction")
    @Label("Compaction")
    @Category("LSM store")
    @StackTrace(false)
    static final class Compaction extends Event {
        @Label("Why")
        String because;
        @Label("Input tables")
        int inputs;
        @Label("Output tables")
        int outputs;
        @Label("Length of the inputs")
        @DataAmount
        long readBytes;
        @Label("Length of the outputs")
        @DataAmount
        long writtenBytes;
    }

    @Name("lsmlab.Stall")
    @Label("Stall of writes")
    @Category("LSM store")
    @StackTrace(false)
    static final class Stall extends Event {
        @Label("Cause")
        String cause;
    }

    @Name("lsmlab.Recovery")
    @Label("Recovery")
    @Category("LSM store")
    @StackTrace(false)
    static final class Recovery extends Event {
        @Label("Tables opened")
        int tables;
        @Label("Logs read")
        int logs;
        @Label("Writes found in them")
        long writes;
        @Label("What was cut off, if anything")
        String cut;
    }
}
