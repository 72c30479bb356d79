// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.reports;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import lsmlab.lab.environment.Json;
import lsmlab.lab.environment.Project;
import lsmlab.lab.measure.Curve;

/** The figures of the five reports, data/reports/NNN.json, by the line of the report on which the output stands. */
public final class Reports {
    private record Report(String report, List<ReportFigure> figures, List<ReportTable> tables) {}

    /** A row of a table: a percentile, and milliseconds in each column. */
    private record ReportTable(int line, String operation, int nodes, List<String> columns, List<JsonNode> percentilesMs) {
        ReportColumn column(String report, int index) {
            List<Curve.Point> points = percentilesMs.stream().map(row -> ReportColumn.point(row.get(0).asDouble(), row.get(1).get(index).asDouble())).toList();
            return new ReportColumn("report %s: %s, %s, %s".formatted(report, operation, nodes == 1 ? "1 node" : nodes + " nodes", columns.get(index)), points);
        }
    }

    private Reports() {}

    /** Report "001", line 76: the wrk2 output that starts there. */
    public static ReportFigure figure(String report, int line) {
        List<ReportFigure> figures = figures(report);
        return figures.stream().filter(f -> f.line() == line).findFirst().orElseThrow(() -> new IllegalArgumentException(
                "report %s has no output on line %d, it has them on %s".formatted(report, line, figures.stream().map(ReportFigure::line).toList())));
    }

    /** Every wrk2 output of a report. */
    public static List<ReportFigure> figures(String report) {
        return read(report).figures().stream().map(figure -> figure.of(report)).toList();
    }

    /** Those that start on these lines. */
    public static List<ReportFigure> figures(String report, int... lines) {
        return IntStream.of(lines).mapToObj(line -> figure(report, line)).toList();
    }

    /** The columns of the tables of percentiles that stand on these lines. */
    public static List<ReportColumn> tables(String report, int... lines) {
        List<Integer> wanted = IntStream.of(lines).boxed().toList();
        return read(report).tables().stream().filter(table -> wanted.contains(table.line()))
                .flatMap(table -> IntStream.range(0, table.columns().size()).mapToObj(index -> table.column(report, index))).toList();
    }

    private static Report read(String report) {
        Path file = Project.root().resolve("data/reports").resolve(report + ".json");
        if (!Files.exists(file)) {
            throw new IllegalArgumentException("there is no report '" + report + "', they are 000 to 004");
        }
        return Json.read(file, new TypeReference<>() {});
    }
}
