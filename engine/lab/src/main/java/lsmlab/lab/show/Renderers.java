// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.function.Function;
import lsmlab.lab.autopsy.Autopsy;
import lsmlab.lab.autopsy.SlowRequest;
import lsmlab.lab.measure.Comparison;
import lsmlab.lab.measure.Knee;
import lsmlab.lab.measure.Rounds;
import lsmlab.lab.measure.Run;
import lsmlab.lab.measure.Timeline;
import lsmlab.lab.notebook.Shown;
import lsmlab.lab.replay.Live;
import lsmlab.lab.replay.Replay;
import lsmlab.lab.reports.ReportFigure;
import lsmlab.lab.reports.Verdict;
import org.dflib.jjava.jupyter.kernel.display.Renderer;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;

/** How a notebook shows results as the last value of a cell. Results are data and know nothing of it. */
public final class Renderers {
    private Renderers() {}

    /** Called once for a kernel, before its first cell. */
    public static void register(Renderer renderer) {
        show(renderer, Run.class, Tables::of);
        show(renderer, Rounds.class, rounds -> Tables.of(rounds.all().toArray(Run[]::new)));
        show(renderer, Knee.class, knee -> Tables.of(knee));
        show(renderer, Knee[].class, Tables::of);
        show(renderer, Comparison.class, Tables::of);
        show(renderer, Timeline.class, Tables::events);
        show(renderer, Autopsy.class, AutopsyPage::of);
        show(renderer, SlowRequest.class, Tables::of);
        show(renderer, Replay.class, ReplayPage::of);
        show(renderer, Live.class, live -> ReplayPage.of(live.replay()));
        show(renderer, Verdict.class, Tables::claim);
        show(renderer, ReportFigure.class, figure -> Tables.of(List.of(figure)));
        show(renderer, JsonNode.class, Tables::of); // as Server.stats returns it
    }

    private static <T> void show(Renderer renderer, Class<T> type, Function<T, ? extends Shown> as) {
        renderer.createRegistration(type).preferring(MIMEType.TEXT_HTML, MIMEType.TEXT_PLAIN).register((value, context) -> {
            Shown shown = as.apply(value);
            context.renderIfRequested(MIMEType.TEXT_HTML, () -> shown.content().get(Shown.HTML));
            context.renderIfRequested(MIMEType.TEXT_PLAIN, shown::toString);
        });
    }
}
