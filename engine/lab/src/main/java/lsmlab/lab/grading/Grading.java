// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.grading;

import java.nio.file.Path;

/** Where a notebook is graded, and how many checks have passed in it. */
public final class Grading {
    private static volatile long passedChecks; // a cell's own threads do not check

    private Grading() {}

    /** Whether nbgrader runs this notebook. */
    public static boolean isUnderWay() {
        return handedInBy() != null;
    }

    /** By nbgrader's folders, autograded/STUDENT/ASSIGNMENT; null elsewhere. */
    static String handedInBy() {
        Path student = Path.of("").toAbsolutePath().getParent();
        Path stage = student == null ? null : student.getParent();
        return stage != null && stage.endsWith("autograded") ? student.getFileName().toString() : null;
    }

    static void passed() {
        passedChecks++;
    }

    /** Checks that passed in this kernel until now, of all assignments. */
    public static long passedChecks() {
        return passedChecks;
    }
}
