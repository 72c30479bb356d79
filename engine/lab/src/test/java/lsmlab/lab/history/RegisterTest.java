// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Histories of one key: which reads are stale, and whether one order explains all operations. */
class RegisterTest {
    private static Operation write(long value, double start, double end) {
        return new Operation(1, 0, true, value, start, end, true);
    }

    private static Operation lostWrite(long value, double start) {
        return new Operation(1, 0, true, value, start, start + 1, false);
    }

    private static Operation read(long value, double start, double end) {
        return new Operation(2, 0, false, value, start, end, true);
    }

    private static Register register(Operation... operations) {
        return new Register(List.of(operations));
    }

    @Test
    void aReadFindsTheLastWriteOrOneThatIsUnderWay() {
        assertTrue(register(write(1, 0, 1), read(1, 2, 3)).isLinearizable());
        assertTrue(register(write(1, 0, 1), write(2, 2, 5), read(1, 3, 4)).isLinearizable());
        assertTrue(register(write(1, 0, 1), write(2, 2, 5), read(2, 3, 4)).isLinearizable());
        assertTrue(register(read(0, 0, 1), write(1, 2, 3)).isLinearizable(), "before the first write nothing is there");
    }

    @Test
    void aReadIsStaleThatMissesAnAcknowledgedWrite() {
        Operation stale = read(1, 4, 5);
        Register register = register(write(1, 0, 1), write(2, 2, 3), stale);
        assertEquals(List.of(stale), register.staleReads());
        assertEquals(2, register.missed(stale).value());
        assertFalse(register.isLinearizable());
        assertEquals(1, register(write(1, 0, 1), read(0, 2, 3)).staleReads().size(), "nothing found is stale, too");
    }

    @Test
    void aWriteWithoutAnAnswerMayTakeEffectAtAnyTimeOrNever() {
        assertEquals(List.of(), register(write(1, 0, 1), lostWrite(2, 2), read(1, 5, 6)).staleReads());
        assertEquals(List.of(), register(lostWrite(1, 0), write(2, 2, 3), read(1, 5, 6)).staleReads());
        assertTrue(register(lostWrite(1, 0), write(2, 2, 3), read(2, 3.5, 4), read(1, 5, 6)).isLinearizable());
    }

    @Test
    void newThenOldIsRegularAndNotLinearizable() {
        Register register = register(write(1, 0, 1), write(2, 2, 9), read(2, 3, 4), read(1, 5, 6));
        assertEquals(List.of(), register.staleReads());
        assertFalse(register.isLinearizable());
    }

    /** Any order of operations that a single copy really had must be accepted, and its reads with two neighbouring answers exchanged often not. */
    @Test
    void whatOneCopyDidIsLinearizable() {
        int refused = 0;
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            List<Operation> operations = new ArrayList<>();
            long held = 0;
            for (int i = 1; i <= 40; i++) { // operation i takes effect at the time i
                double start = i - 3 * random.nextDouble();
                double end = i + 3 * random.nextDouble();
                if (random.nextBoolean()) {
                    held = i;
                    operations.add(write(i, start, end));
                } else {
                    operations.add(read(held, start, end));
                }
            }
            operations.sort(Comparator.comparingDouble(Operation::startSeconds));
            assertTrue(new Register(operations).isLinearizable(), "seed " + seed);
            assertEquals(List.of(), new Register(operations).staleReads());
            List<Operation> changed = operations.stream().map(it -> it.isWrite() ? it : read(Math.max(0, it.value() - 8), it.startSeconds(), it.endSeconds())).toList();
            refused += new Register(changed).isLinearizable() ? 0 : 1;
        }
        assertTrue(refused > 250, refused + " of 300 histories with older values were refused");
    }
}
