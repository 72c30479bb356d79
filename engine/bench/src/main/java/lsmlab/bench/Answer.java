// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Parts of what a {@link Worker} answers. */
final class Answer {
    private static final int DIGITS = 3; // of a time

    private Answer() {}

    static Map<String, Object> rate(long operations, long nanos) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("operations", operations);
        answer.put("seconds", nanos / 1e9);
        answer.put("perSecond", operations * 1e9 / nanos);
        return answer;
    }

    /** For the times of calls, in nanoseconds. */
    static Histogram times() {
        return new Histogram(DIGITS);
    }

    /** With the tail of the calls. */
    static Map<String, Object> rate(long operations, long nanos, Histogram times) {
        Map<String, Object> answer = rate(operations, nanos);
        answer.put("p50Micros", times.getValueAtPercentile(50) / 1e3);
        answer.put("p99Micros", times.getValueAtPercentile(99) / 1e3);
        answer.put("p999Micros", times.getValueAtPercentile(99.9) / 1e3);
        answer.put("maxMicros", times.getMaxValue() / 1e3);
        return answer;
    }
}
