// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import lsmlab.lab.environment.Children;
import lsmlab.lab.environment.Interrupted;
import lsmlab.lab.environment.Machine;
import lsmlab.lab.environment.Project;

/**
 * The program that makes the load: {@code $WRK2} (a path, or wrk2.jar for the project's own), a {@code wrk2} on the path, a
 * {@code wrk} there that takes -R, or else the project's own wrk2.jar.
 *
 * @param name as results show it
 * @param isReal a wrk2 whose text is read, rather than wrk2.jar, which writes JSON
 */
public record Generator(String name, List<String> command, boolean isReal) {
    private static final String OWN = "wrk2.jar";
    private static volatile Generator found;

    public static Generator current() {
        if (found == null) {
            found = find(System.getenv("WRK2"), System.getenv("PATH"));
        }
        return found;
    }

    /** What is measured on and with: the machine's description and the load generator's name. */
    public static Map<String, String> conditions() {
        Map<String, String> conditions = new LinkedHashMap<>(Machine.description());
        conditions.put("load generator", current().name());
        return conditions;
    }

    /** From now on it is the project's own, whatever else there is: checks of assignments need what only that reports. */
    public static void useOwn() {
        found = own();
    }

    static Generator find(String wrk2Variable, String path) {
        if (OWN.equals(wrk2Variable)) {
            return own();
        }
        if (wrk2Variable != null && !wrk2Variable.isBlank()) {
            Path program = Path.of(wrk2Variable);
            if (!takesRate(program)) {
                throw new IllegalStateException("$WRK2 is " + wrk2Variable + ", which is no wrk2: its usage has no --rate");
            }
            return real(program);
        }
        for (String name : List.of("wrk2", "wrk")) {
            for (String folder : path.split(File.pathSeparator)) {
                Path program = Path.of(folder, name);
                if (Files.isExecutable(program) && takesRate(program)) {
                    return real(program);
                }
            }
        }
        return own();
    }

    static Generator own() {
        // WHY C1 and the serial collector: runs are short, and the compiler's threads would take the cores from the server and
        // the sends. Measured at 1,000/s over 3 s: p99 of the send lag 0.11 to 0.14 ms, with the JVM's defaults 0.12 to 0.16 ms.
        return new Generator(OWN, List.of(Children.java(), "--enable-native-access=ALL-UNNAMED", "-Xmx512m",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
                "-Djava.io.tmpdir=" + Project.scratch("tmp"), "-jar", Project.root().resolve("engine/load/target/wrk2.jar").toString(),
                "--exit-with", Children.pid()), false);
    }

    /** A guard holds the real wrk2: when the pipe from this JVM ends, however this JVM ended, so does the program. */
    private static Generator real(Path program) {
        return new Generator(program.getFileName() + " (real)", List.of("sh", "-c",
                "exec 3<&0; \"$0\" \"$@\" </dev/null & child=$!; { cat >/dev/null; kill -9 $child 2>/dev/null; } <&3 & guard=$!; "
                        + "wait $child; status=$?; kill $guard 2>/dev/null; exit $status",
                program.toString()), true);
    }

    private static boolean takesRate(Path program) {
        try {
            Process process = Children.start(new ProcessBuilder(program.toString(), "--help").redirectErrorStream(true));
            process.getOutputStream().close();
            String usage = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor(5, TimeUnit.SECONDS);
            return usage.contains("--rate");
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw Interrupted.by(e);
        }
    }

    List<String> command(List<String> arguments) {
        List<String> whole = new ArrayList<>(command);
        whole.addAll(arguments);
        return whole;
    }
}
