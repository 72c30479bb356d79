// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import lsmlab.lab.autopsy.Autopsy;
import lsmlab.lab.autopsy.Cause;
import lsmlab.lab.autopsy.Part;
import lsmlab.lab.autopsy.SlowRequest;
import lsmlab.lab.environment.Given;
import lsmlab.lab.environment.Text;
import lsmlab.lab.measure.Comparison;
import lsmlab.lab.measure.Knee;
import lsmlab.lab.measure.Run;
import lsmlab.lab.measure.Timeline;
import lsmlab.lab.notebook.Shown;
import lsmlab.lab.notebook.Table;
import lsmlab.lab.notebook.Together;
import lsmlab.lab.profile.Profile;
import lsmlab.lab.reports.Claims;
import lsmlab.lab.reports.ReportFigure;
import lsmlab.lab.reports.Verdict;
import lsmlab.load.result.Interval;
import lsmlab.load.result.Knees;
import lsmlab.load.result.LoadResult;

/** The lab's tables: results side by side, and what one of them consists of. */
public final class Tables {
    private Tables() {}

    /** Runs side by side: first what does not depend on the machine, then cost, then what a client sees. */
    public static Table of(Run... runs) {
        Given.some("Tables.of", "runs", (Object[]) runs);
        Table table = new Table("Runs, " + Charts.note(runs), "run", "tables asked per GET", "keys compared per GET", "bytes written per PUT", "server CPU a request, µs", "asked",
                "achieved", "sustained?", "p50", "p99", "max", "errors", "generator");
        for (Run run : runs) {
            LoadResult result = run.result();
            table.row(run.label(), words(run.perGet("tablesAsked")), words(run.counts("probes") ? run.perGet("probes") : null), words(run.writtenBytesPerWrite()), words(run.cpuMicrosBySlices()),
                    Text.rate(result.requestedPerSecond()), Text.rate(result.achievedPerSecond()), run.sustained() ? "yes" : "no",
                    Text.ms(run.percentileMs(50)), Text.ms(run.percentileMs(99)), Text.ms(result.response().maxMs()),
                    Text.percent(run.errorShare()), result.generator());
        }
        return table;
    }

    /** Knees side by side: first what does not depend on the machine, then cost, then rates. */
    public static Table of(Knee... knees) {
        Given.some("Tables.of", "knees", (Object[]) knees);
        Table table = new Table("Knees: %s; %s".formatted(KneeChart.levels(knees), KneeChart.note(knees)), "server and load", "tables asked per GET", "keys compared per GET",
                "bytes written per PUT", "server CPU a request, µs", "share of the yardstick", "knee, requests a second", "width of the fall", "fail at any rate", "trials",
                "of them disturbed", "narrow enough?");
        for (Knee knee : knees) {
            long disturbed = knee.found().trials().stream().filter(trial -> trial.disturbed() != null).count();
            Knees.Knee found = knee.found();
            table.row(knee.label(), words(knee.perGet("tablesAsked")), words(knee.perGet("probes")), words(knee.writtenBytesPerWrite()), words(knee.cpuMicrosPerRequest()),
                    words(knee.share()), found.perSecond() == null ? found.words() : words(knee.perSecond()), Text.percent(found.spread()), Text.percent(found.lapse()),
                    Text.count(found.trials().size()), Text.count(disturbed), found.narrow() == null ? "" : found.narrow() ? "yes" : "no, time was up");
        }
        return table;
    }

    /** Servers compared: each one's values, and the ratios to the first with their intervals. */
    public static Table of(Comparison comparison) {
        Given.some("Tables.of", "a comparison", comparison);
        return ComparisonChart.table(comparison);
    }

    /** A number that may be unknown. */
    static String words(Double value) {
        return value == null ? "–" : Text.significant(value);
    }

    /** The trials of the search for a knee, in order. */
    public static Table trials(Knee knee) {
        Given.some("Tables.trials", "a knee", knee);
        Table table = new Table(knee.toString(), "rate", "held", "p" + Text.plain(knee.search().percentile()), "left at the end", "disturbed");
        for (Knees.Trial trial : knee.found().trials()) {
            table.row(Text.rate(trial.perSecond()), trial.held() ? "yes" : "no", Text.ms(trial.percentileMs()), Text.percent(trial.leftShare()), trial.disturbed() == null ? "" : trial.disturbed());
        }
        return table;
    }

    /** What the server did during a run, a row for each kind of event. */
    public static Table events(Timeline timeline) {
        Given.some("Tables.events", "a timeline", timeline);
        Run run = timeline.run();
        Table table = new Table("Events during: %s, %s".formatted(run.label(), Charts.note(run)), "what", "how many", "together", "share of the run", "longest");
        for (String kind : timeline.rows()) {
            List<Timeline.Event> same = timeline.events().stream().filter(event -> event.kind().equals(kind)).toList();
            double together = same.stream().mapToDouble(Timeline.Event::durationSeconds).sum();
            double longest = same.stream().mapToDouble(Timeline.Event::durationSeconds).max().orElse(0);
            table.row(kind, Text.count(same.size()), Text.ms(1000 * together), Text.percent(together / run.result().seconds()), Text.ms(1000 * longest));
        }
        return table;
    }

