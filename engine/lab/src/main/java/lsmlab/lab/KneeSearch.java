// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * Finds the knee: the highest rate that is held. One run as fast as the server answers says where to begin and warms the server up;
 * then rates are tried, upwards as long as they are held, downwards as long as they are not, and between the two until they lie close
 * together. Both ends of the result were tried.
 */
public final class KneeSearch {
    /** Where the search stops: not held over held. */
    private static final double CLOSE = Lab.sized(1.2, 1.08);
    /** The first rate tried, as a share of what the saturated server answered. */
    private static final double FIRST_SHARE = 0.93;
    private static final double UP = 1.15;
    private static final double DOWN = 0.87;
    private static final int MAX_STEPS_WITHOUT = 8;

    private final Server server;
    private Load load = new Load().duration(Lab.sized("2s", "10s"));
    private double p99Ms = Double.POSITIVE_INFINITY;

    KneeSearch(Server server) {
        this.server = server;
    }

    /** A file of scripts/wrk2, with arguments for its init(). */
    public KneeSearch script(String name, Object... arguments) {
        load = load.script(name, arguments);
        return this;
    }

    public KneeSearch connections(int count) {
        load = load.connections(count);
        return this;
    }

    public KneeSearch threads(int count) {
        load = load.threads(count);
        return this;
    }

    /** Length of each step. */
    public KneeSearch duration(String length) {
        load = load.duration(length);
        return this;
    }

    /** A rate counts as held only if the 99th percentile of the response time stays below this. */
    public KneeSearch p99(String bound) {
        p99Ms = Text.duration(bound).toMillis();
        return this;
    }

    public Knee search() {
        String label = server.label() + ", " + load.scriptName();
        Progress progress = new Progress("knee of " + label);
        long seconds = Text.seconds(Lab.sized(server.isWarm() ? "1s" : "2s", "10s"));
        double saturated = load.saturate(server, seconds, progress).achievedPerSecond();
        Knee knee = search(label, saturated, p99Ms, rate -> load.rate(rate).run(server, progress));
        progress.done("holds %s, not %s".formatted(Text.rate(knee.rate()), Text.rate(knee.notHeldPerSecond())));
        return knee;
    }

    /** The search itself, over any server: {@code step} runs a rate. */
    static Knee search(String label, double saturatedPerSecond, double p99Ms, DoubleFunction<Run> step) {
        List<Run> ladder = new ArrayList<>();
        Run held = null;
        double notHeld = Double.NaN;
        double next = FIRST_SHARE * saturatedPerSecond;
        while (held == null || Double.isNaN(notHeld) || notHeld / rate(held) > CLOSE) {
            if (held == null && ladder.size() == MAX_STEPS_WITHOUT) {
                throw new IllegalStateException("%s: no rate from %s up was held; is something else busy on this machine?"
                        .formatted(label, Text.rate(next)));
            }
            Run run = step.apply(Math.round(next));
            ladder.add(run);
            if (run.isHeld(p99Ms)) {
                held = run;
                next = Double.isNaN(notHeld) ? UP * next : Math.sqrt(next * notHeld);
            } else {
                notHeld = rate(run);
                next = held == null ? DOWN * Math.min(notHeld, run.result().achievedPerSecond() / FIRST_SHARE) : Math.sqrt(rate(held) * notHeld);
            }
        }
        return new Knee(label, held, notHeld, ladder);
    }

    private static double rate(Run run) {
        return run.result().requestedPerSecond();
    }
}
