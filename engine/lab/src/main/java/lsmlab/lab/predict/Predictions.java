// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.predict;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
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

/** The reader's record: a line of JSON for each prediction that was compared with a measurement. The first answer to a question counts; later ones knew the result. */
public final class Predictions {
    /** Up to this factor a prediction counts as near. */
    public static final double NEAR = 1.5;
    /** Where the record is, if not in work; "none": no person reads this notebook. */
    private static final String FILE_VARIABLE = "LSM_LAB_PREDICTIONS";
    private static final String NONE = "none";

    private final Path file;

    Predictions(Path file) {
        this.file = file;
    }

    /** None where no person reads. */
    public static Optional<Predictions> record() {
        String named = System.getenv(FILE_VARIABLE);
        return NONE.equals(named) ? Optional.empty() : Optional.of(new Predictions(named == null || named.isBlank() ? Project.root().resolve("work/predictions.jsonl") : Path.of(named)));
    }

    static String notebook() {
        return Workspace.notebook();
    }

    void add(Prediction prediction) {
        try {
            Files.createDirectories(file.getParent());
            String line = Json.MAPPER.writer().without(SerializationFeature.INDENT_OUTPUT).writeValueAsString(prediction) + "\n";
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("the prediction could not be kept in " + file, e);
        }
    }

    /** The first to each question, oldest first; a line that holds none is passed over. */
    public List<Prediction> all() {
        Map<List<String>, Prediction> first = new LinkedHashMap<>();
        try (Stream<String> lines = Files.exists(file) ? Files.lines(file) : Stream.empty()) {
            lines.flatMap(Predictions::parsed).forEach(prediction -> first.putIfAbsent(List.of(prediction.notebook(), prediction.what()), prediction));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.copyOf(first.values());
    }

    /** Those of this notebook; of one that has none, those of all. */
    public List<Prediction> here() {
        List<Prediction> own = all().stream().filter(prediction -> prediction.notebook().equals(notebook())).toList();
        return own.isEmpty() ? all() : own;
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
