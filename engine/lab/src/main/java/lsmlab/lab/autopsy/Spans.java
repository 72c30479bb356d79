// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Parts of time that may overlap, found by when they are. */
final class Spans {
    static final Spans NONE = new Spans(List.of());

    private final List<Part> byBeginning;
    private final long longestNanos;

    Spans(List<Part> parts) {
        byBeginning = new ArrayList<>(parts);
        byBeginning.sort(Comparator.comparingLong(Part::fromNanos));
        longestNanos = parts.stream().mapToLong(Part::nanos).max().orElse(0);
    }

    /** Lays what lies between two times over the line. */
    void lay(TimeLine line, long fromNanos, long toNanos) {
        for (int i = firstFrom(fromNanos - longestNanos); i < byBeginning.size() && byBeginning.get(i).fromNanos() < toNanos; i++) {
            line.lay(byBeginning.get(i).within(fromNanos, toNanos));
        }
    }

    /** Place of the first that begins then or later. */
    private int firstFrom(long nanos) {
        int low = 0;
        int high = byBeginning.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (byBeginning.get(middle).fromNanos() < nanos) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
