// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.keys;

import java.lang.foreign.MemorySegment;
import lsmlab.storage.system.Freeable;

/** Where a look-up searches, a memtable or a table: sorted entries. */
public interface Source extends Freeable {
    /** The entries with a key of at least {@code from}, null for all; of a memtable those of this moment. */
    Cursor cursor(MemorySegment from);

    /** Searches for the lookup's key and records the result in the lookup; returns false if the key is absent. */
    boolean find(Lookup lookup);
}
