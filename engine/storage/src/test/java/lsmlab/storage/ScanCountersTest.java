// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.stats.Stats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@link Stats.Reads} says of scans. */
class ScanCountersTest {
    @TempDir
    private Path directory;

    private Engine twoRuns() throws IOException {
        Engine engine = Engine.open(directory, Options.defaults().withCompaction(Compaction.NONE));
        engine.put(of("a"), of("1"));
        engine.put(of("b"), of("1"));
        engine.flush();
        engine.delete(of("b"));
        engine.put(of("c"), of("2"));
        engine.flush();
        return engine;
    }

    @Test
    void everyRunIsSearchedAndWhatIsHiddenIsRead() throws IOException {
        try (Engine engine = twoRuns()) {
            assertEquals(0, engine.stats().reads().scans());
            assertEquals("a=1 c=2", text(engine.scan(null, null)));
            Stats.Reads reads = engine.stats().reads();
            assertEquals(1, reads.scans());
            assertEquals(3, reads.runsScanned(), "two runs and the memtable");
            assertEquals(4, reads.entriesScanned(), "the tombstone and what it hides, too");
            assertTrue(reads.keysMerged() >= 4 && reads.keysMerged() <= 8, "comparisons: " + reads.keysMerged());
        }
    }

    @Test
    void aScanStopsAtItsEndThoughOnlyTombstonesFollow() throws IOException {
        try (Engine engine = Engine.open(directory, Options.defaults())) {
            for (char key = 'a'; key <= 'z'; key++) {
                engine.put(of("" + key), of("1"));
                engine.delete(of("" + key));
            }
            assertEquals("", text(engine.scan(of("b"), of("d"))));
            assertEquals(3, engine.stats().reads().entriesScanned(), "b, c and the d that ends it");
        }
    }

    @Test
    void aScanIsCountedOnceWhenItIsClosed() throws IOException {
        try (Engine engine = twoRuns()) {
            try (Scan scan = engine.scan(null, of("b"))) {
                scan.next();
                assertEquals(0, engine.stats().reads().scans());
            }
            assertEquals(1, engine.stats().reads().scans());
            assertEquals(0, engine.stats().reads().gets());
        }
    }
}
