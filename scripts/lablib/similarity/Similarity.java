// SPDX-License-Identifier: Apache-2.0
import de.jplag.JPlag;
import de.jplag.JPlagComparison;
import de.jplag.java.JavaLanguage;
import de.jplag.options.JPlagOptions;
import java.io.File;
import java.util.Locale;
import java.util.Set;

/**
 * Prints each pair of submissions with its similarity, from 0 to 1, divided by tabs. Arguments: a folder with a folder of Java files for each
 * submission, and one with what all of them were given, which does not count.
 */
final class Similarity {
    /** Shorter runs of the same tokens are chance. JPlag's own value for Java; a class of an assignment has some fifty to two hundred. */
    private static final int SHORTEST_MATCH_TOKENS = 9;

    private Similarity() {}

    public static void main(String[] arguments) throws Exception {
        JPlagOptions options = new JPlagOptions(new JavaLanguage(), Set.of(new File(arguments[0])), Set.of()).withMinimumTokenMatch(SHORTEST_MATCH_TOKENS);
        File given = new File(arguments[1]);
        if (given.list().length > 0) {
            options = options.withBaseCodeSubmissionDirectory(given);
        }
        for (JPlagComparison pair : JPlag.run(options).getAllComparisons()) {
            System.out.printf(Locale.ROOT, "%s\t%s\t%.4f%n", pair.firstSubmission().getName(), pair.secondSubmission().getName(), pair.similarity());
        }
    }
}
