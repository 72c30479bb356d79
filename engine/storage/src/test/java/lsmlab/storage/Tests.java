// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What several tests need. */
final class Tests {
    /** Whether {@code scripts/test --all} runs. */
    static final boolean ALL = "1".equals(System.getenv("LSM_LAB_ALL_TESTS"));

    private Tests() {}

    /** The command of a process with the class path of the tests. */
    static List<String> java(List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path")));
        command.addAll(1, options);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return command;
    }
}
