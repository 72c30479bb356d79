// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import lsmlab.load.result.Interval;
import org.junit.jupiter.api.Test;

class ProfileTest {
    private static Profile profile(int writes, int waits, int reads) {
        String stacks = "[selector-1];one/nio/net/NativeSocket.write %d\n[selector-1];one/nio/net/NativeSelector.epollWait %d\n[selector-1];one/nio/net/NativeSocket.read %d\n";
        return new Profile("p", "", Map.of("cpu", Samples.parse(stacks.formatted(writes, waits, reads))));
    }

    /** Of two counts a and b, a - b has the variance a + b: 60 and 40 differ by two standard deviations, 58 and 42 by 1.6. */
    @Test
    void aRankIsAsSureAsItsSamples() {
        assertEquals(Interval.exactly(1), profile(60, 40, 5).rank("cpu", "socket write"));
        assertEquals(Interval.exactly(2), profile(60, 40, 5).rank("cpu", "waiting for sockets"));
        assertEquals(new Interval(1, 1, 2), profile(58, 42, 5).rank("cpu", "socket write"));
        assertEquals(new Interval(2, 1, 2), profile(58, 42, 5).rank("cpu", "waiting for sockets"));
        assertEquals(Interval.exactly(3), profile(580, 420, 5).rank("cpu", "socket read"));
        assertEquals(Interval.exactly(Double.NaN), profile(1, 1, 1).rank("cpu", "flush"));
    }
}
