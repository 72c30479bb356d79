// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import lsmlab.lab.environment.Children;
import lsmlab.lab.environment.Project;

/** The command that starts a server: async-profiler can be attached to it, and it ends with this JVM. */
final class JavaCommand {
    private JavaCommand() {}

    static List<String> of(Path jar, String heap, int port, Map<String, String> options) {
        List<String> command = new ArrayList<>(List.of(Children.java(), "-Xmx" + heap,
                "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints", "-XX:+EnableDynamicAgentLoading", "-XX:-UsePerfData",
                "-Djava.io.tmpdir=" + Project.scratch("tmp"),
                "-jar", jar.toString(),
                "--port", Integer.toString(port), "--exit-with", Children.pid()));
        options.forEach((name, value) -> command.add("--" + name + "=" + value));
        return command;
    }
}
