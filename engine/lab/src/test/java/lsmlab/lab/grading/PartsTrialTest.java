// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.grading;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import lsmlab.storage.assembled.KeyValue;
import lsmlab.storage.assembled.Parts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The parts that are there from the start pass the trials that say whether a part is right, and fail those that say whether it is good. */
class PartsTrialTest {
    private static final PartsTrial SIMPLE = new Assignment("11-own-memtable", "anna").trial(new Parts() {});

    private static void assertFails(String because, Executable trial) {
        String message = assertThrows(AssertionError.class, trial).getMessage();
        assertTrue(message.contains(because), message);
    }

    @Test
    void theSimplePartsAreRight() throws IOException {
        SIMPLE.memtable();
        SIMPLE.table();
        SIMPLE.log();
        SIMPLE.merged();
        SIMPLE.store();
        assertTrue(SIMPLE.tablesAskedForMissing() == 10);
    }

    @Test
    void theSimpleMergeTakesEverything() {
        assertFails("for the first ten records 400,000 of 400,000 were read", SIMPLE::mergedLazily);
    }

    /** It reads a length that is not there any more, or one that never was. */
    @Test
    void theSimpleLogTrustsItsFile() {
        assertThrows(Throwable.class, SIMPLE::logCutOff);
        assertThrows(Throwable.class, SIMPLE::logDamaged);
    }

    @Test
    void aMergeThatLosesTheNewestIsNamed() {
        PartsTrial wrong = new Assignment("14-own-merge", "anna").trial(new Parts() {
            @Override
            public Iterator<KeyValue> merged(List<Iterator<KeyValue>> newestFirst) {
                return Parts.super.merged(newestFirst.reversed());
            }
        });
        assertFails("the model has", wrong::merged);
        assertFails("the model has", wrong::store);
    }
}
