// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.predict;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import lsmlab.lab.environment.Json;
import lsmlab.lab.environment.Project;
import lsmlab.lab.environment.Workspace;

/** The reader's record: a line of JSON for each prediction and the measurement that followed. The first answer to a question counts, because later answers were given after the result was known. */
public final class Predictions {
    /** Up to this factor a prediction counts as near. */
    public static final double NEAR = 1.5;
    /** Path of the record, if it is not in work; "none" for an unattended run, which keeps no record. */
    private static final String FILE_VARIABLE = "LSM_LAB_PREDICTIONS";
    private static final String NONE = "none";

    private final Path file;

    Predictions(Path file) {
        this.file = file;
    }

    /** Empty in an unattended run. */
    public static Optional<Predictions> record() {
        String named = System.getenv(FILE_VARIABLE);
        return NONE.equals(named) ? Optional.empty() : Optional.of(new Predictions(named == null || named.isBlank() ? Project.root().resolve("work/predictions.jsonl") : Path.of(named)));
    }

    void add(Prediction prediction) {
        try {
            Files.createDirectories(file.getParent());
            String line = Json.COMPACT.writeValueAsString(prediction) + "\n";
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("the prediction could not be kept in " + file, e);
        }
    }

    /** The first answer to each question, oldest first. Skips lines that hold no prediction. */
    public List<Prediction> all() {
        Map<List<String>, Prediction> first = new LinkedHashMap<>();
        try (Stream<String> lines = Files.exists(file) ? Files.lines(file) : Stream.empty()) {
            lines.flatMap(Predictions::parsed).forEach(prediction -> first.putIfAbsent(List.of(prediction.notebook(), prediction.what()), prediction));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.copyOf(first.values());
    }

    /** This notebook's predictions; those of all notebooks if it has none. */
    public List<Prediction> here() {
        List<Prediction> all = all();
        List<Prediction> own = all.stream().filter(prediction -> prediction.notebook().equals(Workspace.notebook())).toList();
        return own.isEmpty() ? all : own;
    }

    private static Stream<Prediction> parsed(String line) {
        try {
            Prediction prediction = Json.MAPPER.readValue(line, Prediction.class);
            return prediction.notebook() == null || prediction.what() == null || prediction.said() == null || prediction.measured() == null ? Stream.empty() : Stream.of(prediction);
        } catch (JsonProcessingException e) {
            return Stream.empty();
        }
    }
}
