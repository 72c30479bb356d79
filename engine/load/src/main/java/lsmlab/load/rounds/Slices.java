// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import lsmlab.load.count.Samples;
import lsmlab.load.count.Tally;
import lsmlab.load.machine.MachineTime;
import lsmlab.load.machine.ProcessClock;
import lsmlab.load.machine.TimerSlack;
import lsmlab.load.plan.Addresses;
import lsmlab.load.plan.Arrivals;
import lsmlab.load.plan.Settings;
import lsmlab.load.result.Slice;
import lsmlab.load.script.Scripts;
import lsmlab.load.send.SliceWorker;

/** Loads one of several targets at a time, for a while each, over connections that stay open, and reads the machine's counters around it. */
final class Slices implements AutoCloseable {
    /** From an order to its first request: the threads wake up meanwhile. */
    private static final long LEAD_NANOS = 200_000;
    /** So many slices in a row without an answer are no stall. */
    private static final int MOST_SILENT = 3;
    private static final int CONNECT_MILLIS = 1_000;

    private final List<Settings> targets;
    private final List<ProcessClock> clocks; // of the targets' processes; empty: not known
    private final List<Scripts> scripts = new ArrayList<>();
    private final List<SliceWorker> workers = new ArrayList<>();
    private final int[] silent; // slices in a row in which a target answered nothing
    private volatile boolean stoppedByScript;
    private long firstNanos;

    /** A slice and all that was counted in it. */
    record Measured(Slice slice, Tally tally) {}

