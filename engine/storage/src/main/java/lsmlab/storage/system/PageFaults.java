// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Page faults of a process since it began: without (minor) and with (major) an access to the disk. */
public record PageFaults(long minor, long major) {
    private static final Path SELF = Path.of("/proc/self/stat");
    /** Indexes among the fields after the command's name, which is in parentheses and may contain spaces (proc_pid_stat(5)). */
    private static final int MINOR_FIELD = 7;
    private static final int MAJOR_FIELD = 9;

    /** Null where the system does not report them. */
    public static PageFaults ofThisProcess() {
        try {
            String stat = Files.readString(SELF);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return new PageFaults(Long.parseLong(fields[MINOR_FIELD]), Long.parseLong(fields[MAJOR_FIELD]));
        } catch (IOException e) {
            return null;
        }
    }
}
