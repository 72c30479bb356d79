// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import lsmlab.lab.Lab;
import lsmlab.lab.measure.Load;
import lsmlab.lab.measure.Run;
import lsmlab.lab.process.Cluster;
import lsmlab.lab.process.RawOptions;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerProcess;
import lsmlab.lab.show.Tables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Faults that are made on purpose in real servers: the autopsy names them first. */
class AutopsyTest {
    private static final String ALL = "LSM_LAB_ALL_TESTS";
    /** What is stopped while loads of this length go on: in the middle, also where the generator takes seconds to start. */
    private static final String LENGTH = "6s";
    private static final Duration AFTER = Duration.ofSeconds(3);
    private static final Duration STOP = Duration.ofSeconds(1);

    private static Autopsy assertNamedFirst(Cause cause, Run run) {
        Autopsy autopsy = Lab.autopsy(run);
        assertEquals(cause, autopsy.causes().keySet().iterator().next(), autopsy.toString());
        assertTrue(autopsy.toString().matches("the slowest 1\\.\\d %.*: \\d+ % \\Q" + cause.words() + "\\E.*"), autopsy.toString());
        Stream.concat(autopsy.slowest().stream(), autopsy.typical().stream())
                .forEach(slow -> assertEquals(slow.request().responseNanos(), slow.parts().stream().mapToLong(Part::nanos).sum(), "parts add up: " + slow));
        assertEquals(1, autopsy.causes().values().stream().mapToDouble(Double::doubleValue).sum(), 1e-9);
        assertEquals(0, autopsy.lost());
        assertTrue(Tables.of(autopsy).toString().contains(cause.words()));
        double slowestMs = autopsy.request(1).responseMs();
        assertEquals(slowestMs, autopsy.measured().points().getLast().ms(), 1e-9);
        assertTrue(autopsy.without(cause).points().getLast().ms() <= slowestMs);
        return autopsy;
    }

    private static Load gets(int records) {
        return Lab.wrk2().script("get-random.lua", records).connections(4).rate(1_000).duration("2s");
    }

    /** So few that no backlog lasts as long as a fault of a second, not even the one of the first requests on a slow machine. */
    private static Load fewGets(int records) {
        return gets(records).rate(200).duration("4s");
    }

    @Test
    void aStoppedProcessIsNamed() {
        try (Server server = Lab.server().startFilled(2_000, "put-sequential.lua")) {
            Autopsy autopsy = assertNamedFirst(Cause.STOPPED, fewGets(2_000).freeze("1s", "1s").run(server));
            assertTrue(autopsy.toString().contains("stopped"));
        }
    }

    /** Flushes of 256 KB take a quarter of a second. */
    @Test
    void aStallBehindFlushesIsNamed() {
        try (Server server = Lab.server().flushThreshold("256KB").maxFrozen(1).device("seek=1ms,rate=1MB,cache=64MB").start()) {
            Run run = Lab.wrk2().script("put-sequential.lua", 0, 1).connections(4).rate(2_000).duration("3s").run(server);
            assertNamedFirst(Cause.STALL_FLUSH, run);
        }
    }

    @Test
    @EnabledIfEnvironmentVariable(named = ALL, matches = "1")
    void aSlowSyncIsNamed() {
        try (Server server = Lab.server().wal("sync").device("seek=0ms,rate=1GB,cache=64MB,sync=50ms").start()) {
            Run run = Lab.wrk2().script("put-sequential.lua", 0, 1).connections(4).rate(50).duration("3s").run(server);
            assertNamedFirst(Cause.SYNC, run);
        }
    }

    @Test
    void aLockOfAnExtensionIsNamed() {
        try (Server server = RawOptions.extension(Lab.server().flushThreshold("64KB"), LockedFilter.class).startFilled(2_000, "put-sequential.lua")) {
            Autopsy autopsy = assertNamedFirst(Cause.LOCK, fewGets(2_000).run(server));
            assertTrue(autopsy.toString().contains("a lock (java.lang.Object)"), autopsy.toString());
        }
    }

    @Test
    @EnabledIfEnvironmentVariable(named = ALL, matches = "1")
    void theGarbageCollectorIsNamed() {
        try (Server server = RawOptions.extension(Lab.server().flushThreshold("64KB"), GarbageFilter.class).startFilled(2_000, "put-sequential.lua")) {
            assertNamedFirst(Cause.GC, fewGets(2_000).run(server));
        }
    }

