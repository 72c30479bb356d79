// SPDX-License-Identifier: Apache-2.0
package lsmlab.simulators;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the JVM computes is kept in golden.txt; a test in a browser holds the page against the same file. {@code -Dgolden.rewrite=true} writes it anew. */
class SimulatorsTest {
    private static final Path GOLDEN = Path.of("src/test/resources/golden.txt");

    private static List<String> computed() {
        List<String> lines = new ArrayList<>();
        for (String policy : List.of("binomial", "all", "doubling", "never")) {
            for (int maxRuns : new int[] {2, 6, 10}) {
                for (int flushes : new int[] {1, 7, 100, 5_000}) {
                    lines.add("writeAmplification %s %d %d %s".formatted(policy, maxRuns, flushes, Simulators.writeAmplification(policy, maxRuns, flushes)));
                }
                lines.add("runs %s %d 100 %s".formatted(policy, maxRuns,
                        Arrays.stream(Simulators.runs(policy, maxRuns, 100)).mapToObj(bytes -> Long.toString((long) bytes)).collect(Collectors.joining(","))));
            }
        }
        for (String rule : List.of("rendezvous", "modulo", "ring")) {
            for (int nodes : new int[] {1, 3, 4, 8}) {
                lines.add("owners %s %d 200 %s".formatted(rule, nodes, Arrays.stream(Simulators.owners(rule, nodes, 200)).mapToObj(Integer::toString).collect(Collectors.joining(","))));
            }
        }
        return lines;
    }

    @Test
    void numbersAreTheGoldenOnes() throws IOException {
        if (Boolean.getBoolean("golden.rewrite")) {
            Files.write(GOLDEN, computed());
        }
        assertEquals(Files.readAllLines(GOLDEN), computed());
    }

    /** Seven flushes by hand, as assignment 6 shows them: 7 by flushes, 3 + 5 + 7 by merges. */
    @Test
    void allAtOnceWritesWhatIsWrittenByHand() {
        assertEquals(22 / 7.0, Simulators.writeAmplification("all", 2, 7), 1e-12);
        assertEquals(List.of(7.0), Arrays.stream(Simulators.runs("all", 2, 7)).boxed().toList());
    }
}
