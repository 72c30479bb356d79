// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.rows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import lsmlab.lab.autopsy.Autopsy;
import lsmlab.lab.environment.Json;
import lsmlab.lab.environment.Machine;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.environment.Project;
import lsmlab.lab.environment.Text;
import lsmlab.lab.environment.Workspace;
import lsmlab.lab.history.History;
import lsmlab.lab.measure.Generator;
import lsmlab.lab.measure.Comparison;
import lsmlab.lab.measure.Knee;
import lsmlab.lab.measure.Rounds;
import lsmlab.lab.measure.Run;
import lsmlab.lab.measure.Timeline;
import lsmlab.lab.profile.Profile;
import lsmlab.lab.profile.Samples;
import lsmlab.lab.replay.Replay;
import lsmlab.lab.reports.Verdict;

/** Rows of full runs: data/results/DAY/MACHINE/EXPERIMENT-TIME.json. The schema stands in data/README.md. */
public final class Results {
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyyMMdd").withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("-HHmmss'Z'").withZone(ZoneOffset.UTC);

    private static final long MOST_BYTES = 1 << 20;

    private Results() {}

    public static String save(String experiment, Object... results) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        Map<String, Object> row = rowOf(experiment, now, results);
        if (Mode.current() != Mode.FULL) {
            return "%s mode: nothing kept; scripts/lab run %s --full keeps its rows in data/results".formatted(Mode.current(), experiment);
        }
        Path file = write(row, beside(results), experiment, now);
        return "kept as %s%s%s".formatted(Project.root().relativize(file),
                file.toFile().length() <= MOST_BYTES ? "" : ", which is larger than the 1 MB that a row may have: keep fewer runs, or of rounds only the first",
                Beside.file(file).toFile().length() <= Beside.MOST_BYTES ? "" : "; the file beside it exceeds 2 MB: keep fewer autopsies and replays");
    }

    /** What goes into the file beside the row; empty if that is nothing. */
    private static ObjectNode beside(Object... results) {
        ObjectNode beside = Json.MAPPER.createObjectNode();
        for (Object result : results) {
            switch (result) {
                case Autopsy autopsy -> beside.withArray("autopsies").add(AutopsyRow.of(autopsy));
                case Replay replay -> beside.withArray("replays").add(ReplayRow.of(replay));
                default -> {} // in the row itself
            }
        }
        return beside;
    }

    private static Map<String, Object> rowOf(String experiment, Instant now, Object... results) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("experiment", experiment);
        row.put("mode", Mode.current().toString());
        row.put("utc", now.toString());
        row.put("machine", Generator.conditions());
        List<JsonNode> runs = new ArrayList<>();
        List<Knee> knees = new ArrayList<>();
        List<Comparison> comparisons = new ArrayList<>();
        List<Map<String, Object>> verdicts = new ArrayList<>();
        List<Map<String, Object>> profiles = new ArrayList<>();
        List<Map<String, Object>> timelines = new ArrayList<>();
        List<Map<String, Object>> histories = new ArrayList<>();
        for (Object result : results) {
            switch (result) {
                case Run run -> runs.add(RunRow.of(run));
                case Rounds rounds -> {
                    List<Run> first = List.of(rounds.first());
                    rounds.all().forEach(run -> runs.add(first.contains(run) ? RunRow.of(run) : RunRow.brief(run)));
                }
                case Knee knee -> knees.add(knee);
                case Comparison comparison -> comparisons.add(comparison);
                case Verdict verdict -> verdicts.add(row(verdict));
                case Profile profile -> profiles.add(row(profile));
                case Timeline timeline -> {
                    runs.add(RunRow.of(timeline.run()));
                    timelines.add(row(timeline));
                }
                case History history -> histories.add(row(history));
                case Autopsy _,Replay _ -> {} // in the file beside the row
                default -> throw new IllegalArgumentException("neither a run nor rounds, a comparison, a timeline, a history, a knee, a verdict, a profile, an autopsy or a replay: " + result);
            }
        }
        row.put("verdicts", verdicts);
        row.put("runs", runs);
        row.put("profiles", profiles);
        Map<String, Object> bulky = new LinkedHashMap<>();
        bulky.put("knees", knees);
        bulky.put("comparisons", comparisons);
        bulky.put("timelines", timelines);
        bulky.put("histories", histories);
        row.put(RunRow.PACKED, Text.packed(RunRow.smaller(Json.MAPPER.valueToTree(bulky)).toString()));
        return row;
    }

    private static Path write(Map<String, Object> row, ObjectNode beside, String experiment, Instant now) {
        String folder = Machine.shortName().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        Path file = Project.root().resolve("data/results").resolve(DAY.format(now)).resolve(folder).resolve(experiment + TIME.format(now) + ".json");
        try {
            Files.createDirectories(file.getParent());
            Path unfinished = Workspace.newFolder("rows").resolve(file.getFileName());
            Json.COMPACT.writeValue(unfinished.toFile(), row);
            if (!beside.isEmpty()) {
                Beside.write(Beside.file(unfinished), beside);
                Files.move(Beside.file(unfinished), Beside.file(file));
            }
            Files.move(unfinished, file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file;
    }

    private static Map<String, Object> row(Verdict verdict) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("claim", verdict.claim().id());
        row.put("verdict", verdict.verdict());
        Map<String, Double> measured = new LinkedHashMap<>();
        Map<String, Double[]> intervals = new LinkedHashMap<>();
        verdict.measured().forEach((measure, value) -> {
            measured.put(measure, number(value.median()));
            if (!value.hasNoWidth()) {
                intervals.put(measure, new Double[] {number(value.low()), number(value.high())});
            }
        });
        row.put("measured", measured);
        row.put("intervals", intervals);
        return row;
    }

    /** JSON has no other numbers than finite ones. */
    private static Double number(double value) {
        return Double.isFinite(value) ? value : null;
    }

    /** The shares by layer and the stacks of each event. */
    static Map<String, Object> row(Profile profile) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("server", profile.label());
        profile.events().forEach(event -> row.put(event, profile.shares(event)));
        Map<String, String> stacks = new LinkedHashMap<>();
        profile.events().forEach(event -> stacks.put(event, Text.packed(profile.samples(event).shortened())));
        row.put("stacks", stacks);
        return row;
    }

    /** The profile that {@link #row(Profile)} kept. */
    static Profile profile(JsonNode row, String note) {
        Map<String, Samples> samples = new TreeMap<>();
        row.get("stacks").properties().forEach(event -> samples.put(event.getKey(), Samples.parseShort(Text.unpacked(event.getValue().asText()))));
        return new Profile(row.get("server").asText(), note, samples);
    }

    /** What the check of its operations found. */
    private static Map<String, Object> row(History history) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("label", history.label());
        row.put("operations", history.operations().size());
        row.put("reads", history.reads());
        row.put("writes", history.writes());
        row.put("staleReads", history.staleReads().size());
        row.put("lost", history.lost().size());
        row.put("keys", history.keys());
        row.put("linearizableKeys", history.linearizableKeys());
        row.put("events", history.events());
        return row;
    }

    /** A histogram a second, and the events. */
    private static Map<String, Object> row(Timeline timeline) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("run", timeline.run().label());
        row.put("seconds", timeline.seconds().stream()
                .map(second -> Map.of("startSeconds", second.startSeconds(), "histogram", RunRow.encoded(second.responseMicros()))).toList());
        row.put("events", timeline.events());
        return row;
    }
}
