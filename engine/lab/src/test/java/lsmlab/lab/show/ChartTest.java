// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import lsmlab.lab.environment.Json;
import lsmlab.lab.measure.Curve;
import lsmlab.lab.measure.Percentiles;
import lsmlab.lab.notebook.Chart;
import lsmlab.lab.notebook.FlameGraph;
import lsmlab.lab.notebook.Shown;
import lsmlab.lab.profile.Layers;
import lsmlab.load.result.LoadResult;
import org.junit.jupiter.api.Test;

/** What is drawn, before a browser draws it. */
class ChartTest {
    private static JsonNode figure(int curves, String note, List<String> warnings) {
        List<Map<String, Object>> traces = IntStream.range(0, curves).<Map<String, Object>>mapToObj(i -> Map.of("type", "scatter", "name", "curve " + i)).toList();
        Chart chart = new Chart("title", traces, Charts.layout("A title", note, warnings, Charts.axis("x", "log"), Charts.axis("time, ms", "log")));
        return Json.MAPPER.valueToTree(chart.content().values().iterator().next());
    }

    @Test
    void theHeightLeavesRoomForTheAxesHoweverManyLinesLegendAndTitleTake() {
        JsonNode small = figure(1, "note", List.of());
        JsonNode large = figure(12, "note", List.of("a warning of many words that must be broken into several lines because no page is so wide, not even this one"));
        assertFalse(small.at("/config").has("responsive"), "Plotly would shrink it to nothing");
        assertTrue(small.at("/layout/height").asInt() >= Chart.AXES_PIXELS + small.at("/layout/margin/t").asInt());
        assertEquals(11 * 20 + 18, large.at("/layout/height").asInt() - small.at("/layout/height").asInt(), "eleven curves and one line more, however long the warning is");
        assertTrue(large.at("/layout/annotations/0/text").asText().endsWith(" …"));
        assertTrue(large.at("/layout/annotations/0/hovertext").asText().endsWith("not even this one"), "all of it where the pointer rests");
        assertEquals("rgba(0,0,0,0)", large.at("/layout/paper_bgcolor").asText(), "dark pages stay dark");
    }

    /** The last quantiles of the spectrum are finer than 1/3,448, the share of one request. */
    @Test
    void noPointOfACurveLiesRightOfTheSlowestRequest() {
        List<LoadResult.Point> spectrum = List.of(new LoadResult.Point(1, 0.5, 1_724), new LoadResult.Point(3, 0.9997, 3_447),
                new LoadResult.Point(4, 0.99976, 3_448), new LoadResult.Point(4, 1, 3_448));
        List<Double> x = Percentiles.curve(spectrum).stream().map(Curve.Point::inverse).toList();
        assertEquals(x.stream().sorted().toList(), x);
        assertEquals(3_448, x.getLast());
    }

    @Test
    void aWideLogarithmicAxisHasLabelsAtPowersOfTenOnly() {
        assertEquals(1, figure(1, "", List.of()).at("/layout/yaxis/dtick").asInt());
    }

    @Test
    void countedPointsHaveTheColourOfTheirModelsLineAndNoNameInTheLegend() {
        ModelChart chart = new ModelChart("title", "note", "x", "y").add("first", List.of(new double[] {1, 2}), List.of(new double[] {1, 3}))
                .add("second", List.of(new double[] {1, 4}, new double[] {2, 5}), List.of());
        JsonNode figure = Json.MAPPER.valueToTree(chart.content().values().iterator().next());
        assertEquals(4, figure.at("/data").size());
        assertEquals(figure.at("/data/0/line/color"), figure.at("/data/1/marker/color"));
        assertFalse(figure.at("/data/1/showlegend").asBoolean());
        assertEquals("[4.0,5.0]", figure.at("/data/2/y").toString());
        assertTrue(chart.toString().contains("second"), chart.toString());
    }

    @Test
    void aTableOfAModelSaysBelowEachColumnHowWellItAgrees() {
        ModelTable<Integer> table = new ModelTable<>("caption", List.of(1, 2, 4), number -> "thing " + number)
                .column("twice", number -> 2 * number, number -> 2.5 * number).column("alike", number -> number, number -> number);
        assertTrue(table.toString().matches("(?s)caption.*thing 4 +8\\.00 / 10\\.0 .*largest error +20\\.0 % .*rank correlation +1\\.00 .*"), table.toString());
        assertEquals(0, table.agreement("alike").largestError());
    }

    @Test
    void eachLayerHasAColourOfItsOwnInTintsOfFiveColours() {
        assertTrue(Layers.number("socket write") < Layers.number("storage engine"));
        assertEquals(Layers.number("other"), Layers.number("no such layer"), "the last");
        Set<String> colours = new HashSet<>();
        Layers.all().keySet().forEach(layer -> assertTrue(colours.add(Hue.ofLayer(layer).color()), layer + " has its own"));
        assertEquals(6, Hue.values().length, "five colours and grey");
        assertEquals(Hue.ofEvent("flush").color(), Hue.ofLayer("flush").color(), "the same for the same, in a timeline and in a profile");
    }

    @Test
    void anEventThatWasNeverSeenIsSaidInWords() {
        String html = FlameGraph.empty("lock, 1 MB", "lock: nothing was recorded").content().get(Shown.HTML).toString();
        assertEquals("<p>lock: nothing was recorded</p>", html);
    }
}
