// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import lsmlab.lab.environment.Children;
import lsmlab.lab.environment.Interrupted;
import lsmlab.lab.environment.Text;
import lsmlab.lab.environment.Workspace;
import lsmlab.lab.notebook.Turn;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerProcess;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.HistogramLogReader;

/**
 * A run and what the server did meanwhile, on one axis of time: response times second by second from the generator's log, flushes,
 * compactions, stalls and pauses of the garbage collector from the flight recorder of the server's JVM.
 *
 * @param seconds of the run, in order
 * @param events that began during the run
 */
public record Timeline(Run run, List<Second> seconds, List<Event> events) {
    /** The kinds of events by their names in the recording, in the order they are drawn. */
    public static final Map<String, String> KINDS = kinds();

    /**
     * The response times of the requests that were answered within a second.
     *
     * @param startSeconds since the run began
     */
    public record Second(double startSeconds, AbstractHistogram responseMicros) {}

    /** One event, in seconds since the run began. */
    public record Event(String kind, double startSeconds, double durationSeconds) {}

    /**
     * What is done to servers while a load goes on.
     *
     * @param after the start of the load
     * @param what it is, as charts show it
     * @param action returns when it is done
     */
    public record Step(Duration after, String what, Runnable action) {}

    /** What charts show a row for: what the server's recorder knows, and what was done. */
    public List<String> rows() {
        return Stream.concat(run.isOfCassandra() ? Stream.empty() : KINDS.values().stream(), steps().stream().map(Event::kind).distinct()).toList();
    }

    /** What was done to servers meanwhile. */
    public List<Event> steps() {
        return events.stream().filter(event -> !KINDS.containsValue(event.kind())).toList();
    }

    private static Map<String, String> kinds() {
        Map<String, String> kinds = new LinkedHashMap<>();
        kinds.put("lsmlab.Flush", "flush");
        kinds.put("lsmlab.Compaction", "compaction");
        kinds.put("lsmlab.Stall", "stall of writes");
        kinds.put("jdk.GCPhasePause", "GC pause");
        return kinds;
    }

    public static Timeline of(Server server, Load load, Step... steps) {
        ServerProcess process = ServerProcess.of(server);
        process.checkClusterRuns();
        try (var _ = Turn.take("timeline of " + process.label())) {
            return measured(process, load, List.of(steps));
        }
    }

    private static Timeline measured(ServerProcess server, Load load, List<Step> planned) {
        Path folder = Workspace.newFolder("timelines");
        Path recording = folder.resolve("events.jfr");
        Path log = folder.resolve("responses.hlog");
        if (!server.isWarm()) {
            load.warm(server);
        }
        Steps steps = new Steps(planned);
        Load logged = load.log(log).steps(steps);
        Run run = server.hasStore() ? recorded(server, logged, recording) : logged.run(server);
        try {
            HistogramLogReader reader = new HistogramLogReader(log.toFile());
            List<Second> seconds = new ArrayList<>();
            double startSeconds = Double.NaN;
            while (reader.hasNext()) {
                EncodableHistogram next = reader.nextIntervalHistogram();
                startSeconds = reader.getStartTimeSec();
                if ("response".equals(next.getTag()) && next instanceof AbstractHistogram histogram) {
                    seconds.add(new Second(next.getStartTimeStamp() / 1000.0 - startSeconds, histogram));
                }
            }
            List<Event> events = new ArrayList<>(server.hasStore() ? events(recording, startSeconds, run.result().seconds()) : List.of());
            events.addAll(steps.events(startSeconds));
            return new Timeline(run, seconds, events);
        } catch (FileNotFoundException e) {
            throw new IllegalStateException("the load generator wrote no log", e);
        }
    }

    private static Run recorded(ServerProcess server, Load load, Path recording) {
        List<String> start = new ArrayList<>(List.of("JFR.start", "name=timeline", "settings=none"));
        KINDS.keySet().forEach(name -> start.addAll(List.of("+" + name + "#enabled=true", "+" + name + "#threshold=0ms")));
        command(server, start);
        try {
            return load.run(server);
        } finally {
            command(server, List.of("JFR.stop", "name=timeline", "filename=" + recording));
        }
    }

    private static List<Event> events(Path recording, double start, double seconds) {
        Instant begin = Instant.ofEpochMilli(Math.round(start * 1000));
        try {
            List<Event> events = new ArrayList<>();
            for (RecordedEvent event : RecordingFile.readAllEvents(recording)) {
                double at = Duration.between(begin, event.getStartTime()).toNanos() / 1e9;
                if (KINDS.containsKey(event.getEventType().getName()) && at >= 0 && at < seconds) {
                    events.add(new Event(KINDS.get(event.getEventType().getName()), at, event.getDuration().toNanos() / 1e9));
                }
            }
            return events;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void command(ServerProcess server, List<String> words) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), Long.toString(server.pid())));
        command.addAll(words);
        try {
            Process process = Children.start(new ProcessBuilder(command).redirectErrorStream(true));
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("the flight recorder: " + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw Interrupted.by(e);
        }
    }

    @Override
    public String toString() {
        return "%s: %s, %s of the server".formatted(run.label(), Text.plural(seconds.size(), "second"), Text.plural(events.size(), "event"));
    }
}
