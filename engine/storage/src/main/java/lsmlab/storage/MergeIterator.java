// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;

/** Merges sorted sources: of entries with the same key the newest source's wins, and what it deletes is left out. */
final class MergeIterator implements Iterator<Entry> {
    private static final class Source {
        final Iterator<Entry> entries;
        final int age;
        Entry head;

        Source(Iterator<Entry> entries, int age) {
            this.entries = entries;
            this.age = age;
        }

        boolean advance() {
            head = entries.hasNext() ? entries.next() : null;
            return head != null;
        }
    }

    private static final Comparator<Source> BY_KEY_THEN_AGE = (a, b) -> {
        int order = Keys.compare(a.head.key(), b.head.key());
        return order != 0 ? order : Integer.compare(a.age, b.age);
    };

    private final PriorityQueue<Source> sources = new PriorityQueue<>(BY_KEY_THEN_AGE);
    private Entry next;

    MergeIterator(List<Iterator<Entry>> newestFirst) {
        for (int age = 0; age < newestFirst.size(); age++) {
            Source source = new Source(newestFirst.get(age), age);
            if (source.advance()) {
                sources.add(source);
            }
        }
        next = nextLive();
    }

    private Entry nextLive() {
        while (!sources.isEmpty()) {
            Entry newest = sources.peek().head;
            do {
                advanceFirst();
            } while (!sources.isEmpty() && Keys.compare(sources.peek().head.key(), newest.key()) == 0);
            if (!newest.isTombstone()) {
                return newest;
            }
        }
        return null;
    }

    private void advanceFirst() {
        Source first = sources.poll();
        if (first.advance()) {
            sources.add(first);
        }
    }

    @Override
    public boolean hasNext() {
        return next != null;
    }

    @Override
    public Entry next() {
        if (next == null) {
            throw new NoSuchElementException();
        }
        Entry current = next;
        next = nextLive();
        return current;
    }
}
