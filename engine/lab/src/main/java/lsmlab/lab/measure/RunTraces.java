// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import lsmlab.lab.environment.Interrupted;
import lsmlab.lab.process.ServerProcess;
import lsmlab.lab.process.ServerTrace;
import lsmlab.lab.process.ServerTrace.Served;
import lsmlab.lab.process.ServerTrace.Time;
import lsmlab.load.result.LoadResult;
import lsmlab.load.result.TracedRequests;
import lsmlab.load.result.TracedRequests.Traced;

/** The slowest requests of a run, as both ends saw them. Those of the last runs are kept. */
public final class RunTraces {
    /** Share of a run's requests that are kept one by one. */
    static final double SHARE = 0.01;
    private static final long MOST_BYTES = 96 << 20;
    private static final Deque<RunTraces> KEPT = new ArrayDeque<>(); // GUARDED BY itself; the newest last

    private final LoadResult run;
    private final TracedRequests client; // null: the generator does not know single requests
    private final byte[] dump; // null: the server could not answer
    private final String failure; // why
    private final long beginNanos;
    private final long askedNanos; // for the dump, as answeredNanos: System.nanoTime
    private final long answeredNanos;

    private RunTraces(LoadResult run, TracedRequests client, byte[] dump, String failure, long beginNanos, long askedNanos, long answeredNanos) {
        this.run = run;
        this.client = client;
        this.dump = dump;
        this.failure = failure;
        this.beginNanos = beginNanos;
        this.askedNanos = askedNanos;
        this.answeredNanos = answeredNanos;
    }

    /**
     * Asks the server at once: it forgets. A server that can't answer any more takes nothing from the run.
     *
     * @param client null: the generator does not know single requests
     * @param beganNanos when the run began, by System.nanoTime
     */
    static void keep(Run run, TracedRequests client, ServerProcess server, long beganNanos) {
        long begin = client == null ? beganNanos : client.beginNanos();
        long asked = System.nanoTime();
        byte[] dump = null;
        String failure = null;
        try {
            dump = ServerTrace.dump(server, begin, asked);
        } catch (Interrupted e) {
            throw e;
        } catch (RuntimeException | OutOfMemoryError e) {
            failure = e.getMessage();
        }
        synchronized (KEPT) {
            KEPT.add(new RunTraces(run.result(), client, dump, failure, begin, asked, System.nanoTime()));
            while (KEPT.size() > 1 && KEPT.stream().mapToLong(kept -> kept.dump == null ? 0 : kept.dump.length).sum() > MOST_BYTES) {
                KEPT.removeFirst();
            }
        }
    }

    /** @throws IllegalArgumentException if nothing was kept of the run's requests */
    public static RunTraces of(Run run) {
        RunTraces found;
        synchronized (KEPT) {
            found = KEPT.stream().filter(kept -> kept.run == run.result()).findFirst().orElse(null);
        }
        if (found == null) {
            throw new IllegalArgumentException(("no request of the run '%s' is kept: its server was started with .untraced(), or many runs came after it. Run it again. A stored run has "
                    + "its row's: row.autopsy(label), row.replay(label)").formatted(run.label()));
        }
        if (found.dump == null) {
            throw new IllegalArgumentException("no request of the run '%s' is kept: its server could not show them: %s".formatted(run.label(), found.failure));
        }
        return found;
    }

    /** When what the run counts began: System.nanoTime. */
    public long beginNanos() {
        return beginNanos;
    }

    /**
     * What the server knows of all requests of that time.
     *
     * @throws IllegalStateException if its clock is another one than the load generator's
     */
    public ServerTrace server() {
        ServerTrace trace = ServerTrace.parse(dump);
        if (trace.nowNanos() < askedNanos || trace.nowNanos() > answeredNanos) {
            throw new IllegalStateException("processes of this machine have different clocks (System.nanoTime), so their times can't be compared");
        }
        return trace;
    }

    /** Whether the client's side is missing: then a request begins when the server reads it, and ends when its answer was written. */
    public boolean isServerAlone() {
        return client == null;
    }

    /** What the load generator knows of single requests, or the server in its place. */
    public TracedRequests client(ServerTrace server) {
        if (client != null) {
            return client;
        }
        List<Traced> all = new ArrayList<>(server.requests().stream().map(RunTraces::fromServer).toList());
        int count = (int) Math.ceil(SHARE * all.size());
        List<Traced> slowest = all.stream().sorted(Comparator.comparingLong(Traced::responseNanos).reversed()).limit(count).toList();
        Collections.shuffle(all, new Random(0));
        return new TracedRequests(beginNanos, askedNanos, all.size(), slowest, all.subList(0, count), List.of());
    }

    private static Traced fromServer(Served served) {
        long readable = served.readableNanos();
        return new Traced(0, served.port(), served.number(), served.status(), readable, readable, readable, served.at(Time.WRITTEN));
    }
}
