// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import lsmlab.lab.Lab;
import lsmlab.lab.measure.Load;
import lsmlab.lab.measure.Run;
import lsmlab.lab.process.Server;
import lsmlab.lab.show.Tables;
import org.junit.jupiter.api.Test;

/** Faults that are made on purpose in real servers: the autopsy names them first. */
class AutopsyTest {
    private static final int TRACED = 100_000;

    private static void assertNamedFirst(Cause cause, Autopsy autopsy) {
        assertEquals(cause, autopsy.causes().keySet().iterator().next(), autopsy.toString());
        assertTrue(autopsy.toString().matches("the slowest 1\\.\\d %.*: \\d+ % \\Q" + cause.words() + "\\E.*"), autopsy.toString());
        Stream.concat(autopsy.slowest().stream(), autopsy.typical().stream())
                .forEach(slow -> assertEquals(slow.request().responseNanos(), slow.parts().stream().mapToLong(Part::nanos).sum(), "parts add up: " + slow));
        assertEquals(1, autopsy.causes().values().stream().mapToDouble(Double::doubleValue).sum(), 1e-9);
        assertTrue(Tables.of(autopsy).toString().contains(cause.words()));
    }

    @Test
    void aStoppedProcessIsNamed() {
        try (Server server = Lab.server().traceRequests(TRACED).startFilled(2_000, "put-sequential.lua")) {
            Load load = Lab.wrk2().script("get-random.lua", 2_000).connections(4).rate(1_000).duration("2s").freeze("500ms", "300ms");
            Autopsy autopsy = Lab.autopsy(load.run(server));
            assertNamedFirst(Cause.STOPPED, autopsy);
            assertTrue(autopsy.toString().contains("stopped"));
            assertEquals(0, autopsy.lost());
        }
    }

    /** Flushes of 256 KB take a quarter of a second. */
    @Test
    void aStallBehindFlushesIsNamed() {
        try (Server server = Lab.server().traceRequests(TRACED).flushThreshold("256KB").maxFrozen(1).device("seek=1ms,rate=1MB,cache=64MB").start()) {
            Run run = Lab.wrk2().script("put-sequential.lua", 0, 1).connections(4).rate(2_000).duration("3s").run(server);
            assertNamedFirst(Cause.STALL_FLUSH, Lab.autopsy(run));
        }
    }

    @Test
    void withoutATraceThereIsNone() {
        try (Server server = Lab.server().start()) {
            Run run = Lab.wrk2().rate(50).duration("1s").run(server);
            assertTrue(assertThrows(IllegalArgumentException.class, () -> Lab.autopsy(run)).getMessage().contains(".traceRequests("));
        }
    }
}
