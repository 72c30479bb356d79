// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What a server's process prints. */
record ServerLog(Path file) {
    private static final int LAST_LINES = 20;
    private static final String PORT_TAKEN = "in use";

    /** What the server said last, a line or a few; its own name before it is left out. */
    String reason() {
        List<String> lines = text().lines().filter(line -> !line.isBlank()).toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size())).replaceFirst("^lsm-\\w+: ", "").replaceFirst("; --help lists all options", "");
    }

    /** Whether it ended because another process has its port. */
    boolean saysPortIsTaken() {
        return reason().contains(PORT_TAKEN);
    }

    private String text() {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
