// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A load generator as a process: run to its end, with the processor time that it and the server took. */
record Client(String name, List<String> command) {
    private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long SAMPLE_MILLIS = 50;

    /**
     * What a run showed. Processor time is that of the second half of the run, when everything is compiled.
     *
     * @param cpuMicros of the client a request
     * @param serverShare of one core
     * @param json of wrk2.jar; null of others
     */
    record Run(double perSecond, double cpuMicros, double serverShare, JsonNode json) {}

    /** The program of that name on the path, if there is one. */
    static Optional<Client> onPath(String name) {
        for (String folder : System.getenv("PATH").split(File.pathSeparator)) {
            if (Files.isExecutable(Path.of(folder, name))) {
                return Optional.of(new Client(name, List.of(Path.of(folder, name).toString())));
            }
        }
        return Optional.empty();
    }

    static Client own(Path jar) {
        String java = ProcessHandle.current().info().command().orElse("java");
        return new Client("wrk2.jar", List.of(java, "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"), "-jar", jar.toString()));
    }

    /** @param json whether the arguments may end in {@code --json FILE} */
    Run run(ProcessHandle server, Path folder, boolean json, List<String> arguments) throws IOException, InterruptedException {
        Path result = folder.resolve("result.json");
        Path text = folder.resolve("text");
        List<String> whole = new ArrayList<>(command);
        if (json) {
            whole.addAll(List.of("--json", result.toString()));
        }
        whole.addAll(arguments);
        Process process = new ProcessBuilder(whole).redirectOutput(text.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Deque<Sample> samples = new ArrayDeque<>();
        while (!process.waitFor(SAMPLE_MILLIS, TimeUnit.MILLISECONDS)) {
            Sample.of(process.toHandle(), server).ifPresent(samples::add);
        }
        String said = Files.readString(text);
        Matcher rate = RATE.matcher(said);
        if (process.exitValue() != 0 || !rate.find()) {
            throw new IOException("%s failed:%n%s".formatted(String.join(" ", whole), said));
        }
        double perSecond = Double.parseDouble(rate.group(1));
        Sample last = samples.getLast();
        long middle = (samples.getFirst().nanos() + last.nanos()) / 2;
        Sample first = samples.stream().filter(sample -> sample.nanos() >= middle).findFirst().orElse(last);
        double seconds = (last.nanos() - first.nanos()) / 1e9;
        return new Run(perSecond, last.client().minus(first.client()).toNanos() / 1e3 / seconds / perSecond,
                last.server().minus(first.server()).toNanos() / 1e9 / seconds, json ? JSON.readTree(result.toFile()) : null);
    }

    /** Runs it to its end, for the report that wrk2.jar writes. */
    JsonNode json(Path folder, List<String> arguments) throws IOException, InterruptedException {
        Path result = folder.resolve("result.json");
        Path text = folder.resolve("text");
        List<String> whole = new ArrayList<>(command);
        whole.addAll(List.of("--json", result.toString()));
        whole.addAll(arguments);
        Process process = new ProcessBuilder(whole).redirectErrorStream(true).redirectOutput(text.toFile()).start();
        if (process.waitFor() != 0) {
            throw new IOException("%s failed:%n%s".formatted(String.join(" ", whole), Files.readString(text)));
        }
        return JSON.readTree(result.toFile());
    }

    static double percentileMs(JsonNode latency, double quantile) {
        for (JsonNode point : latency.get("spectrum")) {
            if (point.get("quantile").asDouble() >= quantile - 1e-9) {
                return point.get("ms").asDouble();
            }
        }
        return Double.NaN;
    }

    private record Sample(long nanos, Duration client, Duration server) {
        static Optional<Sample> of(ProcessHandle client, ProcessHandle server) {
            long nanos = System.nanoTime();
            return client.info().totalCpuDuration()
                    .flatMap(c -> server.info().totalCpuDuration().map(s -> new Sample(nanos, c, s)));
        }
    }
}
