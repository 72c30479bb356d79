// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import lsmlab.lab.environment.Interrupted;
import lsmlab.lab.environment.Text;
import lsmlab.lab.grading.Grading;
import lsmlab.lab.notebook.Widget;
import lsmlab.lab.notebook.CellClass;
import lsmlab.storage.WriteRefusedException;
import org.dflib.jjava.jupyter.channels.JupyterConnection;
import org.dflib.jjava.jupyter.channels.JupyterSocket;
import org.dflib.jjava.jupyter.channels.ShellChannel;
import org.dflib.jjava.jupyter.channels.ShellHandler;
import org.dflib.jjava.jupyter.channels.ShellReplyEnvironment;
import org.dflib.jjava.jupyter.channels.StdinChannel;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.KernelConnectionProperties;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import org.dflib.jjava.jupyter.messages.Message;
import org.dflib.jjava.jupyter.messages.MessageContext;
import org.dflib.jjava.jupyter.messages.MessageType;
import org.dflib.jjava.jupyter.messages.publish.PublishDisplayData;
import org.dflib.jjava.jupyter.messages.publish.PublishError;
import org.dflib.jjava.jupyter.messages.request.ExecuteRequest;

/**
 * The kernel's connection to Jupyter with three things that JJava's own lacks: errors that the lab found are one message without the
 * lab's stack, Shift+Tab and completion know signatures and Javadoc ({@link CodeHelp}), and a cell of checks says how many passed.
 */
public final class LabConnection extends JupyterConnection {
    /** What the lab throws on purpose; anything else is a bug, and its stack is needed. */
    private static final Set<String> DELIBERATE = Set.of("java.lang.IllegalArgumentException", "java.lang.IllegalStateException",
            "java.lang.AssertionError", "java.io.UncheckedIOException", "java.io.IOException", WriteRefusedException.class.getName(), Interrupted.class.getName());
    private static final String FRAME = "\tat ";
    private static final String ERROR_COLOR = "\u001B[1m\u001B[31m";
    private static final String PLAIN = "\u001B[0m";

    private LabConnection(KernelConnectionProperties properties) throws GeneralSecurityException {
        super(properties);
    }

    /** Serves the kernel until Jupyter ends it. */
    public static void serve(BaseKernel kernel, Path connectionFile) throws IOException, GeneralSecurityException {
        Logger.getLogger("").setLevel(Level.WARNING); // or each kernel would say on JupyterLab's terminal that its loops have started
        LabConnection connection = new LabConnection(KernelConnectionProperties.parse(Files.readString(connectionFile)));
        kernel.becomeHandlerForConnection(connection);
        ShellHandler<ExecuteRequest> execute = connection.getHandler(MessageType.EXECUTE_REQUEST);
        connection.setHandler(MessageType.EXECUTE_REQUEST, (environment, request) -> {
            long passedBefore = Grading.passedChecks();
            Widget.runsIn((Environment) environment);
            execute.handle(environment, request);
            long passed = Grading.passedChecks() - passedBefore;
            if (passed > 0 && !((Environment) environment).failed) { // a cell of checks that all pass would show nothing
                environment.publish(new PublishDisplayData(new DisplayData("✓ %s passed".formatted(Text.plural(passed, "check")))));
            }
        });
        CodeHelp help = new CodeHelp(CellClass.shell());
        connection.setHandler(MessageType.INSPECT_REQUEST, help::inspect);
        connection.setHandler(MessageType.COMPLETE_REQUEST, help.completing(connection.getHandler(MessageType.COMPLETE_REQUEST)));
        connection.connect();
        connection.waitUntilClose();
    }

    @Override
    public ShellReplyEnvironment prepareReplyEnv(ShellChannel channel, MessageContext context) {
        return new Environment(channel, stdin, iopub, context);
    }

    private static final class Environment extends ShellReplyEnvironment {
        private boolean failed;

        Environment(ShellChannel channel, StdinChannel stdin, JupyterSocket iopub, MessageContext context) {
            super(channel, stdin, iopub, context);
        }

        @Override
        public void publish(Message<?> message) {
            failed |= message.getContent() instanceof PublishError;
            super.publish(message.getContent() instanceof PublishError error
                    ? new Message<>(getContext(), PublishError.MESSAGE_TYPE, shortened(error))
                    : message);
        }
    }

    /** Name and message stay as they are, since graders read them; only the printed text changes. */
    static PublishError shortened(PublishError error) {
        int comma = error.getErrorMessage().indexOf(", ");
        return comma > 0 && DELIBERATE.contains(error.getErrorMessage().substring(0, comma)) && isThrownByTheLab(error.getStacktrace())
                ? new PublishError(error.getErrorName(), error.getErrorMessage(),
                        List.of(ERROR_COLOR + error.getErrorMessage().substring(comma + 2) + PLAIN))
                : error;
    }

    /** Whether code of the lab lies between the cell and the throw. */
    private static boolean isThrownByTheLab(List<String> lines) {
        for (String line : lines) {
            int frame = line.indexOf(FRAME);
            String method = frame < 0 ? "" : line.substring(frame + FRAME.length()).replaceFirst("^[^(]*/+(?=[^(]*\\()", "");
            if (method.startsWith("lsmlab.")) {
                return true;
            }
            if (method.contains("(#")) { // a cell and its line
                return false;
            }
        }
        return false;
    }
}
