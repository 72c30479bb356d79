// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.rows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipException;
import lsmlab.lab.autopsy.Autopsy;
import lsmlab.lab.environment.Json;
import lsmlab.lab.environment.Project;
import lsmlab.lab.measure.Comparison;
import lsmlab.lab.measure.Curve;
import lsmlab.lab.measure.Knee;
import lsmlab.lab.measure.Run;
import lsmlab.lab.measure.Timeline;
import lsmlab.lab.profile.Profile;
import lsmlab.lab.replay.Replay;

/** What the newest stored full run of an experiment measured, read again: figures are drawn from it without measuring anything. */
public final class Row {
    private final String experiment;
    private final Path file; // null: none is stored
    private final Map<String, Run> runs = new LinkedHashMap<>();
    private final Map<String, Knee> knees = new LinkedHashMap<>();
    private final Map<String, Comparison> comparisons = new LinkedHashMap<>();
    private final Map<String, Timeline> timelines = new LinkedHashMap<>();
    private final Map<String, Profile> profiles = new LinkedHashMap<>();
    private final Map<String, Autopsy> autopsies = new LinkedHashMap<>();
    private final Map<String, Replay> replays = new LinkedHashMap<>();

    private Row(String experiment, Path file) throws IOException {
        this.experiment = experiment;
        this.file = file;
        if (file != null) {
            try {
                read(RunRow.unpack((ObjectNode) Json.MAPPER.readTree(file.toFile())));
            } catch (JsonProcessingException | EOFException | ZipException | NullPointerException | ClassCastException | IllegalArgumentException e) {
                throw new IllegalStateException("%s is damaged: git checkout brings it back, or delete it".formatted(file), e);
            }
        }
    }

    /** By its time; without one, a row that has nothing. */
    public static Row newest(String experiment) {
        Path results = Project.root().resolve("data/results");
        try (Stream<Path> files = Files.walk(results)) {
            Optional<Path> newest = files.filter(file -> file.getFileName().toString().matches(experiment + "-\\d{6}Z\\.json"))
                    .max(Comparator.comparing((Path file) -> results.relativize(file).getName(0).toString()).thenComparing(file -> file.getFileName().toString()));
            return new Row(experiment, newest.orElse(null));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(JsonNode row) throws IOException {
        String machine = "%s, %s cores".formatted(row.at("/machine/cpu").asText(), row.at("/machine/cores").asText());
        for (JsonNode run : row.get("runs")) {
            add(run, run.get("label").asText(), machine);
        }
        for (JsonNode knee : row.get("knees")) {
            if (knee.has("held")) { // rows from before the fitted knee have the run at the highest rate that was held
                add(knee.get("held"), knee.get("label").asText() + ", at the knee", machine);
            } else {
                knees.put(knee.get("label").asText(), Json.MAPPER.treeToValue(knee, Knee.class));
            }
        }
        for (JsonNode comparison : row.path("comparisons")) {
            comparisons.put(comparison.get("label").asText(), Json.MAPPER.treeToValue(comparison, Comparison.class));
        }
        for (JsonNode timeline : row.path("timelines")) {
            add(timeline);
        }
        for (JsonNode profile : row.get("profiles")) {
            if (profile.has("stacks")) {
                profiles.put(profile.get("server").asText(), Results.profile(profile, "full mode, " + machine));
            }
        }
        JsonNode beside = Beside.read(Beside.file(file));
        for (JsonNode autopsy : beside.path("autopsies")) {
            autopsies.put(autopsy.get("label").asText(), AutopsyRow.read(autopsy, "full mode, " + machine));
        }
        for (JsonNode replay : beside.path("replays")) {
            replays.put(replay.get("label").asText(), ReplayRow.read(replay, "full mode, " + machine));
        }
    }

    /** Of several rounds the first, as in the notebook. */
    private void add(JsonNode run, String label, String machine) throws IOException {
        runs.putIfAbsent(label, RunRow.read(((ObjectNode) run).put("label", label).put("machine", machine)));
    }

    private void add(JsonNode timeline) throws IOException {
        String label = timeline.get("run").asText();
        List<Timeline.Second> seconds = new ArrayList<>();
        for (JsonNode second : timeline.get("seconds")) {
            seconds.add(new Timeline.Second(second.get("startSeconds").asDouble(), RunRow.decoded(second.get("histogram").asText())));
        }
        List<Timeline.Event> events = new ArrayList<>();
        for (JsonNode event : timeline.get("events")) {
            events.add(Json.MAPPER.treeToValue(event, Timeline.Event.class));
        }
        timelines.put(label, new Timeline(found(runs, label), seconds, events));
    }

    /** The reported curves and the runs of these labels, as far as they are stored: earlier rows have other labels than later ones. */
    public Curve[] beside(List<? extends Curve> reported, String... labels) {
        List<Curve> curves = new ArrayList<>(reported);
        if (file != null) {
            List<Run> stored = Stream.of(labels).filter(label -> runs.keySet().stream().anyMatch(one -> one.startsWith(label))).map(this::run).toList();
            curves.addAll(stored.isEmpty() ? List.of(run(labels[0])) : stored);
        }
        return curves.toArray(Curve[]::new);
    }

    /** One of its runs, by its label or by a beginning that only one has; in rows from before the fitted knee one at a knee has the knee's label with ", at the knee" after it. */
    public Run run(String label) {
        List<String> beginning = runs.keySet().stream().filter(one -> one.startsWith(label)).toList();
        return found(runs, runs.containsKey(label) || beginning.size() != 1 ? label : beginning.getFirst());
    }

    /** One of its knees, with all trials; of several with this label the last. */
    public Knee knee(String label) {
        return found(knees, label);
    }

    /** One of its comparisons, with all slices. */
    public Comparison comparison(String label) {
        return found(comparisons, label);
    }

    /** One of its runs with what the server did meanwhile, by the label of the run. */
    public Timeline timeline(String label) {
        return found(timelines, label);
    }

    /** Why the slowest requests of one of its runs were slow, by the label of the run. */
    public Autopsy autopsy(String label) {
        return found(autopsies, label);
    }

    /** What the engine looked like during one of its runs, by the label of the run. */
    public Replay replay(String label) {
        return found(replays, label);
    }

    /** One of its profiles, by its label. */
    public Profile profile(String label) {
        return found(profiles, label);
    }

    private <T> T found(Map<String, T> all, String label) {
        T one = all.get(label);
        if (one == null) {
            throw new IllegalArgumentException("'%s' is not in %s, there are %s".formatted(label, this, all.keySet()));
        }
        return one;
    }

    @Override
    public String toString() {
        return file == null
                ? "no full run of %s is stored yet: scripts/lab run %s --full".formatted(experiment, experiment)
                : Project.root().relativize(file).toString();
    }
}
