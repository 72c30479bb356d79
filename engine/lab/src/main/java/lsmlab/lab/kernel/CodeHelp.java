// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.kernel;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jshell.JShell;
import jdk.jshell.SourceCodeAnalysis;
import jdk.jshell.SourceCodeAnalysis.Documentation;
import jdk.jshell.SourceCodeAnalysis.Suggestion;
import lsmlab.lab.environment.Project;
import org.dflib.jjava.jupyter.channels.ShellHandler;
import org.dflib.jjava.jupyter.channels.ShellReplyEnvironment;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import org.dflib.jjava.jupyter.messages.Message;
import org.dflib.jjava.jupyter.messages.reply.CompleteReply;
import org.dflib.jjava.jupyter.messages.reply.InspectReply;
import org.dflib.jjava.jupyter.messages.request.CompleteRequest;
import org.dflib.jjava.jupyter.messages.request.InspectRequest;

/** What Shift+Tab and Tab show in a cell: signatures with their Javadoc, and completions with signatures. */
public final class CodeHelp {
    /** Methods that every object has and no cell needs. */
    private static final Set<String> NOISE = Stream.of(Object.class.getDeclaredMethods()).map(Method::getName)
            .filter(name -> !name.equals("toString")).collect(Collectors.toSet());
    /** Completions of more than this, as after an empty line, are listed without signatures: each takes some milliseconds. */
    private static final int MOST_WITH_SIGNATURE = 80;

    private final SourceCodeAnalysis analysis;

    CodeHelp(JShell shell) {
        analysis = shell.sourceCodeAnalysis();
        addSources();
    }

    /** Gives JShell the lab's sources: it reads Javadoc from sources, and finds only the JDK's by itself. Without them there are signatures only. */
    private void addSources() {
        try {
            Method find = analysis.getClass().getDeclaredMethod("findSources");
            find.setAccessible(true);
            List<Path> sources = new ArrayList<>(Stream.of("lab", "load", "storage").map(module -> Project.root().resolve("engine").resolve(module)
                    .resolve("src/main/java")).toList());
            for (Object known : (List<?>) find.invoke(analysis)) {
                sources.add((Path) known);
            }
            Field available = analysis.getClass().getDeclaredField("availableSources");
            available.setAccessible(true);
            available.set(analysis, sources);
        } catch (ReflectiveOperationException | RuntimeException e) {
            System.err.println("no Javadoc of the lab in this kernel: " + e);
        }
    }

    void inspect(ShellReplyEnvironment environment, Message<InspectRequest> request) {
        environment.setBusyDeferIdle();
        String text = inspected(request.getContent().getCode(), request.getContent().getCursorPos());
        environment.reply(new InspectReply(!text.isEmpty(), new DisplayData(text)));
    }

    /** Signatures and Javadoc of what stands at the cursor, inside or behind a name or an opening bracket; "" if nothing is known of it. */
    String inspected(String code, int cursor) {
        int at = Math.clamp(cursor, 0, code.length());
        while (at < code.length() && Character.isJavaIdentifierPart(code.charAt(at))) {
            at++;
        }
        String before = code.substring(0, at);
        for (String asked : List.of(before + "(", before)) { // a method's, or else a type's or variable's
            List<Documentation> found = analysis.documentation(asked, asked.length(), true);
            if (!found.isEmpty() && (asked.equals(before) || at > 0 && Character.isJavaIdentifierPart(code.charAt(at - 1)))) {
                return found.stream().map(CodeHelp::text).distinct().collect(Collectors.joining("\n\n"));
            }
        }
        return "";
    }

    private static String text(Documentation documentation) {
        String javadoc = documentation.javadoc();
        return documentation.signature() + (javadoc == null || javadoc.isBlank() ? "" : "\n" + plain(javadoc));
    }

    /** A comment's text without its markup. */
    public static String plain(String javadoc) {
        return javadoc.replaceAll("\\{@(?:code|literal)\\s+([^{}]*)}", "$1")
                .replaceAll("\\{@link(?:plain)?\\s+[^}\\s]+\\s+([^}]+)}", "$1")
                .replaceAll("\\{@link(?:plain)?\\s+#?([^}]+)}", "$1")
                .replaceAll("(\\w)#(\\w)", "$1.$2")
                .replaceAll("</?\\w+[^>]*>", "")
                .replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
                .strip().replaceAll("(?m)^ ", "").replaceAll("(?m)^@(param|return|throws)", "  $1");
    }

    /** @param magics completes lines that begin with %, which Java knows nothing of */
    ShellHandler<CompleteRequest> completing(ShellHandler<CompleteRequest> magics) {
        return (environment, message) -> {
            CompleteRequest request = message.getContent();
            if (lineAt(request).stripLeading().startsWith("%")) {
                magics.handle(environment, message);
            } else {
                environment.setBusyDeferIdle();
                environment.reply(completions(request.getCode(), Math.clamp(request.getCursorPos(), 0, request.getCode().length())));
            }
        };
    }

    private static String lineAt(CompleteRequest request) {
        String before = request.getCode().substring(0, Math.clamp(request.getCursorPos(), 0, request.getCode().length()));
        return before.substring(before.lastIndexOf('\n') + 1);
    }

    /** JupyterLab lists the matches, and inserts the text of the type that stands at the same place. */
    CompleteReply completions(String code, int cursor) {
        int[] anchor = {cursor};
        List<String> names = analysis.completionSuggestions(code, cursor, anchor).stream()
                .sorted((a, b) -> Boolean.compare(b.matchesType(), a.matchesType())).map(Suggestion::continuation)
                .filter(name -> !NOISE.contains(name.replaceFirst("\\(.*", ""))).distinct().toList();
        List<String> matches = new ArrayList<>();
        List<Map<String, Object>> types = new ArrayList<>();
        for (String name : names) {
            for (String label : names.size() > MOST_WITH_SIGNATURE ? List.of(name) : labels(code.substring(0, anchor[0]), name)) {
                matches.add(label);
                Map<String, Object> type = new LinkedHashMap<>();
                type.put("start", anchor[0]);
                type.put("end", cursor);
                type.put("text", name);
                type.put("type", name.contains("(") ? "function" : "instance");
                type.put("signature", label.equals(name) ? "" : label.substring(label.indexOf('(')));
                types.add(type);
            }
        }
        return new CompleteReply(matches, anchor[0], cursor, Map.of("_jupyter_types_experimental", types));
    }

    /** A method's name with its parameters, one for each of its signatures. */
    private List<String> labels(String before, String name) {
        if (!name.contains("(")) {
            return List.of(name);
        }
        String call = before + name.substring(0, name.indexOf('(') + 1);
        List<String> signatures = analysis.documentation(call, call.length(), false).stream().map(Documentation::signature)
                .filter(signature -> signature.contains("(")).map(signature -> name.substring(0, name.indexOf('(')) + parameters(signature)).distinct().toList();
        return signatures.isEmpty() ? List.of(name) : signatures;
    }

    private static String parameters(String signature) {
        return signature.substring(signature.indexOf('('), signature.lastIndexOf(')') + 1);
    }
}
