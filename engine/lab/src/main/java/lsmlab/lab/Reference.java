// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import lsmlab.lab.environment.Given;
import lsmlab.lab.environment.Project;
import lsmlab.lab.autopsy.Autopsy;
import lsmlab.lab.grading.Assignment;
import lsmlab.lab.history.History;
import lsmlab.lab.history.HistoryLoad;
import lsmlab.lab.kernel.CodeHelp;
import lsmlab.lab.measure.Comparison;
import lsmlab.lab.measure.Knee;
import lsmlab.lab.measure.KneeSearch;
import lsmlab.lab.measure.Load;
import lsmlab.lab.measure.Rounds;
import lsmlab.lab.measure.Run;
import lsmlab.lab.measure.Timeline;
import lsmlab.lab.notebook.SmallStore;
import lsmlab.lab.notebook.Table;
import lsmlab.lab.process.Cassandra;
import lsmlab.lab.process.CassandraBuilder;
import lsmlab.lab.process.Cluster;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerBuilder;
import lsmlab.lab.profile.Profile;
import lsmlab.lab.profile.Profiler;
import lsmlab.lab.reports.Reports;
import lsmlab.lab.rows.Row;
import lsmlab.lab.show.Charts;
import lsmlab.lab.show.Tables;

/** The lab's vocabulary made from its own code: {@link Lab#help}, and notebooks/reference.md. */
final class Reference {
    /** What a cell meets, in the order in which it meets it. */
    private static final List<Class<?>> TYPES = List.of(Lab.class, ServerBuilder.class, Server.class, Cluster.class, CassandraBuilder.class, Cassandra.class, Load.class, Run.class, KneeSearch.class,
            Knee.class, Comparison.class, Rounds.class, Timeline.class, HistoryLoad.class, History.class, Autopsy.class, Profiler.class, Profile.class, Charts.class, Tables.class, Reports.class,
            Row.class,
            SmallStore.class,
            Assignment.class);
    /** Methods that every object has, and those that the kernel or a try statement calls. */
    private static final Set<String> LEFT_OUT = Set.of("toString", "hashCode", "equals", "content", "render");

    private Reference() {}

    static Path file() {
        return Project.root().resolve("notebooks/reference.md");
    }

    /** @param thing a type, the name of one, or an object of one */
    static Table of(Object thing) {
        Given.some("Lab.help", "something that the lab returned", thing);
        Class<?> wanted = thing instanceof Class<?> type ? type : thing.getClass();
        return TYPES.stream().filter(type -> type == wanted || type.getSimpleName().equalsIgnoreCase(thing.toString())).findFirst().map(Reference::of)
                .orElseThrow(() -> new IllegalArgumentException("Lab.help knows nothing of a %s; it knows %s".formatted(wanted.getSimpleName(),
                        TYPES.stream().map(Class::getSimpleName).collect(Collectors.joining(", ")))));
    }

    static Table of(Class<?> type) {
        Table table = new Table("%s: %s Shift+Tab on a name shows all of its description; all on one page: notebooks/reference.md".formatted(
                type.getSimpleName(), JavaSource.of(type).summary()), "call", "what it does", "gives");
        methods(type).forEach(method -> table.row(call(method), JavaSource.of(type).summary(method), returned(method)));
        return table;
    }

    /** All of it, as one page. */
    static String markdown() {
        StringBuilder page = new StringBuilder("""
                # What a cell can say

                Made from the code: `Lab.help()` shows the same in a notebook, `Lab.help(server)` that of one thing, and Shift+Tab behind a name
                shows its whole description.
                """);
        for (Class<?> type : TYPES) {
            page.append("\n## ").append(type.getSimpleName()).append("\n\n").append(JavaSource.of(type).summary()).append("\n\n| call | what it does | gives |\n| --- | --- | --- |\n");
            methods(type).forEach(method -> page.append("| `%s` | %s | %s |\n".formatted(call(method), JavaSource.of(type).summary(method).replace("|", "\\|"),
                    returned(method))));
        }
        return page.toString();
    }

