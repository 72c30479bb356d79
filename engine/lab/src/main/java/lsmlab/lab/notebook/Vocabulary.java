// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The packages whose names a cell can use without an import. */
public final class Vocabulary {
    /** The lab's own, without those that cells have no use for. */
    private static final List<String> LAB = List.of("lsmlab.lab", "lsmlab.lab.autopsy", "lsmlab.lab.grading", "lsmlab.lab.history", "lsmlab.lab.measure", "lsmlab.lab.notebook", "lsmlab.lab.process",
            "lsmlab.lab.predict", "lsmlab.lab.profile", "lsmlab.lab.replay", "lsmlab.lab.reports", "lsmlab.lab.rows", "lsmlab.lab.show");
    /** JShell and the kernel import others of the JDK's, too. */
    private static final List<String> JDK = List.of("java.util.function", "java.util.stream");
    /** What tests of assignments name besides. */
    private static final List<String> OTHERS = List.of("java.lang", "java.util", "java.util.concurrent", "lsmlab.storage", "lsmlab.storage.options");

    private Vocabulary() {}

    /** What the kernel runs before the first cell. */
    public static String imports() {
        return Stream.of(JDK, LAB).flatMap(List::stream).map("import %s.*;"::formatted).collect(Collectors.joining(" "));
    }

    /** The packages whose classes' names an assignment's cells must leave alone. */
    public static List<String> packages() {
        return Stream.of(OTHERS, JDK, LAB).flatMap(List::stream).toList();
    }
}