    /**
     * Connects to all targets.
     *
     * @param targets which differ in their URLs only
     * @param clocks of their processes; empty: not known
     */
    Slices(List<Settings> targets, List<ProcessClock> clocks) throws IOException {
        this.targets = targets;
        this.clocks = clocks;
        silent = new int[targets.size()];
        try {
            for (Settings target : targets) {
                scripts.add(new Scripts(target, Addresses.answering(target.url().getHost(), target.port()), this::stopByScript));
            }
            TimerSlack.reduce();
            for (int i = 0; i < targets.getFirst().threads(); i++) {
                workers.add(new SliceWorker(i, targets, scripts));
            }
            workers.forEach(Thread::start);
        } catch (IOException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** Times of slices count from now. */
    void begin() {
        firstNanos = System.nanoTime();
    }

    /** @throws IOException if the target does not answer any more */
    Measured load(int target, int round, Arrivals arrivals, long nanos) throws IOException, InterruptedException {
        MachineTime before = MachineTime.now();
        long clockBefore = System.currentTimeMillis();
        long[] cpuBefore = clocks.stream().mapToLong(ProcessClock::nanos).toArray();
        List<Tally> tallies = workers.stream().map(_ -> new Tally(nanos, targets.get(target).counting().accepted())).toList();
        long start = System.nanoTime() + LEAD_NANOS;
        long giveUp = start + nanos + TimeUnit.SECONDS.toNanos(targets.get(target).span().timeoutSeconds());
        List<CompletableFuture<Tally>> parts = IntStream.range(0, workers.size())
                .mapToObj(i -> workers.get(i).load(target, arrivals, tallies.get(i), start, start + nanos, giveUp)).toList();
        Tally tally = new Tally(nanos, targets.get(target).counting().accepted());
        for (CompletableFuture<Tally> part : parts) {
            tally.add(result(part));
        }
        long[] cpu = clocks.stream().mapToLong(ProcessClock::nanos).toArray();
        long clockMillis = System.currentTimeMillis() - clockBefore;
        MachineTime machine = MachineTime.now().since(before);
        boolean mustAnswer = tally.planned > 0 || !arrivals.of(0, 1, start).isOpen();
        silent[target] = tally.requests == 0 && mustAnswer ? silent[target] + 1 : 0;
        if (silent[target] == MOST_SILENT || silent[target] > 0 && !accepts(targets.get(target))) {
            throw new IOException("%s does not answer any more%s".formatted(targets.get(target).url(),
                    tally.inFlight > 0 ? ": nothing came within --timeout" : ""));
        }
        for (int i = 0; i < cpu.length; i++) {
            if (cpu[i] < 0) {
                throw new IOException("the process of %s has ended".formatted(targets.get(i).url()));
            }
            cpu[i] -= cpuBefore[i];
        }
        return new Measured(slice(target, round, start, nanos, tally, cpu, machine, clockMillis), tally);
    }

    /** Whether it takes another connection: a server that stalls does, one that has ended does not. */
    private static boolean accepts(Settings target) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(target.url().getHost(), target.port()), CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private Tally result(CompletableFuture<Tally> part) throws IOException, InterruptedException {
        try {
            return part.get();
        } catch (CancellationException e) {
            if (stoppedByScript) {
                throw new IOException("the script stopped its thread, wrk.thread:stop(): servers in turns need all threads", e);
            }
            throw e;
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure; // a script's mistake, most likely
                case Error failure -> throw failure;
                default -> throw new IOException(e.getCause());
            }
        }
    }

    private Slice slice(int target, int round, long start, long nanos, Tally tally, long[] cpu, MachineTime machine, long clockMillis) {
        Slice.Times response = times(tally.response);
        Slice.Around around = around(tally, target, cpu, machine);
        return new Slice(new Slice.Turn(target, round, (start - firstNanos) / 1e9, nanos / 1e9),
                new Slice.Answers(tally.planned, tally.requests, tally.late, tally.errors().all(), tally.unsent, tally.inFlight), response,
                cpu.length == 0 ? null : cpu[target] / 1e9, around, Disturbance.of(nanos / 1e9, around, response, clockMillis - machine.atNanos() / 1_000_000));
    }

    private static Slice.Times times(Samples samples) {
        return samples.count() == 0 ? new Slice.Times(null, null, null, null)
                : new Slice.Times(samples.percentile(50) / 1e3, samples.percentile(99) / 1e3, samples.max() / 1e3, samples.encoded());
    }

    private Slice.Around around(Tally tally, int target, long[] cpu, MachineTime machine) {
        double nanos = machine.atNanos();
        boolean foreignIsKnown = cpu.length > 0 && machine.busyNanos() >= 0;
        double others = others(target, cpu);
        return new Slice.Around(machine.stolenNanos() < 0 ? null : machine.stolenNanos() / nanos,
                foreignIsKnown ? Math.max(0, (machine.busyNanos() - machine.ownNanos() - cpu[target] - others) / nanos) : null,
                cpu.length == 0 ? null : others / nanos, machine.pressureNanos() < 0 ? null : machine.pressureNanos() / nanos,
                tally.sendLag.count() == 0 ? null : tally.sendLag.percentile(99) / 1e3, machine.gcMillis());
    }

    /** Processor time of the other targets' processes, each once; a target may be there twice, to be compared with itself. */
    private double others(int target, long[] cpu) {
        Map<Long, Long> byProcess = new HashMap<>();
        for (int i = 0; i < cpu.length; i++) {
            byProcess.put(clocks.get(i).pid(), cpu[i]);
        }
        return byProcess.values().stream().mapToLong(Long::longValue).sum() - (cpu.length == 0 ? 0 : cpu[target]);
    }

    private void stopByScript(int thread) {
        if (thread < workers.size()) {
            stoppedByScript = true;
            workers.get(thread).askToStop();
        }
    }

    /** Ends all load soon; any thread may ask. */
    void stop() {
        workers.forEach(SliceWorker::askToStop);
    }

    @Override
    public void close() {
        stop();
        boolean interrupted = false;
        for (SliceWorker worker : workers) {
            while (worker.isAlive()) {
                try {
                    worker.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        scripts.forEach(Scripts::close); // no thread uses them any more
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
