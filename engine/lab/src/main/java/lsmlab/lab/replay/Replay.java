// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.replay;

import java.util.List;
import java.util.stream.Stream;
import lsmlab.lab.autopsy.Autopsy;
import lsmlab.lab.autopsy.Part;
import lsmlab.lab.autopsy.SlowRequest;
import lsmlab.lab.measure.Run;
import lsmlab.lab.measure.RunTraces;
import lsmlab.lab.process.ServerTrace;
import lsmlab.lab.process.ServerTrace.Served;
import lsmlab.lab.process.ServerTrace.Time;
import lsmlab.load.result.TracedRequests.Traced;

/**
 * What the engine looked like during a run, frame by frame, and how long requests were inside the server meanwhile. All times are nanoseconds since the run began.
 *
 * @param label the run's
 * @param sentence why its slowest requests were slow
 * @param flushThresholdBytes at which a memtable is full
 * @param frames two to three a second; where there are none, the process was stopped
 * @param requests some of the slowest, and as many typical ones
 */
public record Replay(String label, String note, String sentence, double seconds, long flushThresholdBytes, List<ServerTrace.Frame> frames, List<ServerTrace.Event> events, HeatMap heat,
        List<SlowRequest> requests) {
    private static final int MOST_REQUESTS = 150; // of each kind
    private static final int COLUMNS = 120;
    private static final double LEAST_COLUMN_SECONDS = 0.05;

    /**
     * @param note how the run was taken: mode and machine
     * @throws IllegalArgumentException if nothing was kept of the run's requests
     */
    public static Replay of(Run run, String note) {
        RunTraces traces = RunTraces.of(run);
        ServerTrace trace = traces.server();
        Autopsy autopsy = Autopsy.of(run, traces, trace);
        long begin = traces.beginNanos();
        List<Served> served = trace.requests();
        double[] at = served.stream().mapToDouble(request -> (request.readableNanos() - begin) / 1e9).toArray();
        double[] ms = served.stream().mapToDouble(request -> (request.at(Time.WRITTEN) - request.readableNanos()) / 1e6).toArray();
        double seconds = (traces.client(trace).endNanos() - begin) / 1e9;
        List<SlowRequest> requests = Stream.of(autopsy.slowest(), autopsy.typical())
                .flatMap(some -> SlowRequest.evenly(some, MOST_REQUESTS).mapToObj(some::get)).map(request -> moved(request, begin)).toList();
        return new Replay(run.label(), note, autopsy.toString(), seconds, Long.parseLong(run.server().get("flushThresholdBytes")),
                trace.frames().stream().map(frame -> new ServerTrace.Frame(frame.nanos() - begin, frame.layout(), frame.counts())).toList(),
                trace.events().stream().map(event -> event.later(-begin)).toList(),
                HeatMap.of(seconds, Math.max(LEAST_COLUMN_SECONDS, seconds / COLUMNS), at, ms), requests);
    }

    private static SlowRequest moved(SlowRequest request, long begin) {
        Traced traced = request.request();
        return new SlowRequest(new Traced(traced.thread(), traced.port(), traced.number(), traced.status(), traced.dueNanos() - begin, traced.freeNanos() - begin, traced.sentNanos() - begin,
                traced.receivedNanos() - begin),
                request.parts().stream().map(part -> new Part(part.cause(), part.detail(), part.thread(), part.fromNanos() - begin, part.toNanos() - begin)).toList());
    }

    @Override
    public String toString() {
        return "a replay of %s: %d frames; %s".formatted(label, frames.size(), sentence);
    }
}