    /** Causes of the slowest requests' time, beside those of requests drawn from all. */
    public static Table of(Autopsy autopsy) {
        Given.some("Tables.of", "an autopsy", autopsy);
        Map<Cause, Double> slowest = autopsy.causes();
        Map<Cause, Double> typical = autopsy.typicalCauses();
        Set<Cause> causes = new LinkedHashSet<>(slowest.keySet());
        causes.addAll(typical.keySet());
        Table table = new Table("%s: %s".formatted(autopsy.label(), autopsy), "cause", "of the slowest", "of typical ones");
        causes.forEach(cause -> table.row(cause.words(), Text.percent(slowest.getOrDefault(cause, 0.0)), Text.percent(typical.getOrDefault(cause, 0.0))));
        return table;
    }

    /** One request, part by part: when each began, counted from when the request was due. */
    public static Table of(SlowRequest request) {
        Given.some("Tables.of", "a request", request);
        Table table = new Table("A request of %s, status %d".formatted(Text.ms(request.responseMs()), request.request().status()), "after", "for", "cause", "which");
        for (Part part : request.parts()) {
            table.row(Text.ms((part.fromNanos() - request.request().dueNanos()) / 1e6), Text.ms(part.nanos() / 1e6), part.cause().words(), part.detail());
        }
        return table;
    }

    /** Outputs that a report published. */
    public static Table of(List<ReportFigure> figures) {
        String reports = figures.stream().map(ReportFigure::report).distinct().collect(Collectors.joining(" and "));
        Table table = new Table("Report " + reports, "line", "operation", "workload", "load", "asked", "achieved", "mean", "max");
        for (ReportFigure f : figures) {
            table.row(Integer.toString(f.line()), f.operation(), f.workload(), "-c%d -t%d -d%s".formatted(f.connections(), f.threads(), f.duration()),
                    Text.rate(f.requestedPerSecond()), Text.rate(f.achievedPerSecond()), Text.ms(f.latencyMs().mean()), Text.ms(f.latencyMs().max()));
        }
        return table;
    }

    /** What a notebook found of the reports' claims, one below the other. */
    public static Shown of(Verdict... verdicts) {
        Given.some("Tables.of", "verdicts", (Object[]) verdicts);
        List<Shown> tables = Stream.of(verdicts).<Shown>map(Tables::claim).toList();
        return new Together(tables.stream().map(Shown::toString).collect(Collectors.joining("\n\n")), tables);
    }

    /** A claim, what was measured, and what follows from it. */
    static Table claim(Verdict verdict) {
        Claims.Claim claim = verdict.claim();
        List<String> head = new ArrayList<>(List.of("measure", "measured", "condition", "why there"));
        if (verdict.says()) {
            head.add("holds");
        }
        Table table = new Table("Claim %s: %s. Reported: %s. Checked: %s. Verdict: %s".formatted(claim.id(), claim.statement(), claim.reported(), claim.relation(), verdict.verdict()),
                head.toArray(String[]::new));
        for (Claims.Condition condition : claim.conditions()) {
            List<String> row = new ArrayList<>(List.of(condition.measure(), words(verdict.measured().get(condition.measure())),
                    condition.toString(), condition.because()));
            if (verdict.says()) {
                row.add(switch (condition.holds(verdict.measured())) {
                    case YES -> "yes";
                    case NO -> "no";
                    case INCONCLUSIVE -> "can't tell";
                });
            }
            table.row(row.toArray(String[]::new));
        }
        return table;
    }

    /** With its interval, unless it is exact. */
    static String words(Interval value) {
        return Double.isNaN(value.median()) && !Double.isNaN(value.low()) ? "unknown" : value.hasNoWidth() || Double.isNaN(value.median()) ? Text.significant(value.median())
                : "%s (%s to %s)".formatted(Text.significant(value.median()), Text.significant(value.low()), Text.significant(value.high()));
    }

    /** Share of each layer of the server in an event, "cpu", "wall", "alloc" or "lock". */
    public static Table layers(Profile profile, String event) {
        Given.some("Tables.layers", "a profile", profile);
        return shares(profile, event, "by layer", "layer", profile.shares(event), Integer.MAX_VALUE);
    }

    /** Share of each group of threads: those whose names differ by a number only. */
    public static Table threads(Profile profile, String event) {
        Given.some("Tables.threads", "a profile", profile);
        return shares(profile, event, "by group of threads", "threads", profile.threads(event), 12);
    }

    /** What was at the top of the stacks: where the processor was, what was allocated, which lock was waited for. */
    public static Table top(Profile profile, String event, int count) {
        Given.some("Tables.top", "a profile", profile);
        return shares(profile, event, "by topmost frame", "frame", profile.tops(event), count);
    }

    private static Table shares(Profile profile, String event, String by, String head, Map<String, Double> shares, int count) {
        Table table = new Table("%s %s, %s, %s".formatted(event, by, profile.label(), profile.note()), head, "share");
        shares.entrySet().stream().limit(count).forEach(entry -> table.row(entry.getKey(), Text.percent(entry.getValue())));
        return table;
    }

    /** A row for each number. */
    static Table of(JsonNode json) {
        Table table = new Table("JSON; .at(NAME) returns one value, as .at(\"/engine/gets\")", "name", "value");
        addRows("", json, table);
        return table;
    }

    private static void addRows(String name, JsonNode value, Table table) {
        if (value.isContainerNode() && !value.isEmpty()) {
            value.properties().forEach(part -> addRows(name + "/" + part.getKey(), part.getValue(), table));
            for (int i = 0; i < value.size() && value.isArray(); i++) {
                addRows(name + "/" + i, value.get(i), table);
            }
        } else {
            table.row(name.isEmpty() ? "/" : name, value.isIntegralNumber() ? Text.count(value.asLong()) : value.asText());
        }
    }
}
