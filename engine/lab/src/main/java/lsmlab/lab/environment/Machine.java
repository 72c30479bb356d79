// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.environment;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    /** What makes measurements here less than they could be, as far as the system says: a battery, a processor that is held back, other work. */
    public static List<String> remarks() {
        return remarks(Path.of("/sys"), ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(), Runtime.getRuntime().availableProcessors());
    }

    /** @param system where Linux shows its devices */
    static List<String> remarks(Path system, double load, int cores) {
        List<String> remarks = new ArrayList<>();
        if (isOnBattery(system.resolve("class/power_supply"))) {
            remarks.add("on battery: the processor may be slowed down");
        }
        int limit = clockLimitPercent(system.resolve("devices/system/cpu/cpu0/cpufreq"));
        if (limit < 100) {
            remarks.add("the processor is held at %d %% of its highest clock".formatted(limit));
        }
        if (load > cores / 2.0) {
            remarks.add("load average %.1f on %d cores: other work runs here, or did a minute ago".formatted(load, cores));
        }
        return remarks;
    }

    private static boolean isOnBattery(Path supplies) {
        if (!Files.isDirectory(supplies)) {
            return output("pmset", "-g", "batt").contains("'Battery Power'");
        }
        try (var found = Files.list(supplies)) {
            return found.anyMatch(supply -> text(supply.resolve("type")).equals("Battery") && text(supply.resolve("status")).equals("Discharging"));
        } catch (IOException e) {
            return false;
        }
    }

    /** 100 where the system does not say. */
    private static int clockLimitPercent(Path clock) {
        String most = text(clock.resolve("cpuinfo_max_freq"));
        String allowed = text(clock.resolve("scaling_max_freq"));
        if (most.matches("[1-9]\\d*") && allowed.matches("\\d+")) {
            return (int) (100 * Long.parseLong(allowed) / Long.parseLong(most));
        }
        Matcher limit = Pattern.compile("CPU_Speed_Limit\\s*=\\s*(\\d+)").matcher(Files.isDirectory(clock) ? "" : output("pmset", "-g", "therm"));
        return limit.find() ? Integer.parseInt(limit.group(1)) : 100;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
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
