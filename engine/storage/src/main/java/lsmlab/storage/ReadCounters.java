// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

/** What look-ups cost, counted by one thread at a time. {@link Stats.Reads} says what each number means. */
final class ReadCounters {
    long gets;
    long tablesAsked;
    long prunedByRange;
    long prunedByBloom;
    long bloomFalsePositives;
    long probes;
    long blocksRead;

    Stats.Reads stats() {
        return new Stats.Reads(gets, tablesAsked, prunedByRange, prunedByBloom, bloomFalsePositives, probes, blocksRead);
    }

    void add(ReadCounters other) {
        gets += other.gets;
        tablesAsked += other.tablesAsked;
        prunedByRange += other.prunedByRange;
        prunedByBloom += other.prunedByBloom;
        bloomFalsePositives += other.bloomFalsePositives;
        probes += other.probes;
        blocksRead += other.blocksRead;
    }
}
