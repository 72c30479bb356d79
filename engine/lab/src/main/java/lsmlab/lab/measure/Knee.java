// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import lsmlab.lab.environment.Text;
import lsmlab.load.result.Interval;
import lsmlab.load.result.Knees;

/**
 * The rate at which half of a server's undisturbed trials hold a service level. A machine that gets slower makes a yardstick slower, too: the knee's share of
 * what that answers changes less than the rate does.
 *
 * @param label server and load
 * @param machine CPU and cores, as charts show them
 * @param engine what the server's engine counted during the search, by the names of /v0/stats
 * @param measuredBeside which other notebook measured at the same time; null if none did
 * @param search the service level, and this server's knee with all trials
 */
public record Knee(String label, String mode, String machine, Map<String, Long> engine, String measuredBeside, Knees search) {
    /** The knee itself, in words too, with the fitted curve and all trials. */
    public Knees.Knee found() {
        return search.knees().getFirst();
    }

    /** Requests a second, the middle of the interval. Without a knee, the highest rate at which a trial was held, or the lowest tried: it says so, and a notebook goes on. */
    public double rate() {
        return toLoad().median();
    }

    /** The interval's low end: a rate that is most probably below the knee; as {@link #rate}. */
    public double lowRate() {
        return toLoad().low();
    }

    /** The interval's high end: a rate that is most probably above the knee; as {@link #rate}. */
    public double highRate() {
        return toLoad().high();
    }

    private Interval toLoad() {
        if (found().perSecond() != null) {
            return found().perSecond();
        }
        DoubleSummaryStatistics held = found().trials().stream().filter(Knees.Trial::held).mapToDouble(Knees.Trial::perSecond).summaryStatistics();
        double rate = held.getCount() > 0 ? held.getMax() : found().trials().stream().mapToDouble(Knees.Trial::perSecond).min().orElse(1);
        System.out.printf(Locale.ROOT, "%s: %s; going on with %.0f/s, %s. The service level is %s, another one is set with .p99(...)%n", label, found().words(), rate,
                held.getCount() > 0 ? "the highest rate that a trial held" : "the lowest rate tried", level());
        return Interval.exactly(rate);
    }

    /** Requests a second, with their interval; unknown if there is no knee. */
    public Interval perSecond() {
        return found().perSecond() == null ? Interval.UNKNOWN : found().perSecond();
    }

    /** The same as a share of the yardstick. The interval holds for another start of the server, too. */
    public Interval share() {
        return found().share() == null ? Interval.UNKNOWN : found().share();
    }

    /** A trial's rate, requests a second, as it would have been on the machine as it mostly was: from its share of the yardstick, if there is one. */
    public double rateOf(Knees.Trial trial) {
        return trial.share() == null || found().share() == null ? trial.perSecond() : trial.share() * found().perSecond().median() / found().share().median();
    }

    /**
     * Share of the undisturbed trials that held, of those at rates up to this share of the knee, with Wilson's interval; unknown without such trials.
     *
     * @param share of the knee, as 0.9
     * @param more searches, whose trials count as well, each beside its own knee: few trials say little
     */
    public Interval heldUpTo(double share, Knee... more) {
        List<Knees.Trial> below = Stream.concat(Stream.of(this), Stream.of(more)).flatMap(knee -> knee.undisturbedUpTo(share)).toList();
        return below.isEmpty() ? Interval.UNKNOWN : Interval.ofShare((int) below.stream().filter(Knees.Trial::held).count(), below.size());
    }

    private Stream<Knees.Trial> undisturbedUpTo(double share) {
        double most = share * perSecond().median();
        return found().trials().stream().filter(trial -> trial.disturbed() == null && rateOf(trial) <= most);
    }

    /** How many times the other's this knee is, by their shares of the yardstick; unknown if one of them is no knee. */
    public Interval over(Knee other) {
        return share().over(other.share());
    }

    /** What a trial must keep to count as held. */
    public String level() {
        return "p%s below %s ms, errors at most %s, no backlog".formatted(Text.plain(search.percentile()), Text.plain(search.boundMs()), Text.percent(search.tolerated()));
    }

    /** An engine counter ("tablesAsked", "probes") over the GETs of the search; null if there were none. */
    public Double perGet(String counter) {
        long gets = engine.getOrDefault("gets", 0L);
        return gets == 0 || !engine.containsKey(counter) ? null : (double) engine.get(counter) / gets;
    }

    /** Bytes that the engine wrote, to its log and to tables, for each write of the search; null if there were none. */
    public Double writtenBytesPerWrite() {
        return WrittenBytes.perWrite(engine);
    }

    /** Processor time of the server a request, in microseconds, over the trials that held; unknown of a cluster. */
    public Interval cpuMicrosPerRequest() {
        return interval(found().trials().stream().filter(Knees.Trial::held).map(Knees.Trial::cpuMicrosPerRequest));
    }

    /** Of positive values. */
    private static Interval interval(Stream<Double> values) {
        double[] logs = values.filter(Objects::nonNull).mapToDouble(Math::log).toArray();
        return logs.length < 2 ? Interval.UNKNOWN : PairedRatio.of(logs).interval();
    }

    @Override
    public String toString() {
        return "%s: %s (%s)".formatted(label, found().words(), level());
    }
}
