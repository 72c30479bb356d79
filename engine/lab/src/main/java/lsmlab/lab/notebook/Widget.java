// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.dflib.jjava.jupyter.channels.ShellReplyEnvironment;
import org.dflib.jjava.jupyter.messages.Message;
import org.dflib.jjava.jupyter.messages.MessageType;

/**
 * A picture under the running cell that the kernel changes while the cell runs. It uses the protocol of Jupyter's widgets: a script in the page draws the state that the kernel
 * sends. The page sends nothing back, because the kernel handles no message while a cell runs. Where there is no page, its text is shown.
 *
 * <p>The messages are described in jupyter-widgets' "Jupyter widget messaging protocol", version 2; the page's side is anywidget's, which loads the script. WHY the messages are made of
 * maps and JJava's own comms are not used: those have types of Gson in their signatures, and the kernel's jar has Gson under another name.
 */
public final class Widget implements AutoCloseable {
    private static final String TARGET = "jupyter.widget";
    private static final String VIEW = "application/vnd.jupyter.widget-view+json";
    private static final String PROTOCOL = "2.1.0";
    private static final String MODULE = "anywidget";
    /** The version in environment.yml. */
    private static final String MODULE_VERSION = "~0.11.*";
    private static volatile ShellReplyEnvironment runningCell; // null without a notebook

    private final ShellReplyEnvironment cell = runningCell;
    private final String id = UUID.randomUUID().toString();
    private final Display display = new Display();
    private final String textAfter;
    private boolean closed;

    /**
     * Shows it.
     *
     * @param script of the page: a module of JavaScript whose default export has {@code render({model, el})}
     * @param style for what the script draws
     * @param state that the script finds in its model
     * @param text in place of the picture, where there is no page
     * @param textAfter in its place when it is closed
     */
    public Widget(String script, String style, Map<String, Object> state, String text, String textAfter) {
        this.textAfter = textAfter;
        Map<String, Object> all = new HashMap<>(state);
        for (String part : List.of("_model", "_view")) {
            all.put(part + "_module", MODULE);
            all.put(part + "_module_version", MODULE_VERSION);
        }
        all.putAll(Map.of("_model_name", "AnyModel", "_view_name", "AnyView", "_anywidget_id", "lsmlab", "_esm", script, "_css", style));
        publish(MessageType.COMM_OPEN_COMMAND, Map.of("comm_id", id, "target_name", TARGET, "data", Map.of("state", all, "buffer_paths", List.of())), Map.of("version", PROTOCOL));
        display.show(text, Map.of(VIEW, Map.of("model_id", id, "version_major", 2, "version_minor", 0)));
    }

    /** Called by the kernel before each cell. */
    public static void runsIn(ShellReplyEnvironment cell) {
        runningCell = cell;
    }

    /** Changes a part of its state. Any thread may call it; after {@link #close} it does nothing. */
    public synchronized void send(String name, Object value) {
        if (!closed) {
            publish(MessageType.COMM_MSG_COMMAND, Map.of("comm_id", id, "data", Map.of("method", "update", "state", Map.of(name, value), "buffer_paths", List.of())), Map.of());
        }
    }

    /** Replaces the picture by a text: a saved notebook has no kernel that could draw it. */
    @Override
    public synchronized void close() {
        boolean isInterrupted = Thread.interrupted(); // an interrupted thread that sends would close the kernel's socket
        display.show(textAfter);
        publish(MessageType.COMM_CLOSE_COMMAND, Map.of("comm_id", id, "data", Map.of()), Map.of());
        closed = true;
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The content becomes JSON, whatever type JJava would use for it. */
    @SuppressWarnings("unchecked")
    private void publish(MessageType<?> type, Map<String, Object> content, Map<String, Object> metadata) {
        if (cell != null) {
            cell.publish(new Message<>(cell.getContext(), (MessageType<Object>) type, content, null, metadata)); // an empty list of buffers would leave the message open
        }
    }
}
