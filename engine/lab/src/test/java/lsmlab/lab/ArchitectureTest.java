// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The layers: which package may name which, what each module shows, and that no file is too long to be read in one go. */
class ArchitectureTest {
    private static final Path ENGINE = Path.of("..");
    private static final int MOST_LINES = 350;
    private static final Pattern OURS = Pattern.compile("lsmlab/(\\w+/)+[A-Z]\\w*");

    /** The packages that the classes of each package may name, besides its own. */
    private static final Map<String, String> ARROWS = Map.ofEntries(
            Map.entry("storage", "storage/*"),
            Map.entry("storage/tree", "storage/table storage/memtable storage/compaction storage/disk storage/format storage/keys storage/entries "
                    + "storage/counters storage/stats storage/system"),
            Map.entry("storage/table", "storage/compaction storage/counters storage/disk storage/format storage/keys storage/entries storage/options storage/system"),
            Map.entry("storage/memtable", "storage/format storage/keys storage/system"),
            Map.entry("storage/commit", "storage/disk storage/format storage/keys storage/entries storage/stats storage/system"),
            Map.entry("storage/compaction", "storage/keys storage/options"),
            Map.entry("storage/disk", "storage/entries storage/options storage/stats storage/system"),
            Map.entry("storage/options", "storage/keys"),
            Map.entry("storage/assembled", "storage/options"),
            Map.entry("storage/keys", "storage/counters storage/entries storage/system"),
            Map.entry("storage/counters", "storage/stats"),
            Map.entry("storage/format", "storage/entries"),
            Map.entry("storage/entries", ""),
            Map.entry("storage/stats", ""),
            Map.entry("storage/system", ""),
            Map.entry("server", "server/* storage storage/assembled storage/options storage/stats"),
            Map.entry("server/cli", "server/config server/cluster server/extension server/session server/workers server/values storage/options"),
            Map.entry("server/config", "server/cluster server/extension server/session server/workers server/values storage/options storage/entries"),
            Map.entry("server/stats", "server/cluster server/store server/http server/workers server/wire storage storage/stats"),
            Map.entry("server/extension", "server/cluster server/values storage/assembled storage/options"),
            Map.entry("server/cluster", "server/store server/http server/session server/trace server/wire storage storage/entries storage/stats"),
            Map.entry("server/store", "server/http server/session server/trace server/wire storage storage/assembled storage/entries storage/stats"),
            Map.entry("server/http", "server/session server/trace server/workers server/wire"),
            Map.entry("server/session", "server/trace server/workers server/wire"),
            Map.entry("server/trace", "storage/stats"),
            Map.entry("server/workers", "server/values"),
            Map.entry("server/wire", "server/values"),
            Map.entry("server/values", ""),
            Map.entry("load", "load/rounds load/run load/script load/report load/machine load/plan load/result"),
            Map.entry("load/rounds", "load/run load/send load/script load/machine load/count load/plan load/estimate load/result"),
            Map.entry("load/run", "load/send load/script load/report load/machine load/count load/plan load/result"),
            Map.entry("load/send", "load/script load/count load/plan"),
            Map.entry("load/script", "load/count load/plan"),
            Map.entry("load/report", "load/count load/result"),
            Map.entry("load/machine", ""),
            Map.entry("load/estimate", ""),
            Map.entry("load/count", "load/result"),
            Map.entry("load/plan", ""),
            Map.entry("load/result", "load/estimate"),
            Map.entry("lab", "lab/* load/result"),
            Map.entry("lab/kernel", "lab/grading lab/notebook lab/environment storage"),
            Map.entry("lab/grading", "lab/autopsy lab/show lab/measure lab/process lab/notebook lab/environment load/result storage storage/assembled storage/options storage/stats"),
            Map.entry("lab/autopsy", "lab/profile lab/measure lab/process lab/environment load/result"),
            Map.entry("lab/replay", "lab/autopsy lab/measure lab/process load/result storage/stats"),
            Map.entry("lab/rows", "lab/autopsy lab/history lab/replay lab/reports lab/profile lab/measure lab/process lab/environment load/result"),
            Map.entry("lab/show", "lab/autopsy lab/history lab/replay lab/reports lab/predict lab/profile lab/measure lab/process lab/notebook lab/environment load/result storage/stats"),
            Map.entry("lab/reports", "lab/measure lab/environment load/result"),
            Map.entry("lab/predict", "lab/environment load/result"),
            Map.entry("lab/profile", "lab/process lab/environment load/estimate load/result storage"),
            Map.entry("lab/history", "lab/measure lab/process lab/notebook lab/environment"),
            Map.entry("lab/measure", "lab/process lab/notebook lab/environment load/estimate load/plan load/result"),
            Map.entry("lab/process", "lab/notebook lab/environment load/script load/send storage storage/options storage/stats"),
            Map.entry("lab/notebook", "lab/environment storage storage/options storage/stats"),
            Map.entry("lab/environment", ""));