    private static List<Method> methods(Class<?> type) {
        Map<String, Integer> order = JavaSource.of(type).order();
        return Stream.of(type.getDeclaredMethods()).filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
                .filter(method -> !LEFT_OUT.contains(method.getName()) && !isFactory(method) && order.containsKey(JavaSource.key(method)))
                .sorted(Comparator.comparing((Method method) -> order.get(JavaSource.key(method)))).toList();
    }

    /** Whether it makes what {@link Lab} gives to cells. */
    private static boolean isFactory(Method method) {
        return Modifier.isStatic(method.getModifiers()) && method.getReturnType() == method.getDeclaringClass();
    }

    private static String call(Method method) {
        String owner = Modifier.isStatic(method.getModifiers()) ? method.getDeclaringClass().getSimpleName() : "";
        return "%s.%s(%s)".formatted(owner, method.getName(), Stream.of(method.getParameters()).map(Reference::parameter).collect(Collectors.joining(", ")));
    }

    private static String parameter(Parameter parameter) {
        String type = parameter.getType().getSimpleName();
        return (parameter.isVarArgs() ? type.replaceFirst("\\[]$", "...") : type) + " " + parameter.getName();
    }

    private static String returned(Method method) {
        String type = method.getReturnType().getSimpleName();
        return type.equals("void") ? "" : type;
    }

    /** What Javadoc says in the source of a type: the first sentence of each comment. */
    private record JavaSource(Class<?> type, String text) {
        static JavaSource of(Class<?> type) {
            try {
                return new JavaSource(type, Files.readString(Project.root().resolve("engine/lab/src/main/java").resolve(type.getName().replace('.', '/') + ".java")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        static String key(Method method) {
            return method.getName() + Stream.of(method.getParameters()).map(JavaSource::type).toList();
        }

        /** As it stands in the source, without packages and type arguments. */
        private static String type(Parameter parameter) {
            String type = parameter.getParameterizedType().getTypeName().replaceAll("<.*>", "").replaceAll(".*[.$]", "");
            return parameter.isVarArgs() ? type.replaceFirst("\\[]$", "...") : type;
        }

        String summary() {
            return before(text.indexOf(type.isRecord() ? "public record " + type.getSimpleName() : "class " + type.getSimpleName() + " "));
        }

        String summary(Method method) {
            return before(text.lastIndexOf('\n', declaration(method)) + 1);
        }

        /** Place of each documented public method in the source. */
        Map<String, Integer> order() {
            return Stream.of(type.getDeclaredMethods()).filter(method -> declaration(method) >= 0)
                    .collect(Collectors.toMap(JavaSource::key, this::declaration, Math::min));
        }

        /** Where the method is declared; -1 if nowhere, as a record's accessors. */
        private int declaration(Method method) {
            Matcher matcher = Pattern.compile("\\n    public [^=;{}()]*\\b" + method.getName() + "\\(([^)]*)\\)").matcher(text);
            while (matcher.find()) {
                String parameters = matcher.group(1).replaceAll("<[^<>]*>", "").replaceAll("<[^<>]*>", ""); // one in another at most
                List<String> types = parameters.isEmpty() ? List.of()
                        : Stream.of(parameters.split(",\\s*")).map(parameter -> parameter.replaceFirst(" .*", "").replaceFirst(".*\\b\\.(?=\\w)", "")).toList();
                if (key(method).equals(method.getName() + types)) {
                    return matcher.start() + 1;
                }
            }
            return -1;
        }

        /** The first sentence of the comment that ends before a place; "" without one. */
        private String before(int place) {
            int end = text.lastIndexOf("*/", place);
            int start = text.lastIndexOf("/**", end);
            if (end < 0 || !text.substring(end + 2, place).replaceAll("@\\w+(\\([^)]*\\))?|public|final|static|\\s", "").isEmpty()) {
                return "";
            }
            String comment = CodeHelp.plain(text.substring(start + 3, end).replaceAll("(?m)^\\s*\\* ?", "")).replaceAll("\\s+", " ").strip();
            int sentence = comment.indexOf(". ");
            return sentence < 0 ? comment.replaceFirst(" @param .*", "") : comment.substring(0, sentence + 1);
        }
    }
}
