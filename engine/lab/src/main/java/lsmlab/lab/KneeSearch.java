// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the knee: one run as fast as the server answers gives the upper end, then the space below is bisected until the rate held
 * and the one not held lie close together. The saturating run is the warm-up, too.
 */
public final class KneeSearch {
    /** Where the search stops: not held over held. */
    private static final double CLOSE = Lab.sized(1.2, 1.08);
    /** The first rate tried, as a share of what the saturated server answered. */
    private static final double FIRST_SHARE = 0.93;
    /** As long as nothing was held: the next rate, as a share of the one that was not, or less if not even that much was answered. */
    private static final double NEXT_SHARE = 0.85;
    private static final double LEAST_SHARE = 0.2;

    private final Server server;
    private Load load = new Load().duration(Lab.sized("2s", "10s"));
    private String saturation = Lab.sized("2s", "10s");
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
        double notHeld = load.saturate(server, Text.seconds(saturation), progress).achievedPerSecond();
        double held = 0;
        Run atKnee = null;
        List<Run> ladder = new ArrayList<>();
        double next = notHeld * FIRST_SHARE;
        double least = notHeld * LEAST_SHARE;
        while (atKnee == null || notHeld / held > CLOSE) {
            if (next < least) {
                throw new IllegalStateException("%s: no rate from %s up was held; the machine is too busy".formatted(label, Text.rate(next)));
            }
            Run run = load.rate(Math.round(next)).run(server, progress);
            ladder.add(run);
            if (run.sustained() && run.percentileMs(99) <= p99Ms) {
                held = next;
                atKnee = run;
            } else {
                notHeld = next;
            }
            next = atKnee == null ? Math.min(NEXT_SHARE * notHeld, FIRST_SHARE * run.result().achievedPerSecond()) : Math.sqrt(held * notHeld);
        }
        progress.done("holds %s, not %s".formatted(Text.rate(held), Text.rate(notHeld)));
        return new Knee(label, atKnee, notHeld, ladder);
    }
}
