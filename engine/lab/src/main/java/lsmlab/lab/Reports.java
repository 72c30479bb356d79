// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import com.fasterxml.jackson.core.type.TypeReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The figures of the five reports, data/reports/NNN.json, by the line of the report on which the output stands. */
public final class Reports {
    private record Report(String report, List<ReportFigure> figures) {}

    private Reports() {}

    /** Report "001", line 76: the wrk2 output that starts there. */
    public static ReportFigure figure(String report, int line) {
        Path file = Lab.root().resolve("data/reports").resolve(report + ".json");
        if (!Files.exists(file)) {
            throw new IllegalArgumentException("there is no report '" + report + "', they are 000 to 004");
        }
        List<ReportFigure> figures = Json.read(file, new TypeReference<Report>() {}).figures();
        return figures.stream().filter(f -> f.line() == line).findFirst().map(f -> f.of(report)).orElseThrow(() -> new IllegalArgumentException(
                "report %s has no output on line %d, it has them on %s".formatted(report, line, figures.stream().map(ReportFigure::line).toList())));
    }
}
