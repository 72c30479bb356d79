// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.environment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The processes this JVM started. None outlives it: an orderly end kills them here, and each watches this JVM itself for the case
 * that it is killed ({@code --exit-with}, or a shell that waits on the pipe from it).
 */
public final class Children {
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(Children::killAll, "kill-children"));
    }

    private Children() {}

    public static Process start(ProcessBuilder builder) throws IOException {
        Process process = builder.start();
        RUNNING.add(process);
        process.onExit().thenRun(() -> RUNNING.remove(process));
        return process;
    }

    /** Returns when all are gone. */
    static void killAll() {
        RUNNING.forEach(Children::kill);
        try {
            for (Process process : RUNNING) {
                process.waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** With all it started itself: a shell that guards a real wrk2 is not the wrk2. */
    public static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** Asks to stop, and kills what does not within the time. */
    public static void stop(Process process, long seconds) {
        process.destroy();
        try {
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                kill(process);
                process.waitFor();
            }
        } catch (InterruptedException e) {
            kill(process);
            Thread.currentThread().interrupt();
        }
    }

    /** The JVM that runs this one: its version is the one the scripts found. */
    public static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    public static String pid() {
        return Long.toString(ProcessHandle.current().pid());
    }
}
