// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import lsmlab.load.result.LoadResult;

/** Reads what a real wrk2 prints, including what it prints when it measured nothing. */
final class Wrk2Text {
    private static final String NUMBER = "(-?nan|inf|[0-9.]+)";
    private static final Pattern TEST = Pattern.compile("Running .* test @ (\\S+)");
    private static final Pattern THREADS = Pattern.compile("(\\d+) threads and (\\d+) connections");
    private static final Pattern LATENCY = Pattern.compile("Latency\\s+" + NUMBER + "(us|ms|s|m)\\s+" + NUMBER + "(us|ms|s|m)\\s+" + NUMBER + "(us|ms|s|m)\\s");
    private static final Pattern POINT = Pattern.compile("^\\s+([0-9.]+)\\s+([0-9.]+)\\s+(\\d+)\\s+(?:[0-9.]+|inf)$");
    private static final Pattern MEAN = Pattern.compile("#\\[Mean\\s+=\\s+" + NUMBER + ", StdDeviation\\s+=\\s+" + NUMBER + "]");
    private static final Pattern MAX = Pattern.compile("#\\[Max\\s+=\\s+([0-9.]+), Total count\\s+=\\s+(\\d+)]");
    private static final Pattern TOTAL = Pattern.compile("(\\d+) requests in " + NUMBER + "(us|ms|s|m), " + NUMBER + "([KMGT]?)B read");
    private static final Pattern ERRORS = Pattern.compile("Socket errors: connect (\\d+), read (\\d+), write (\\d+), timeout (\\d+)");
    private static final Pattern STATUS = Pattern.compile("Non-2xx or 3xx responses: (\\d+)");
    private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+" + NUMBER);

    private final String text;

    private Wrk2Text(String text) {
        this.text = text;
    }

    /**
     * @param generator shown as the result's source
     * @param requestedPerSecond and durationSeconds: what wrk2 was asked for, which its text does not repeat
     */
    static LoadResult parse(String text, String generator, String script, double requestedPerSecond, long durationSeconds) {
        return new Wrk2Text(text).result(generator, script, requestedPerSecond, durationSeconds);
    }

    private LoadResult result(String generator, String script, double requestedPerSecond, long durationSeconds) {
        Matcher threads = required(THREADS);
        Matcher total = required(TOTAL);
        List<LoadResult.Latency> latencies = distributions();
        long requests = Long.parseLong(total.group(1));
        double planned = requestedPerSecond * durationSeconds;
        return LoadResult.of(
                new LoadResult.Load(generator, required(TEST).group(1), script, Integer.parseInt(threads.group(2)), Integer.parseInt(threads.group(1)), 0, 0,
                        millis(total.group(2), total.group(3)) / 1000),
                new LoadResult.Counts(requestedPerSecond, null, null, requests, number(required(RATE).group(1)), null, bytes(total.group(4), total.group(5))),
                new LoadResult.Latencies(latencies.isEmpty() ? summaryOnly() : latencies.getFirst(), null, latencies.size() > 1 ? latencies.get(1) : null, null, null),
                new LoadResult.Outcome(errors(), null, null, null, null, null, requests >= LoadResult.SUSTAINED_SHARE * planned ? null
                        : "%d of about %.0f planned requests got a response".formatted(requests, planned)));
    }

    private LoadResult.Errors errors() {
        Matcher errors = ERRORS.matcher(text);
        boolean failed = errors.find();
        Matcher status = STATUS.matcher(text);
        return new LoadResult.Errors(failed ? Long.parseLong(errors.group(1)) : 0, failed ? Long.parseLong(errors.group(2)) : 0,
                failed ? Long.parseLong(errors.group(3)) : 0, failed ? Long.parseLong(errors.group(4)) : 0,
                status.find() ? Long.parseLong(status.group(1)) : 0);
    }

    private Matcher required(Pattern pattern) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new IllegalArgumentException("not wrk2's output, there is no line like " + pattern + " in:\n" + text);
        }
        return matcher;
    }

    /** The spectra that stand in the text: response times, and with -U service times. */
    private List<LoadResult.Latency> distributions() {
        List<LoadResult.Latency> latencies = new ArrayList<>();
        List<LoadResult.Point> points = new ArrayList<>();
        Matcher mean = null;
        for (String line : text.lines().toList()) {
            Matcher point = POINT.matcher(line);
            Matcher meanLine = MEAN.matcher(line);
            Matcher max = MAX.matcher(line);
            if (point.matches()) {
                points.add(new LoadResult.Point(number(point.group(1)), number(point.group(2)), Long.parseLong(point.group(3))));
            } else if (meanLine.matches()) {
                mean = meanLine;
            } else if (max.matches()) {
                long count = Long.parseLong(max.group(2));
                latencies.add(new LoadResult.Latency(count, orNull(mean.group(1)), orNull(mean.group(2)),
                        count == 0 ? null : number(max.group(1)), List.copyOf(points), null));
                points.clear();
            }
        }
        return latencies;
    }

    /** Without -L wrk2 prints three numbers and no curve. */
    private LoadResult.Latency summaryOnly() {
        Matcher latency = required(LATENCY);
        boolean empty = latency.group(1).endsWith("nan");
        return new LoadResult.Latency(0, empty ? null : millis(latency.group(1), latency.group(2)),
                empty ? null : millis(latency.group(3), latency.group(4)), empty ? null : millis(latency.group(5), latency.group(6)), List.of(), null);
    }

    private static Double orNull(String text) {
        return text.endsWith("nan") ? null : Double.valueOf(text);
    }

    private static double number(String text) {
        return text.endsWith("nan") ? Double.NaN : text.equals("inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
    }

    private static double millis(String amount, String unit) {
        return number(amount) * switch (unit) {
            case "us" -> 0.001;
            case "ms" -> 1;
            case "s" -> 1_000;
            default -> 60_000; // wrk2 goes on to minutes at 51 s
        };
    }

    private static long bytes(String amount, String unit) {
        return Math.round(number(amount) * Math.pow(1024, " KMGT".indexOf(unit.isEmpty() ? " " : unit)));
    }
}
