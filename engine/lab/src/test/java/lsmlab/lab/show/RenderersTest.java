// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.stream.Collectors;
import lsmlab.lab.environment.Json;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.reports.Claims;
import lsmlab.lab.reports.Reports;
import lsmlab.load.result.Interval;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import org.dflib.jjava.jupyter.kernel.display.Renderer;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;
import org.junit.jupiter.api.Test;

/** What a kernel makes of a cell's last value. */
class RenderersTest {
    private static DisplayData shown(Object value) {
        Renderer renderer = new Renderer();
        Renderers.register(renderer);
        return renderer.render(value);
    }

    private static void assertIsTable(String expected, Object value) {
        DisplayData shown = shown(value);
        assertTrue(shown.getData(MIMEType.TEXT_HTML).toString().contains("<table"), shown.toString());
        assertTrue(shown.getData(MIMEType.TEXT_PLAIN).toString().contains(expected), shown.getData(MIMEType.TEXT_PLAIN).toString());
    }

    @Test
    void resultsAreShownAsTablesAndPrintedAsALine() throws Exception {
        assertIsTable("/engine/gets  1,234", Json.MAPPER.readTree("{\"engine\": {\"gets\": 1234}}"));
        assertIsTable("Report 001", Reports.figure("001", 76));
        var claim = Claims.load().claim("001-1");
        var verdict = Claims.load().check("001-1", measures(claim), Mode.QUICK);
        assertIsTable("Claim 001-1: " + claim.statement(), verdict);
        assertEquals("Claim 001-1: reproduced (a quick run: smaller sizes, not kept; --full decides)", verdict.toString());
    }

    private static Map<String, Interval> measures(Claims.Claim claim) {
        return claim.measures().stream().collect(Collectors.toMap(measure -> measure, _ -> Interval.exactly(1)));
    }
}
