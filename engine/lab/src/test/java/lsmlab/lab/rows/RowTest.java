// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.rows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import lsmlab.lab.measure.Knee;
import lsmlab.lab.measure.Timeline;
import lsmlab.lab.show.Charts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rows that are stored. */
class RowTest {
    @ParameterizedTest
    @ValueSource(strings = {"01-block-size", "02-key-range-pruning", "03-flush-backpressure", "04-async-workers", "05-sharding", "06-finding-the-knee", "07-compaction"})
    void eachIsReadWhateverItsAge(String experiment) {
        assertTrue(Row.newest(experiment).toString().startsWith("data/results/"));
    }

    @Test
    void aKneeIsDrawnFromItsRowAlone() {
        Knee knee = Row.newest("06-finding-the-knee").knee("three nodes, put-sequential 0 1 &ack=1&from=1");
        assertFalse(knee.found().trials().isEmpty());
        assertFalse(Charts.knees(knee).content().isEmpty());
    }

    @Test
    void aTimelineIsDrawnFromItsRowAlone() {
        Timeline timeline = Row.newest("06-finding-the-knee").timeline("three nodes, 80 % of the knee");
        assertFalse(timeline.events().isEmpty());
        long answers = timeline.seconds().stream().mapToLong(second -> second.responseMicros().getTotalCount()).sum();
        assertEquals(timeline.run().result().requests(), answers, 0.2 * answers, "a second of the run is a second of the log");
        assertFalse(Charts.timeline(timeline).content().isEmpty());
    }
}
