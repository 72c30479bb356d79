// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The history of one key, judged as that of a register: something that holds the last value written to it. */
final class Register {
    private final List<Operation> reads;
    private final Map<Long, Operation> writes = new HashMap<>(); // by value
    private final List<Operation> byEnd; // the writes that were answered
    private final double[] lastStart; // the latest start among these up to each

    Register(List<Operation> operations) {
        reads = operations.stream().filter(operation -> !operation.isWrite() && operation.done()).toList();
        operations.stream().filter(Operation::isWrite).forEach(write -> writes.put(write.value(), write));
        byEnd = writes.values().stream().filter(Operation::done).sorted(Comparator.comparingDouble(Operation::endSeconds)).toList();
        lastStart = new double[byEnd.size()];
        for (int i = 0; i < lastStart.length; i++) {
            lastStart[i] = Math.max(i == 0 ? 0 : lastStart[i - 1], byEnd.get(i).startSeconds());
        }
    }

    /** The reads that a regular register would not answer so: a later write, begun after the value's own was acknowledged, was itself acknowledged before the read began. */
    List<Operation> staleReads() {
        return reads.stream().filter(this::isStale).toList();
    }

    boolean isStale(Operation read) {
        return lastStartBefore(read.startSeconds()) > certainly(read.value());
    }

    /** The write that a stale read should have found, or one as new. */
    Operation missed(Operation read) {
        double start = lastStartBefore(read.startSeconds());
        return byEnd.stream().filter(write -> write.startSeconds() == start).findFirst().orElseThrow();
    }

    /** When the value is there at the latest. Nothing is there from the beginning. */
    private double certainly(long value) {
        Operation write = writes.get(value);
        return write == null ? -1 : write.certainSeconds();
    }

    /** The latest start of a write that was acknowledged before this time; negative if there is none. */
    private double lastStartBefore(double time) {
        int low = 0;
        int high = byEnd.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (byEnd.get(middle).endSeconds() < time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? -1 : lastStart[low - 1];
    }

    /** The span of time in which a value must have been the register's, if it is negative: in which it may have been at any one moment. */
    private record Zone(double firstEnd, double lastStart) {
        boolean isForward() {
            return firstEnd < lastStart;
        }

        double low() {
            return Math.min(firstEnd, lastStart);
        }

        double high() {
            return Math.max(firstEnd, lastStart);
        }
    }

    /**
     * Whether one order of all operations explains every read: each write and the reads of its value take effect as one block, at moments between their start and
     * end. That is so if no two spans in which different values must have been there overlap, and no value had its only chance within another's span.
     * From: Gibbons and Korach, Testing Shared Memories, SIAM Journal on Computing 26(4), 1997, theorem for registers whose reads are mapped to writes.
     */
    boolean isLinearizable() {
        if (!staleReads().isEmpty()) {
            return false;
        }
        List<Zone> zones = zones();
        List<Zone> forward = zones.stream().filter(Zone::isForward).sorted(Comparator.comparingDouble(Zone::low)).toList();
        for (int i = 1; i < forward.size(); i++) {
            if (forward.get(i).low() < forward.get(i - 1).high()) {
                return false;
            }
        }
        return zones.stream().filter(zone -> !zone.isForward()).noneMatch(zone -> forward.stream().anyMatch(other -> other.low() < zone.low() && zone.high() < other.high()));
    }

    /** One for each value that was certainly there: its write was acknowledged, or it was read. */
    private List<Zone> zones() {
        Map<Long, List<Operation>> byValue = new HashMap<>();
        byEnd.forEach(write -> byValue.computeIfAbsent(write.value(), _ -> new ArrayList<>()).add(write));
        reads.forEach(read -> byValue.computeIfAbsent(read.value(), _ -> new ArrayList<>()).add(read));
        return byValue.entrySet().stream().map(block -> {
            double firstEnd = block.getValue().stream().mapToDouble(Operation::endSeconds).min().getAsDouble();
            double lastStart = block.getValue().stream().mapToDouble(Operation::startSeconds).max().getAsDouble();
            Operation write = writes.get(block.getKey());
            return write == null ? new Zone(-1, lastStart) : new Zone(firstEnd, Math.max(lastStart, write.startSeconds()));
        }).toList();
    }
}