    /** Types of a module that others may name, where not all of an exported package are meant for them. */
    private static final Map<String, String> FACE = Map.of(
            "storage", "Batch Engine MergeSimulation PageCache Scan ScanEndedException WriteRefusedException",
            "storage/entries", "CorruptionException Entry ValueReader",
            "storage/stats", "KeyRange Layout Space StallCause Stats WriteTrace");

    @Test
    void packagesNameOnlyThoseTheyMay() throws IOException {
        Map<String, Set<String>> arrows = arrows();
        assertEquals(ARROWS.keySet(), arrows.keySet());
        Set<String> wrong = new TreeSet<>();
        for (String from : ARROWS.keySet()) {
            List<String> allowed = List.of(ARROWS.get(from).split(" "));
            for (String to : arrows.get(from)) {
                boolean below = allowed.contains(from + "/*") && to.startsWith(from + "/");
                if (!below && !allowed.contains(to)) {
                    wrong.add(from + " names " + to);
                }
            }
        }
        assertEquals(Set.of(), wrong);
    }

    @Test
    void noArrowsMakeACircle() throws IOException {
        Map<String, Set<String>> left = new HashMap<>(arrows());
        boolean taken = true;
        while (taken) {
            taken = left.entrySet().removeIf(entry -> entry.getValue().stream().noneMatch(left::containsKey));
        }
        assertEquals(Set.of(), left.keySet());
    }

    /** Each package and those of ours that its classes name. */
    private static Map<String, Set<String>> arrows() throws IOException {
        Map<String, Set<String>> arrows = new HashMap<>();
        for (ClassModel compiled : classes("storage", "server", "load", "lab")) {
            String from = packageOf(compiled.thisClass().asInternalName());
            Set<String> to = arrows.computeIfAbsent(from, _ -> new TreeSet<>());
            named(compiled).stream().filter(name -> name.startsWith("lsmlab/")).map(ArchitectureTest::packageOf).filter(name -> !name.equals(from)).forEach(to::add);
        }
        return arrows;
    }

    private static String packageOf(String name) {
        return name.substring("lsmlab/".length(), name.lastIndexOf('/'));
    }

    @Test
    void storageShowsItsFaceAlone() throws IOException {
        Map<String, Set<String>> shown = new HashMap<>();
        for (ClassModel compiled : classes("storage")) {
            String name = compiled.thisClass().asInternalName();
            if (compiled.flags().has(AccessFlag.PUBLIC) && !name.contains("$")) {
                shown.computeIfAbsent(packageOf(name), _ -> new TreeSet<>()).add(name.substring(name.lastIndexOf('/') + 1));
            }
        }
        FACE.forEach((itsPackage, types) -> assertEquals(types, String.join(" ", shown.get(itsPackage)), itsPackage));
    }

    @Test
    void storageNamesNothingBeyondTheJdk() throws IOException {
        Set<String> beyond = new TreeSet<>();
        for (ClassModel compiled : classes("storage")) {
            beyond.addAll(named(compiled));
        }
        beyond.removeIf(name -> name.startsWith("[") || name.startsWith("java/") || name.startsWith("jdk/jfr/") || name.startsWith("lsmlab/storage/"));
        assertEquals(Set.of(), beyond);
    }

    @Test
    void noFileIsTooLong() throws IOException {
        Set<String> tooLong = new TreeSet<>();
        for (Path file : sources()) {
            if (Files.readAllLines(file).size() > MOST_LINES) {
                tooLong.add(file.getFileName().toString());
            }
        }
        assertEquals(Set.of(), tooLong);
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> all = Files.walk(ENGINE)) {
            return all.filter(file -> file.toString().matches(".*[/\\\\]src[/\\\\].*\\.java")).toList();
        }
    }

    static List<ClassModel> classes(String... modules) throws IOException {
        List<ClassModel> classes = new ArrayList<>();
        for (String module : modules) {
            try (Stream<Path> all = Files.walk(ENGINE.resolve(module).resolve("target/classes"))) {
                for (Path file : all.filter(file -> file.getFileName().toString().matches("(?!(module|package)-info).*\\.class")).toList()) {
                    classes.add(ClassFile.of().parse(file));
                }
            }
        }
        return classes;
    }

    /** Every class that it names, those of signatures and annotations included. */
    private static Set<String> named(ClassModel compiled) {
        Set<String> names = new HashSet<>();
        for (var entry : compiled.constantPool()) {
            if (entry instanceof ClassEntry named) {
                names.add(named.asInternalName().replaceFirst("^\\[+L", "").replace(";", ""));
            } else if (entry instanceof Utf8Entry text) {
                Matcher ours = OURS.matcher(text.stringValue());
                names.addAll(ours.results().map(result -> result.group()).collect(Collectors.toSet()));
            }
        }
        return names;
    }
}
