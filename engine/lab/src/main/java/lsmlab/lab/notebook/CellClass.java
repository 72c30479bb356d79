// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.FieldRefEntry;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import jdk.jshell.ImportSnippet;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import jdk.jshell.TypeDeclSnippet;
import lsmlab.lab.environment.Workspace;
import org.dflib.jjava.jupyter.kernel.BaseKernel;

/** A class of one of the notebook's cells as class files, so that a server's JVM can load it. */
public final class CellClass {
    private static final String PACKAGE = "student";
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static BaseKernel kernel;

    private final String name;
    private final Path folder;

    private CellClass(String name, Path folder) {
        this.name = name;
        this.folder = folder;
    }

    public static void of(BaseKernel running) {
        kernel = running;
    }

    public static boolean isInNotebook() {
        return kernel != null;
    }

    /** @param helpers other classes of cells that it uses */
    public static CellClass compiled(String name, String... helpers) {
        JShell shell = shell();
        String imports = shell.imports().map(ImportSnippet::source).filter(line -> !line.contains("org.dflib.jjava")).map(String::strip)
                .collect(Collectors.joining(" "));
        List<Source> sources = Stream.concat(Stream.of(name), Stream.of(helpers))
                .map(type -> new Source(type, "package " + PACKAGE + "; " + imports + " " + source(shell, type))).toList();
        Path folder = Workspace.newFolder("classes-" + NUMBER.incrementAndGet());
        compile(sources, folder);
        return new CellClass(name, folder);
    }

    /** The kernel's, which only a class of another version of JJava has a name for. */
    public static JShell shell() {
        if (!isInNotebook()) {
            throw new IllegalStateException("there is no notebook: classes of cells are compiled in one");
        }
        try {
            return (JShell) kernel.getClass().getMethod("getJShell").invoke(kernel);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("this kernel does not show its JShell: " + e, e);
        }
    }

    private static String source(JShell shell, String type) {
        return shell.types().filter(snippet -> snippet.name().equals(type) && shell.status(snippet) != Snippet.Status.DROPPED)
                .reduce((_, newer) -> newer).map(TypeDeclSnippet::source)
                .orElseThrow(() -> new IllegalArgumentException("no cell has declared a class %s; run its cell first".formatted(type)));
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String type;
        private final String text;

        Source(String type, String text) {
            super(URI.create("string:///" + PACKAGE + "/" + type + ".java"), Kind.SOURCE);
            this.type = type;
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static void compile(List<Source> sources, Path folder) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        StringWriter output = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(problems, Locale.ROOT, null)) {
            files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(folder));
            if (!compiler.getTask(output, files, problems, List.of("-g", "-proc:none"), null, sources).call()) {
                throw new IllegalArgumentException(problems.getDiagnostics().stream().filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR)
                        .map(CellClass::inWords).collect(Collectors.joining("\n"))
                        + "\nA class that a server runs sees the JDK, lsmlab.storage and the classes named with it; variables and methods of cells stay in the notebook.");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The imports stand in the first line of the class, so line numbers are those of the cell's class. */
    private static String inWords(Diagnostic<? extends JavaFileObject> problem) {
        return problem.getSource() instanceof Source source
                ? "%s, line %d: %s".formatted(source.type, problem.getLineNumber(), problem.getMessage(Locale.ROOT))
                : problem.getMessage(Locale.ROOT);
    }

    /** Names of the lab's classes that it mentions, and of their fields as Class.field, in order. */
    public List<String> enginesParts() {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".class")).flatMap(CellClass::mentioned).filter(name -> name.startsWith("lsmlab.")).distinct().sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<String> mentioned(Path file) {
        try {
            return StreamSupport.stream(ClassFile.of().parse(file).constantPool().spliterator(), false).map(entry -> switch (entry) {
                case ClassEntry type -> type.asInternalName().replaceAll("^\\[+L|;$", "").replace('/', '.');
                case FieldRefEntry field -> field.owner().asInternalName().replace('/', '.') + "." + field.name().stringValue();
                default -> "";
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String name() {
        return PACKAGE + "." + name;
    }

    public Path folder() {
        return folder;
    }

    @Override
    public String toString() {
        return name + ", compiled";
    }
}
