// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cli;

import picocli.CommandLine;

/** Runs a program's command line. */
public final class Program {
    private Program() {}

    /** Runs the command. A mistake in its options is one line; where it can't serve, the process ends with its status. */
    public static void run(CommandLine command, String... args) {
        command.setParameterExceptionHandler((e, a) -> {
            System.err.printf("%s: %s; --help lists all options%n", command.getCommandName(), e.getMessage());
            return command.getCommandSpec().exitCodeOnInvalidInput();
        });
        int status = command.execute(args);
        if (status != 0) {
            System.exit(status);
        }
    }
}
