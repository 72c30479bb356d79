// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import lsmlab.lab.measure.Load;
import lsmlab.lab.measure.Run;
import lsmlab.lab.notebook.Widget;
import lsmlab.lab.process.LiveFrames;
import lsmlab.lab.process.LiveFrames.LiveFrame;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerProcess;
import lsmlab.lab.replay.HeatMap;
import lsmlab.lab.replay.Live;
import lsmlab.lab.replay.Replay;

/** A picture of a server's engine that moves under the cell while a load runs. The page's part is live.js, beside this class. */
public final class LivePicture {
    private static final long LOOK_MILLIS = 100;
    private static final double MICROS = 1_000; // in a millisecond

    private LivePicture() {}

    /**
     * Runs the load and shows the engine meanwhile.
     *
     * @throws IllegalArgumentException if the server does not trace, so that it has no frames to show
     */
    public static Live of(Server server, Load load) {
        ServerProcess process = ServerProcess.of(server);
        if (!process.isTraced()) {
            throw new IllegalArgumentException("the server '%s' was started with .untraced(): it has no pictures to show".formatted(process.label()));
        }
        process.checkClusterRuns();
        Run run;
        try (Widget widget = widget(process); Looking _ = new Looking(LiveFrames.of(process), widget)) {
            run = load.run(server);
        }
        return new Live(run, Replay.of(run, Charts.note(run)));
    }

    /** A thread that shows the frames as they come. */
    private static final class Looking implements AutoCloseable {
        private final LiveFrames frames;
        private final Widget widget;
        private final CountDownLatch ended = new CountDownLatch(1);

        Looking(LiveFrames frames, Widget widget) {
            this.frames = frames;
            this.widget = widget;
            Thread.ofPlatform().daemon().name("live picture").start(this::look);
        }

        private void look() {
            try {
                while (!ended.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                    frames.next().forEach(frame -> widget.send("frame", drawn(frame)));
                }
            } catch (InterruptedException e) {
                // never: no thread interrupts it, because that could close the kernel's socket
            }
        }

        @Override
        public void close() {
            ended.countDown();
        }
    }

    private static Widget widget(ServerProcess server) {
        String script = String.join("\n", Pages.text("draw.js"), Pages.text("engine.js"), Pages.text("live.js"));
        String style = ".lsmlab-live {%s%s}".formatted(Pages.text("draw.css"), Pages.text("live.css"));
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("label", server.label());
        state.put("threshold", server.stats().at("/options/flushThresholdBytes").asLong());
        state.put("colors", Hue.colors());
        state.put("leastMs", HeatMap.LEAST_MS);
        state.put("rows", HeatMap.ROWS);
        state.put("rowsADecade", HeatMap.ROWS_A_DECADE);
        state.put("frame", Map.of());
        return new Widget(script, style, state, "the engine of '%s' at work: in JupyterLab a picture moves here".formatted(server.label()),
                "While the load ran, a picture of the engine moved here. Its replay follows.");
    }

    /** As engine.js and live.js draw it. */
    private static Map<String, Object> drawn(LiveFrame live) {
        Map<String, Object> frame = new LinkedHashMap<>(ReplayPage.frame(live.frame()));
        frame.put("stall", live.frame().layout().stall() != null);
        frame.put("rows", live.insideMicros().stream().map(micros -> HeatMap.row(micros / MICROS)).toList());
        return frame;
    }
}
