// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.run;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import lsmlab.load.knee.Ladder;
import lsmlab.load.plan.Settings;
import lsmlab.load.report.TextReport;
import lsmlab.load.result.LoadResult;

/** {@code --knee}: climbs a {@link Ladder} of runs and reports each step. */
public final class KneeRun {
    /** Where the search stops: not held over held. */
    private static final double CLOSE = 1.08;
    /** So often the knee must be held. */
    private static final int TIMES = 5;
    /** A rate held in a share s of all runs is held n times in a row with probability s^n: below 1 - confidence, s can be ruled out. */
    private static final double CONFIDENCE = 0.95;
    private static final long SATURATION_SECONDS = 5;

    /** A percentile, and the response time that it must stay below. */
    public record Bound(double percentile, double millis) {
        private static final Pattern FORM = Pattern.compile("p(\\d{1,2}(?:\\.\\d{1,4})?)=(\\d{1,6}(?:\\.\\d{1,3})?)(us|ms|s)");

        public static Bound parse(String text) {
            Matcher matcher = FORM.matcher(text);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("'" + text + "' is not a bound like p99=10ms");
            }
            double scale = switch (matcher.group(3)) {
                case "us" -> 1e-3;
                case "ms" -> 1;
                default -> 1e3;
            };
            return new Bound(Double.parseDouble(matcher.group(1)), Double.parseDouble(matcher.group(2)) * scale);
        }

        boolean isHeldBy(LoadResult result) {
            return result.isHeld(percentile, millis);
        }
    }

    /**
     * What {@code --json} writes after {@code --knee}.
     *
     * @param percentile of the response time, which had to stay below {@code boundMs}
     * @param heldPerSecond the highest rate that held it, each of {@code times} times
     * @param notHeldPerSecond the lowest rate tried that did not
     * @param leastShare with {@code confidence} the knee is held in at least this share of such runs
     * @param steps every run of the search, in order
     */
    public record Knee(double percentile, double boundMs, double heldPerSecond, double notHeldPerSecond, int times, double confidence, double leastShare,
            List<LoadResult> steps) {}

    private final Settings settings;
    private final Bound bound;
    private final boolean beginsAtRate;
    private final PrintStream out;
    private final PrintStream terminal; // null: no line of progress
    private final Runnable whenInterrupted;

    /**
     * @param beginsAtRate whether the settings' rate is the first one to try, rather than one that saturates any server
     * @param whenInterrupted as in {@link LoadRun}
     */
    public KneeRun(Settings settings, Bound bound, boolean beginsAtRate, PrintStream out, PrintStream terminal, Runnable whenInterrupted) {
        this.settings = settings.withConnectionsStarted();
        this.bound = bound;
        this.beginsAtRate = beginsAtRate;
        this.out = out;
        this.terminal = terminal;
        this.whenInterrupted = whenInterrupted;
    }

    /** Throws {@link Ladder.NotFoundException} when there is none, or the process is being stopped. */
    public Knee search() throws IOException, InterruptedException {
        say("Knee @ %s: p%s of the response time below %s ms", settings.url(), plain(bound.percentile()), plain(bound.millis()));
        say("  %d threads and %d connections, %d s a step", settings.threads(), settings.connections(), settings.durationSeconds());
        double first = settings.requestsPerSecond();
        try {
            if (!beginsAtRate) {
                LoadResult saturated = run(settings.withDuration(SATURATION_SECONDS));
                if (saturated.requests() == 0) {
                    throw new Ladder.NotFoundException("the server answered nothing in %d s".formatted(SATURATION_SECONDS));
                }
                first = Ladder.FIRST_SHARE * saturated.achievedPerSecond();
                say("  asked for too much, the server answers %.0f/s", saturated.achievedPerSecond());
            }
            say("%12s %12s %10s %10s  %s", "asked/s", "answered/s", "p50 ms", "p" + plain(bound.percentile()) + " ms", "");
            return knee(Ladder.climb(first, 1, CLOSE, TIMES, this::step, bound::isHeldBy, result -> result));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private LoadResult step(double rate) {
        try {
            LoadResult result = run(settings.withRate(rate));
            say("%12.0f %12.0f %10.3f %10.3f  %s", rate, result.achievedPerSecond(), result.response().percentileMs(50),
                    result.response().percentileMs(bound.percentile()), verdict(result));
            if (result.warning() != null) {
                System.err.println("wrk2: " + result.warning());
            }
            return result;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted();
        }
    }

    private String verdict(LoadResult result) {
        if (bound.isHeldBy(result)) {
            return "held";
        }
        if (!result.sustained()) {
            return result.verdict();
        }
        return "too slow";
    }

    private LoadResult run(Settings step) throws IOException, InterruptedException {
        TextReport silent = new TextReport(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        try (LoadRun run = new LoadRun(step, silent, terminal, whenInterrupted)) {
            LoadResult result = run.run();
            if (run.wasInterrupted()) {
                throw interrupted();
            }
            return result;
        }
    }

    private static Ladder.NotFoundException interrupted() {
        return new Ladder.NotFoundException("interrupted; the search was not finished");
    }

    private Knee knee(Ladder<LoadResult> ladder) {
        double held = ladder.held().requestedPerSecond();
        double leastShare = Math.pow(1 - CONFIDENCE, 1.0 / TIMES);
        List<LoadResult> atKnee = new ArrayList<>(ladder.steps());
        atKnee.removeIf(step -> step.requestedPerSecond() != held);
        double[] percentiles = atKnee.stream().mapToDouble(step -> step.response().percentileMs(bound.percentile())).sorted().toArray();
        say("Knee: %.0f/s held, %.0f/s not", held, ladder.notHeldPerSecond());
        say("  held in %d of %d runs, p%s between %.3f and %.3f ms: with %.0f %% confidence in at least %.0f %% of such runs", TIMES, TIMES,
                plain(bound.percentile()), percentiles[0], percentiles[percentiles.length - 1], 100 * CONFIDENCE, 100 * leastShare);
        return new Knee(bound.percentile(), bound.millis(), held, ladder.notHeldPerSecond(), TIMES, CONFIDENCE, leastShare, ladder.steps());
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }

    private void say(String format, Object... values) {
        out.print(String.format(Locale.ROOT, format, values).stripTrailing() + "\n");
        out.flush();
    }
}
