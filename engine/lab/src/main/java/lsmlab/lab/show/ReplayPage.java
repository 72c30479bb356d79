// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import lsmlab.lab.autopsy.Cause;
import lsmlab.lab.autopsy.SlowRequest;
import lsmlab.lab.notebook.Frame;
import lsmlab.lab.process.ServerTrace;
import lsmlab.lab.replay.HeatMap;
import lsmlab.lab.replay.Replay;
import lsmlab.storage.stats.Layout;

/** A replay as an interactive page: the tree at the chosen moment, and below it events and response times on the run's axis of time. The page is replay.html beside this class. */
final class ReplayPage {
    private static final int HEIGHT_PIXELS = 820;
    private static final double MILLION = 1e6;
    /** What events are called, in the order of their rows. */
    private static final Map<String, String> EVENTS = new LinkedHashMap<>();

    static {
        EVENTS.put("FLUSH", "flush");
        EVENTS.put("COMPACTION", "compaction");
        EVENTS.put("STALL", "stall of writes");
        EVENTS.put("GC", "GC pause");
        EVENTS.put("STOPPED", "process stopped");
    }

    private ReplayPage() {}

    static Frame of(Replay replay) {
        return new Frame("replay", "Replay", replay.label(), HEIGHT_PIXELS, Pages.filled("replay.html", data(replay)), replay.toString());
    }

    private static Map<String, Object> data(Replay replay) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("label", replay.label());
        data.put("note", replay.note());
        data.put("sentence", replay.sentence());
        data.put("seconds", replay.seconds());
        data.put("threshold", replay.flushThresholdBytes());
        data.put("colors", Hue.colors());
        data.put("frames", replay.frames().stream().map(ReplayPage::frame).toList());
        data.put("events", EVENTS.entrySet().stream().map(kind -> events(replay, kind.getKey(), kind.getValue())).toList());
        data.put("heat", Map.of("columnSeconds", replay.heat().columnSeconds(), "leastMs", HeatMap.LEAST_MS, "rowsADecade", HeatMap.ROWS_A_DECADE, "counts", replay.heat().counts()));
        data.put("causes", Arrays.stream(Cause.values()).map(cause -> Map.of("words", cause.words(), "color", Hue.of(cause).color())).toList());
        data.put("requests", replay.requests().stream().map(ReplayPage::request).toList());
        return data;
    }

    /** As engine.js draws it. */
    static Map<String, Object> frame(ServerTrace.Frame frame) {
        Layout layout = frame.layout();
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("at", frame.nanos() / MILLION);
        data.put("active", layout.activeBytes());
        data.put("frozen", layout.frozenBytes());
        data.put("runs", layout.runs().stream().map(run -> List.of(run.level(), run.id(), run.tables(), run.bytes(), run.merging())).toList());
        data.put("counts", frame.counts());
        return data;
    }

    private static Map<String, Object> events(Replay replay, String kind, String words) {
        List<List<Object>> spans = replay.events().stream().filter(event -> event.kind().equals(kind) && event.toNanos() > 0)
                .map(event -> List.<Object>of(event.fromNanos() / MILLION, event.toNanos() / MILLION, event.what())).toList();
        return Map.of("words", words, "color", Hue.ofEvent(kind).color(), "spans", spans);
    }

    private static Map<String, Object> request(SlowRequest request) {
        Map<String, Object> data = AutopsyPage.request(request);
        data.put("due", request.request().dueNanos() / MILLION);
        return data;
    }
}
