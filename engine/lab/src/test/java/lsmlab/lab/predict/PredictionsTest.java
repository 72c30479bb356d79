// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.predict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import lsmlab.load.result.Interval;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PredictionsTest {
    private static final Interval MEASURED = new Interval(8, 7, 9);

    @TempDir
    Path folder;

    private static Prediction prediction(String what, double said) {
        return new Prediction("a notebook", what, said, MEASURED);
    }

    @Test
    void theFirstAnswerToAQuestionCounts() {
        Predictions record = new Predictions(folder.resolve("work/predictions.jsonl"));
        assertEquals(List.of(), record.all());
        record.add(prediction("ratio", 4));
        record.add(prediction("tables", 8));
        record.add(prediction("ratio", 8));
        assertEquals(List.of(prediction("ratio", 4), prediction("tables", 8)), record.all());
    }

    @Test
    void aLineThatHoldsNoPredictionIsPassedOver() throws IOException {
        Path file = folder.resolve("predictions.jsonl");
        Predictions record = new Predictions(file);
        record.add(prediction("ratio", 4));
        Files.writeString(file, "{\"notebook\": \"cut o\n{}\n\n", StandardOpenOption.APPEND);
        record.add(prediction("tables", 8));
        assertEquals(2, record.all().size());
    }

    @Test
    void howGoodItWasIsSaidInWords() {
        assertEquals("ratio: you expected 4, measured 8 (7 to 9): 2.00 times too small", prediction("ratio", 4).toString());
        assertEquals("ratio: you expected 16, measured 8 (7 to 9): 2.00 times too large", prediction("ratio", 16).toString());
        assertEquals("right: within the interval", prediction("ratio", 7.5).judged());
        assertEquals("tables: you expected 3, measured 3.00: right", new Prediction("a notebook", "tables", 3.0, Interval.exactly(3)).toString());
        assertEquals("ratio: measured 8 (7 to 9): no prediction", new Prediction("a notebook", "ratio", null, MEASURED).toString());
    }

    @Test
    void onlyPositiveNumbersArePredictions() {
        Question question = Question.ask("a number");
        assertThrows(IllegalArgumentException.class, () -> question.is(0));
        assertThrows(IllegalArgumentException.class, () -> question.is(-1));
        assertThrows(IllegalArgumentException.class, () -> question.is(Double.NaN));
        assertEquals("a number: you expect 3", question.is(3).toString());
    }

    @Test
    void aMeasurementNeedsItsQuestion() {
        Question.ask("ratio of this test").skip();
        assertEquals("no prediction", Question.compare("ratio of this test", MEASURED).judged());
        assertThrows(IllegalArgumentException.class, () -> Question.compare("another ratio", MEASURED));
    }
}
