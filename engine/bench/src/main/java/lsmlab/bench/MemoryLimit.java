// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a process and the file pages that it reads may take together: a memory control group of Linux, version 1 or 2. Making one needs the right to, which root has, and in some containers
 * everybody.
 */
final class MemoryLimit implements AutoCloseable {
    private static final String PREFIX = "lsm-lab-bench-";
    private static final Path GROUPS = Path.of("/sys/fs/cgroup");
    private static final Path GROUPS_1 = GROUPS.resolve("memory");

    private final Path group;

    private MemoryLimit(Path group) {
        this.group = group;
    }

    /** Null where none can be made, which is said. */
    static MemoryLimit of(long bytes, String name) {
        MemoryLimit limit = new MemoryLimit(groups().resolve(PREFIX + name));
        limit.close(); // one that a killed benchmark left
        try {
            Files.createDirectory(limit.group);
            Files.writeString(limit.group.resolve(isFirstVersion() ? "memory.limit_in_bytes" : "memory.max"), Long.toString(bytes));
            return limit;
        } catch (IOException e) {
            System.err.println("bench: no memory group can be made here, so the pages of the files are dropped instead: " + e);
            limit.close();
            return null;
        }
    }

    private static boolean isFirstVersion() {
        return Files.isDirectory(GROUPS_1);
    }

    private static Path groups() {
        return isFirstVersion() ? GROUPS_1 : GROUPS;
    }

    /** Those that this or a killed benchmark left. REQUIRES: that their processes have ended. */
    static void removeAll() {
        try (var groups = Files.newDirectoryStream(groups(), PREFIX + "*")) {
            groups.forEach(group -> new MemoryLimit(group).close());
        } catch (IOException e) {
            // the system has no groups
        }
    }

    /** The command of a process that is in the group from its first instruction on. */
    List<String> around(List<String> command) {
        List<String> limited = new ArrayList<>(List.of("sh", "-c", "echo $$ > \"$0\" && exec \"$@\"", group.resolve("cgroup.procs").toString()));
        limited.addAll(command);
        return limited;
    }

    /** REQUIRES: that its processes have ended. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(group);
        } catch (IOException e) {
            System.err.printf("bench: the memory group %s stays: %s%n", group, e.getMessage());
        }
    }
}
