// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.predict;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import lsmlab.lab.environment.Text;
import lsmlab.lab.environment.Workspace;
import lsmlab.load.result.Interval;

/**
 * A number that the reader is asked for before it is measured. The cell that asks fails until it gets {@code .is(number)} or {@code .skip()}, so Run All stops before the result is
 * on the screen. An unattended run, such as scripts/lab run, does not ask.
 */
public final class Question {
    private static final Map<String, Question> ASKED = new ConcurrentHashMap<>(); // in this kernel, by what is asked

    private final String what;
    private Double said; // null: no number yet
    private boolean skipped;

    private Question(String what) {
        this.what = what;
    }

    /** Asks, and drops any earlier answer to the same question in this kernel. */
    public static Question ask(String what) {
        Question question = new Question(what);
        ASKED.put(what, question);
        return question;
    }

    /**
     * Answers.
     *
     * @param number positive, since predictions are compared by their ratio to what is measured
     */
    public Question is(double number) {
        if (!(number > 0) || !Double.isFinite(number)) {
            throw new IllegalArgumentException("a prediction is a number above 0, and not " + Text.plain(number));
        }
        said = number;
        skipped = false;
        return this;
    }

    /** Goes on without a number. */
    public Question skip() {
        said = null;
        skipped = true;
        return this;
    }

    /** Compares the answer with the measurement and adds both to the reader's record, unless the measurement found no number. */
    public static Prediction compare(String what, Interval measured) {
        Question question = ASKED.get(what);
        if (question == null) {
            throw new IllegalArgumentException("no cell of this kernel has asked for '%s': run the cell with Lab.predict%s".formatted(what,
                    ASKED.isEmpty() ? "" : "; asked were: " + String.join("; ", ASKED.keySet())));
        }
        question.requireAnswer();
        Prediction prediction = new Prediction(Workspace.notebook(), what, question.said, measured);
        if (question.said != null && prediction.isMeasured()) {
            Predictions.record().ifPresent(record -> record.add(prediction));
        }
        return prediction;
    }

    private void requireAnswer() {
        if (said == null && !skipped && Predictions.record().isPresent()) {
            throw new UnansweredException(what);
        }
    }

    /** @throws UnansweredException if it has no answer, unless the run is unattended */
    @Override
    public String toString() {
        requireAnswer();
        return "%s: %s".formatted(what, said != null ? "you expect " + Text.plain(said) : skipped ? "skipped" : "no prediction");
    }
}
