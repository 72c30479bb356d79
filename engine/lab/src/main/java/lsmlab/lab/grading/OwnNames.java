// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.grading;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import jdk.jshell.ImportSnippet;
import jdk.jshell.JShell;
import jdk.jshell.PersistentSnippet;
import jdk.jshell.Snippet;
import lsmlab.lab.notebook.Vocabulary;

/**
 * Types, variables and imports of cells that have the name of a class or package of the lab or the JDK. An assignment's tests would take
 * them for those: {@code class Lab} or {@code var lsmlab} could say that all is right.
 */
public final class OwnNames {
    static final int EXIT_TAKEN = 6;
    private static final Set<String> PACKAGE_ROOTS = Set.of("java", "javax", "jdk", "lsmlab", "org");
    private static final List<String> PACKAGES = Vocabulary.packages();

    private OwnNames() {}

    /** The first of the cells' names that is taken. */
    static Optional<String> taken(JShell shell) {
        return shell.snippets().filter(snippet -> shell.status(snippet).isActive()).filter(OwnNames::isTaken).map(OwnNames::name).findFirst();
    }

    /** Ends this process when a cell declares one: for where work is graded. */
    public static void refuse(JShell shell) {
        shell.onSnippetEvent(event -> {
            if (event.status().isActive() && isTaken(event.snippet())) {
                // WHY not System.err: that is the cell's output, which ends here with the kernel.
                new PrintStream(new FileOutputStream(FileDescriptor.err), true).println("NameError: " + message(name(event.snippet())));
                Runtime.getRuntime().halt(EXIT_TAKEN);
            }
        });
    }

    static String message(String name) {
        return "a cell declares '%s', which is the name of a class or package that the tests use; choose another".formatted(name);
    }

    private static boolean isTaken(Snippet snippet) {
        return switch (snippet.kind()) {
            case VAR, TYPE_DECL -> PACKAGE_ROOTS.contains(name(snippet)) || PACKAGES.stream().anyMatch(in -> exists(in + "." + name(snippet)));
            case IMPORT -> {
                String whole = ((ImportSnippet) snippet).fullname();
                String simple = whole.substring(whole.lastIndexOf('.') + 1);
                yield PACKAGES.stream().anyMatch(in -> exists(in + "." + simple) && !whole.equals(in + "." + simple));
            }
            default -> false;
        };
    }

    private static String name(Snippet snippet) {
        return switch (snippet) {
            case ImportSnippet imported -> imported.fullname();
            case PersistentSnippet declared -> declared.name();
            default -> "";
        };
    }

    private static boolean exists(String type) {
        try {
            Class.forName(type, false, OwnNames.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false; // LinkageError: the same name in another case, on disks that ignore case
        }
    }
}