    @Test
    @EnabledIfEnvironmentVariable(named = ALL, matches = "1")
    void aReplicaThatIsWaitedForIsNamed() {
        try (Cluster cluster = Lab.server().cluster(3).fill(300, "put-sequential.lua", 0, 1, "&ack=3&from=3")) {
            Load load = Lab.wrk2().script("get-random.lua", 300, 1, "&ack=3&from=3").connections(4).rate(200).duration(LENGTH);
            load.run(cluster.first());
            try (var _ = ServerProcess.of(cluster.nodes().get(2)).freeze(AFTER, STOP)) {
                Autopsy autopsy = assertNamedFirst(Cause.REPLICA, load.run(cluster.first()));
                assertTrue(autopsy.toString().contains("another node (node 2)"), autopsy.toString());
            }
        }
    }

    @Test
    @EnabledIfEnvironmentVariable(named = ALL, matches = "1")
    void aGeneratorThatIsLateIsNamed() throws InterruptedException {
        try (Server server = Lab.server().startFilled(2_000, "put-sequential.lua")) {
            gets(2_000).run(server);
            Thread stopper = Thread.ofVirtual().start(AutopsyTest::stopGenerator);
            assertNamedFirst(Cause.GENERATOR, fewGets(2_000).duration(LENGTH).run(server));
            stopper.join();
        }
    }

    private static void stopGenerator() {
        try {
            long pid = 0;
            while (pid == 0) {
                Thread.sleep(5);
                pid = ProcessHandle.current().children().filter(child -> child.info().commandLine().orElse("").contains("wrk2.jar")).mapToLong(ProcessHandle::pid).findAny().orElse(0);
            }
            Thread.sleep(AFTER);
            new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor();
            Thread.sleep(STOP);
            new ProcessBuilder("kill", "-CONT", Long.toString(pid)).start().waitFor();
        } catch (InterruptedException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A busy process on each core; the server comes after them, and the generator does not. */
    @Test
    @EnabledIfEnvironmentVariable(named = ALL, matches = "1")
    void aProcessWithoutProcessorsIsNamed() throws IOException, InterruptedException {
        List<Process> busy = new ArrayList<>();
        try (Server server = Lab.server().startFilled(2_000, "put-sequential.lua")) {
            gets(2_000).run(server);
            for (int core = 0; core < Runtime.getRuntime().availableProcessors(); core++) {
                busy.add(new ProcessBuilder("sh", "-c", "while kill -0 $PPID; do :; done").start());
            }
            putLast(ServerProcess.of(server).pid());
            Autopsy autopsy = assertNamedFirst(Cause.STARVED, gets(2_000).run(server));
            assertTrue(autopsy.explained() > 0.5, autopsy.toString());
        } finally {
            busy.forEach(Process::destroyForcibly);
        }
    }

    /** Each thread has a priority of its own. */
    private static void putLast(long pid) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("renice", "-n", "19", "-p"));
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            threads.map(thread -> thread.getFileName().toString()).forEach(command::add);
        }
        new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD).start().waitFor(); // some may have ended since
    }

    /** Merges rewrite what was written some times over, and the device is no faster than that. */
    @Test
    @EnabledIfEnvironmentVariable(named = ALL, matches = "1")
    void aStallBehindCompactionsIsNamed() {
        try (Server server = Lab.server().flushThreshold("128KB").maxFrozen(8).compaction("leveled").device("seek=0ms,rate=3MB,cache=1MB").start()) {
            Load puts = Lab.wrk2().script("put-random.lua", 1, 20_000).connections(4).rate(6_000);
            puts.duration("5s").run(server);
            assertNamedFirst(Cause.STALL_COMPACTION, puts.duration("5s").run(server));
        }
    }

    /** A node's place is found where no time is taken. */
    @Test
    @EnabledIfEnvironmentVariable(named = ALL, matches = "1")
    void aDelayWhereNoTimeIsTakenIsUnexplained() {
        try (Cluster cluster = RawOptions.extension(Lab.server(), SlowSharding.class).cluster(2)) {
            Run run = Lab.wrk2().script("put-sequential.lua", 0, 1).connections(4).rate(20).duration(LENGTH).run(cluster.first());
            assertNamedFirst(Cause.UNEXPLAINED, run);
        }
    }

    @Test
    void anUntracedServerHasNone() {
        try (Server server = Lab.server().untraced().start()) {
            Run run = Lab.wrk2().rate(50).duration("1s").run(server);
            assertTrue(assertThrows(IllegalArgumentException.class, () -> Lab.autopsy(run)).getMessage().contains(".untraced()"));
        }
    }
}
