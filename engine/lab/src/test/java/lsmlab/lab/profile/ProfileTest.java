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

    /** Frames that a line shares with the one before are not written again; stacks that differ by their end only are kept apart. */
    @Test
    void stacksAreKeptShort() {
        Samples samples = Samples.parse("[t-1];a;b;c 3\n[t-1];a;b 2\n[t-2];a;b;c 1\n[t-1];a;b;c 4\n[t-1];a;bb 5\n");
        String kept = samples.shortened();
        assertEquals("0;[t-1];a;b 2\n3;c 7\n2;bb 5\n0;[t-2];a;b;c 1\n", kept);
        assertEquals(kept, Samples.parseShort(kept).shortened());
        assertEquals(samples.total(), Samples.parseShort(kept).total());
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
