// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleConsumer;
import lsmlab.lab.environment.Children;
import lsmlab.lab.environment.Interrupted;
import lsmlab.lab.process.ServerProcess;

/** A process of the load generator, from its start to its end. It does not outlive {@link #await}. */
final class GeneratorProcess {
    private static final Duration OVERRUN_LIMIT = Duration.ofSeconds(30);

    private final Process process;
    private final Path text;
    private final String script;
    private final long startNanos = System.nanoTime();

    private GeneratorProcess(Process process, Path text, String script) {
        this.process = process;
        this.text = text;
        this.script = script;
    }

    /**
     * @param text takes what it prints
     * @param script its name, for messages
     */
    static GeneratorProcess start(List<String> command, Path text, String script) throws IOException {
        return new GeneratorProcess(Children.start(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(text.toFile())), text, script);
    }

    /**
     * Returns when it has ended well.
     *
     * @param seconds that it should take; much later it is killed
     * @param servers that must go on running meanwhile
     * @param progress learns which share of the time is over
     */
    void await(double seconds, List<ServerProcess> servers, DoubleConsumer progress) throws IOException {
        long limit = OVERRUN_LIMIT.plusMillis((long) (1000 * seconds)).toNanos();
        try {
            while (!process.waitFor(100, TimeUnit.MILLISECONDS)) {
                servers.forEach(ServerProcess::checkClusterRuns);
                long elapsed = System.nanoTime() - startNanos;
                if (elapsed > limit) {
                    throw new IllegalStateException("the load generator did not end in time:\n" + Files.readString(text));
                }
                progress.accept(elapsed / 1e9 / seconds);
            }
        } catch (InterruptedException e) {
            throw Interrupted.by(e);
        } finally {
            Children.kill(process);
        }
        servers.forEach(ServerProcess::checkClusterRuns);
        if (process.exitValue() != 0) {
            String reason = reason(Files.readString(text));
            throw new IllegalStateException(reason.contains("URL -- ")
                    ? "%s. In a cell they follow the script's name: .script(\"%s\", ...)".formatted(reason, script) : "the load generator failed: " + reason);
        }
    }

    /** What the generator said of its failure, without the text that it prints of any run. */
    private static String reason(String text) {
        return text.lines().filter(line -> line.startsWith("wrk2: ")).map(line -> line.substring("wrk2: ".length())).findFirst().orElse(text.strip());
    }
}
