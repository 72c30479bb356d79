// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.history;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import lsmlab.lab.measure.Timeline.Event;

/**
 * What clients did to some keys and saw, and what was done to servers meanwhile.
 *
 * @param operations of all clients, by their starts
 * @param atEnd a read of each key after that, when nothing was disturbed any more
 * @param events what was done to servers
 */
public record History(String label, List<Operation> operations, List<Operation> atEnd, List<Event> events) {
    private Map<Integer, List<Operation>> byKey() {
        return operations.stream().collect(Collectors.groupingBy(Operation::key));
    }

    private Register register(int key) {
        return new Register(operations.stream().filter(operation -> operation.key() == key).toList());
    }

    /** Reads that were answered. */
    public long reads() {
        return operations.stream().filter(operation -> operation.done() && !operation.isWrite()).count();
    }

    /** Writes that were acknowledged. */
    public long writes() {
        return operations.stream().filter(operation -> operation.done() && operation.isWrite()).count();
    }

    /** Reads that missed a write which was acknowledged before they began, by their starts. A register that is at least regular has none. */
    public List<Operation> staleReads() {
        return byKey().values().stream().flatMap(key -> new Register(key).staleReads().stream()).sorted(Comparator.comparingDouble(Operation::startSeconds)).toList();
    }

    /** The acknowledged write that a stale read should have found, or one as new. */
    public Operation missed(Operation read) {
        return register(read.key()).missed(read);
    }

    /** Keys whose read at the end found something older than an acknowledged write, or got no answer. */
    public List<Integer> lost() {
        return atEnd.stream().filter(read -> !read.done() || register(read.key()).isStale(read)).map(Operation::key).toList();
    }

    /** Keys whose operations one order explains, as if there were one copy. */
    public long linearizableKeys() {
        return byKey().values().stream().filter(key -> new Register(key).isLinearizable()).count();
    }

    /** All keys. */
    public long keys() {
        return byKey().size();
    }

    /** The clients' numbers. */
    public List<Integer> clients() {
        return IntStream.rangeClosed(1, operations.stream().mapToInt(Operation::client).max().orElse(0)).boxed().toList();
    }

    /** What was found, in words. */
    public String words() {
        return "%,d reads and %,d writes answered, of %,d operations; %,d reads stale; acknowledged writes of %d keys lost; %d of %d keys linearizable"
                .formatted(reads(), writes(), operations.size(), staleReads().size(), lost().size(), linearizableKeys(), keys());
    }

    @Override
    public String toString() {
        return label + ": " + words();
    }
}
