// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.environment;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What a figure was measured on and with. Nothing in it names a person, a host or a path. */
public final class Machine {
    private static volatile Map<String, String> description;

    private Machine() {}

    public static Map<String, String> description() {
        if (description == null) {
            description = describe();
        }
        return description;
    }

    /** "Intel(R) Xeon(R) Processor, 2 cores". */
    public static String shortName() {
        return description().get("cpu") + ", " + description().get("cores") + " cores";
    }

    private static Map<String, String> describe() {
        Map<String, String> found = new LinkedHashMap<>();
        found.put("cpu", cpu());
        found.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        if (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean os) {
            found.put("memory", (os.getTotalMemorySize() >> 30) + " GB");
        }
        found.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version") + " " + System.getProperty("os.arch"));
        found.put("disk", disk());
        found.put("jdk", Runtime.version() + " (" + System.getProperty("java.vendor") + ")");
        found.put("git", output("git", "describe", "--always", "--dirty"));
        return found;
    }

    private static String cpu() {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(l -> l.startsWith("model name")).findFirst().map(l -> l.substring(l.indexOf(':') + 1).strip()).orElse("unknown CPU");
        } catch (IOException e) {
            return output("sysctl", "-n", "machdep.cpu.brand_string");
        }
    }

    private static String disk() {
        try {
            var store = Files.getFileStore(Project.root());
            return "%s, %d GB free".formatted(store.type(), store.getUsableSpace() >> 30);
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static String output(String... command) {
        try {
            Process process = Children.start(new ProcessBuilder(command).directory(Project.root().toFile()).redirectErrorStream(true));
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.waitFor(5, TimeUnit.SECONDS) && process.exitValue() == 0 ? text : "unknown";
        } catch (IOException e) {
            return "unknown";
        } catch (InterruptedException e) {
            throw Interrupted.by(e);
        }
    }
}
