// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.plan;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A percentile of the response time, and what it must stay below. */
public record Bound(double percentile, double millis) {
    private static final double LEAST_TRIAL_MILLIS = 250;
    private static final double TRIAL_BOUNDS = 4;
    private static final Pattern FORM = Pattern.compile("p(\\d{1,2}(?:\\.\\d{1,4})?)=(\\d{1,6}(?:\\.\\d{1,3})?)(us|ms|s)");

    /** @throws IllegalArgumentException in words, if it is not one */
    public static Bound parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a bound like p99=10ms");
        }
        double scale = switch (matcher.group(3)) {
            case "us" -> 1e-3;
            case "ms" -> 1;
            default -> 1e3;
        };
        return new Bound(Double.parseDouble(matcher.group(1)), Double.parseDouble(matcher.group(2)) * scale);
    }

    /** Length of a trial: responses that take too long must have the time to. Many short trials say more than few long ones of the same time. */
    public long trialMillis() {
        return (long) Math.ceil(Math.max(LEAST_TRIAL_MILLIS, TRIAL_BOUNDS * millis));
    }
}
