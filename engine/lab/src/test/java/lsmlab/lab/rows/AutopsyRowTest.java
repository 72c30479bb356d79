// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.rows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import lsmlab.lab.autopsy.Autopsy;
import lsmlab.lab.autopsy.Cause;
import lsmlab.lab.autopsy.Part;
import lsmlab.lab.autopsy.SlowRequest;
import lsmlab.lab.environment.Json;
import lsmlab.lab.process.ServerTrace;
import lsmlab.lab.profile.Profile;
import lsmlab.lab.profile.Samples;
import lsmlab.lab.replay.HeatMap;
import lsmlab.lab.replay.Replay;
import lsmlab.load.result.TracedRequests.Traced;
import lsmlab.storage.stats.Layout;
import lsmlab.storage.stats.StallCause;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AutopsyRowTest {
    private static final long ANY_TIME = 123_456_789_012_345L;

    @TempDir
    Path folder;

    private static List<SlowRequest> requests(int count, Random random) {
        List<SlowRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long due = ANY_TIME + random.nextInt(1_000_000_000);
            long at = due;
            List<Part> parts = new ArrayList<>();
            for (int part = 0; part < 9; part++) {
                long until = at + 1 + random.nextInt(5_000_000);
                Cause cause = Cause.values()[random.nextInt(Cause.values().length)];
                parts.add(new Part(cause, cause == Cause.REPLICA ? "node " + random.nextInt(3) : "", 30 + random.nextInt(4), at, until));
                at = until;
            }
            requests.add(new SlowRequest(new Traced(0, 40_000 + random.nextInt(16), i, 200, due, due - 5, due + 7, at), parts));
        }
        requests.sort((a, b) -> Double.compare(b.responseMs(), a.responseMs()));
        return requests;
    }

    private static Autopsy autopsy(int requests) {
        Random random = new Random(1);
        Profile samples = Profile.of("samples", Map.of(Autopsy.SAMPLES, Samples.parse("[7];lsmlab/storage/Engine.get 3\n[8];lsmlab/storage/Flusher.run 2")));
        List<ServerTrace.Event> events = List.of(new ServerTrace.Event("GC", "G1", ANY_TIME + 5, ANY_TIME + 9, 0, 4));
        return new Autopsy("a run", 100L * requests, requests(requests, random), requests(requests, random), 3, events, samples, samples, "");
    }

    @Test
    void whatIsReadSaysTheSame() throws IOException {
        Autopsy written = autopsy(20);
        Autopsy read = AutopsyRow.read(Json.MAPPER.readTree(AutopsyRow.of(written).toString()), "full mode");
        assertEquals(written.toString(), read.toString());
        assertEquals(written.causes(), read.causes());
        assertEquals(written.typicalCauses(), read.typicalCauses());
        assertEquals(written.measured().points(), read.measured().points());
        assertEquals(written.request(1).parts().getLast().nanos(), read.request(1).parts().getLast().nanos());
        assertEquals(4, read.events().getFirst().toNanos() - read.events().getFirst().fromNanos());
        assertEquals(written.waitedFor().shares(Autopsy.SAMPLES), read.waitedFor().shares(Autopsy.SAMPLES));
    }

    @Test
    void aReplayThatIsReadIsTheSame() throws IOException {
        ServerTrace.Frame frame = new ServerTrace.Frame(5, new Layout(100, List.of(7L), List.of(new Layout.Run(1, 9, 3, 4_000, true)), StallCause.MEMTABLES), Map.of("gets", 12L));
        List<ServerTrace.Event> events = List.of(new ServerTrace.Event("FLUSH", "", 5, 9, 31, 4));
        Replay written = new Replay("a run", "full mode", "because", 2.5, 1 << 20, List.of(frame), events, new HeatMap(0.05, List.of(List.of(0, 3), List.of())), requests(5, new Random(2)));
        assertEquals(written, ReplayRow.read(Json.MAPPER.readTree(ReplayRow.of(written).toString()), "full mode"));
    }

    /** 600,000 requests, of which one in a hundred is kept, and as many typical ones. */
    @Test
    void aLongRunFitsIntoTheFileBesideItsRow() throws IOException {
        Path file = Beside.file(folder.resolve("01-block-size-120000Z.json"));
        assertEquals("01-block-size-120000Z.more.json.gz", file.getFileName().toString());
        Beside.write(file, AutopsyRow.of(autopsy(6_000)));
        assertTrue(Files.size(file) < Beside.MOST_BYTES, Files.size(file) + " bytes");
        assertEquals(6_000, AutopsyRow.read(Beside.read(file), "").slowest().size());
    }
}
