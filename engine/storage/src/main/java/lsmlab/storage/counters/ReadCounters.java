// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.counters;

import lsmlab.storage.stats.Stats;

/** What look-ups and scans cost, counted by one thread at a time. {@link Stats.Reads} says what each number means. */
public final class ReadCounters {
    public long gets;
    public long tablesAsked;
    public long prunedByRange;
    public long prunedByBloom;
    public long bloomFalsePositives;
    public long prunedByMap;
    public long mapFalsePositives;
    public long probes;
    public long blocksRead;
    public long scans;
    public long runsScanned;
    public long entriesScanned;
    public long keysMerged;

    public Stats.Reads stats() {
        return new Stats.Reads(gets, tablesAsked, prunedByRange, prunedByBloom, bloomFalsePositives, prunedByMap, mapFalsePositives, probes, blocksRead, scans, runsScanned, entriesScanned,
                keysMerged);
    }

    public void add(ReadCounters other) {
        gets += other.gets;
        tablesAsked += other.tablesAsked;
        prunedByRange += other.prunedByRange;
        prunedByBloom += other.prunedByBloom;
        bloomFalsePositives += other.bloomFalsePositives;
        prunedByMap += other.prunedByMap;
        mapFalsePositives += other.mapFalsePositives;
        probes += other.probes;
        blocksRead += other.blocksRead;
        scans += other.scans;
        runsScanned += other.runsScanned;
        entriesScanned += other.entriesScanned;
        keysMerged += other.keysMerged;
    }
}
