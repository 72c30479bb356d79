// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A time on the command line: 500ms, 2s, 1m. */
public final class Durations implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,7})(ms|s|m)");

    @Override
    public Duration convert(String text) {
        Matcher matcher = FORM.matcher(text);
        long number = matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
        if (number == 0) {
            throw new TypeConversionException("'" + text + "' is not a time like 500ms, 2s or 1m");
        }
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            default -> Duration.ofMinutes(number);
        };
    }
}
