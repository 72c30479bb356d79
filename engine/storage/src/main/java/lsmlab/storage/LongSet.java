// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.util.Arrays;
import java.util.Random;

/** A set of numbers of 0 or more in one array (open addressing), from which a random one can be taken. */
final class LongSet {
    private static final long EMPTY = -1;

    private long[] places = new long[1024];
    private int size;

    LongSet() {
        Arrays.fill(places, EMPTY);
    }

    int size() {
        return size;
    }

    boolean contains(long number) {
        return places[find(number)] == number;
    }

    void add(long number) {
        int place = find(number);
        if (places[place] == number) {
            return;
        }
        places[place] = number;
        if (++size > places.length / 2) {
            grow();
        }
    }

    /** REQUIRES: a number in the set. */
    void removeAny(Random random) {
        int place = random.nextInt(places.length);
        while (places[place] == EMPTY) {
            place = (place + 1) & (places.length - 1);
        }
        removeAt(place);
    }

    /** Moves those that follow and were displaced, so that no search ends at the gap. */
    private void removeAt(int place) {
        int gap = place;
        for (int next = (gap + 1) & (places.length - 1); places[next] != EMPTY; next = (next + 1) & (places.length - 1)) {
            int home = home(places[next]);
            if (((next - home) & (places.length - 1)) >= ((next - gap) & (places.length - 1))) {
                places[gap] = places[next];
                gap = next;
            }
        }
        places[gap] = EMPTY;
        size--;
    }

    private int find(long number) {
        int place = home(number);
        while (places[place] != EMPTY && places[place] != number) {
            place = (place + 1) & (places.length - 1);
        }
        return place;
    }

    private int home(long number) {
        return (int) Keys.mix(number) & (places.length - 1);
    }

    private void grow() {
        long[] before = places;
        places = new long[before.length * 2];
        Arrays.fill(places, EMPTY);
        for (long number : before) {
            if (number != EMPTY) {
                places[find(number)] = number;
            }
        }
    }
}
