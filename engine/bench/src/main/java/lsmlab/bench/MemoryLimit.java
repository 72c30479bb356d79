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
    private static final Path GROUPS = Path.of("/sys/fs/cgroup");
    private static final Path GROUPS_1 = GROUPS.resolve("memory");

    private final Path group;

    private MemoryLimit(Path group) {
        this.group = group;
    }

    /** Null where none can be made. */
    static MemoryLimit of(long bytes, String name) {
        boolean isFirstVersion = Files.isDirectory(GROUPS_1);
        Path group = (isFirstVersion ? GROUPS_1 : GROUPS).resolve("lsm-lab-bench-%d-%s".formatted(ProcessHandle.current().pid(), name));
        try {
            Files.createDirectory(group);
        } catch (IOException e) {
            return null;
        }
        MemoryLimit limit = new MemoryLimit(group);
        try {
            Files.writeString(group.resolve(isFirstVersion ? "memory.limit_in_bytes" : "memory.max"), Long.toString(bytes));
            return limit;
        } catch (IOException e) {
            limit.close();
            return null;
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
