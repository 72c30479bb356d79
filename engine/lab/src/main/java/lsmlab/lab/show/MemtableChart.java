// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import lsmlab.lab.environment.Given;
import lsmlab.lab.measure.Run;
import lsmlab.lab.notebook.Chart;
import lsmlab.lab.replay.Replay;

/** How full the active memtables of runs' servers were, from the frames of their replays. */
final class MemtableChart {
    private static final double MB = 1 << 20;

    private MemtableChart() {}

    static Chart of(Run... runs) {
        Given.some("Charts.memtable", "runs", (Object[]) runs);
        List<Map<String, Object>> traces = new ArrayList<>();
        for (Run run : runs) {
            Replay replay = Replay.of(run, "");
            Map<String, Object> trace = Charts.trace(run.label(), Charts.color(traces.size()), "solid", replay.frames().stream().<Object>map(frame -> frame.nanos() / 1e9).toList(),
                    replay.frames().stream().<Object>map(frame -> frame.layout().activeBytes() / MB).toList());
            trace.put("mode", "lines+markers");
            traces.add(trace);
        }
        return new Chart("fill of the memtable", traces, Charts.layout("Fill of the memtable", Charts.note(runs), Charts.warnings(runs),
                Charts.axis("seconds after the start", "linear"), Charts.axis("MB", "linear")));
    }
}
