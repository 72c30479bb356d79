// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleFunction;
import java.util.function.DoubleSupplier;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.environment.Text;
import lsmlab.lab.notebook.Progress;
import lsmlab.lab.notebook.Turn;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerProcess;
import lsmlab.load.knee.Ladder;

/**
 * Finds the knee: the highest rate that is held. Load as fast as the server answers warms it up and says where to begin;
 * then rates are tried, upwards as long as they are held, downwards as long as they are not, and between the two until they lie close
 * together. Both ends of the result were tried.
 */
public final class KneeSearch {
    /** Where the search stops: not held over held. */
    private static final double CLOSE = Mode.sized(100.0, 2.0, 1.08);
    /** The first rate to try, as a share of what a saturated server answers. */
    private static final double FIRST_SHARE = Mode.sized(0.3, 0.75, Ladder.FIRST_SHARE);

    private static final double HOPELESS_ERROR_SHARE = 0.99;

    private final ServerProcess server;
    private Load load = new Load().duration(Mode.sized("1s", "10s"));
    private double p99Ms = Double.POSITIVE_INFINITY;

    public KneeSearch(Server server) {
        this.server = ServerProcess.of(server);
    }

    /** A file of scripts/wrk2, with arguments for its init(). */
    public KneeSearch script(String name, Object... arguments) {
        load = load.script(name, arguments);
        return this;
    }

    /** Connections kept open, one request under way on each. */
    public KneeSearch connections(int count) {
        load = load.connections(count);
        return this;
    }

    /** Threads of the load generator, each with its share of the connections. */
    public KneeSearch threads(int count) {
        load = load.threads(count);
        return this;
    }

    /** Length of each step. */
    public KneeSearch duration(String length) {
        load = load.duration(length);
        return this;
    }

    /** Asks for ids that are not there: 404 is an answer then, not an error. */
    public KneeSearch mayMiss() {
        load = load.mayMiss();
        return this;
    }

    /** A rate counts as held only if the 99th percentile of the response time stays below this. */
    public KneeSearch p99(String bound) {
        p99Ms = Text.duration(bound).toMillis();
        if (p99Ms == 0) {
            throw new IllegalArgumentException("p99(\"%s\"): no response takes no time; a bound is like 10ms".formatted(bound));
        }
        return this;
    }

    /** Runs the search and waits; where another notebook measures, it waits for that first. */
    public Knee search() {
        String label = server.label() + ", " + load.what();
        try (var _ = Turn.take("knee of " + label)) {
            Progress progress = new Progress("knee of " + label);
            long seconds = Text.seconds(Mode.sized("1s", "10s"));
            AtomicInteger step = new AtomicInteger();
            Knee knee = search(label, () -> load.saturate(server, seconds, progress).achievedPerSecond(), load.leastRate(), p99Ms, CLOSE,
                    rate -> load.rate(rate).run(server, progress, "step %d, %s".formatted(step.incrementAndGet(), Text.rate(rate))));
            progress.done("holds %s, not %s".formatted(Text.rate(knee.rate()), Text.rate(knee.notHeldPerSecond())));
            return knee;
        }
    }

    @Override
    public String toString() {
        return "a search for the knee, to be run with .search(): %s, %s".formatted(server.label(), load.what());
    }

    /**
     * The search itself, over any server: {@code step} runs a rate. A search that finds nothing is made once more: what it loaded was
     * perhaps still warming up.
     *
     * @param saturated loads the server as fast as it answers: requests a second
     * @param least the lowest rate that a step can judge, in requests a second
     */
    static Knee search(String label, DoubleSupplier saturated, double least, double p99Ms, double close, DoubleFunction<Run> step) {
        for (boolean again = true;; again = false) {
            List<Run> steps = new ArrayList<>();
            try {
                Ladder<Run> ladder = Ladder.climb(FIRST_SHARE * saturated.getAsDouble(), least, close, 1, rate -> {
                    Run run = step.apply(rate);
                    steps.add(run);
                    checkAnswers(label, run);
                    return run;
                }, run -> run.isHeld(p99Ms), Run::result);
                return new Knee(label, ladder.held(), ladder.notHeldPerSecond(), ladder.steps());
            } catch (Ladder.NotFoundException e) {
                if (!again) {
                    String tried = steps.isEmpty() ? "" : " (the last of %d runs: %s)".formatted(steps.size(), steps.getLast().verdict());
                    throw new IllegalStateException("%s: %s%s".formatted(label, e.getMessage(), tried), e);
                }
            }
        }
    }

    /** Where nearly all answers are errors no other rate will do. */
    private static void checkAnswers(String label, Run run) {
        if (run.errorShare() > HOPELESS_ERROR_SHARE) {
            throw new IllegalStateException("%s: %s of the answers are errors%s, so there is no knee to find".formatted(label, Text.percent(run.errorShare()),
                    run.result().statuses() != null && run.result().statuses().containsKey(Run.NOT_FOUND)
                            ? " (404: ids that the store does not hold; fill it with the ids that the script asks for, or call .mayMiss())" : ""));
        }
    }
}
