// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.compaction;

import java.util.Comparator;

/** The place of a run among the runs of a store; in the order of recency, newest first. */
public record Place(int level, long run) implements Comparable<Place> {
    private static final Comparator<Place> NEWEST_FIRST =
            Comparator.comparingInt(Place::level).thenComparing(Comparator.comparingLong(Place::run).reversed());

    @Override
    public int compareTo(Place other) {
        return NEWEST_FIRST.compare(this, other);
    }
}
