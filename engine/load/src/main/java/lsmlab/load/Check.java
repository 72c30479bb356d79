// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import java.util.function.Supplier;
import lsmlab.load.report.Units;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Refuses options that make no sense, in words. */
record Check(CommandLine commandLine) {
    void require(boolean condition, String message, Object... values) {
        if (!condition) {
            throw new ParameterException(commandLine, message.formatted(values));
        }
    }

    <T> T parsed(String option, Supplier<T> parser) {
        try {
            return parser.get();
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new ParameterException(commandLine, option + ": " + e.getMessage());
        }
    }

    long count(String option, String text, long least, long most) {
        long value = parsed(option, () -> Units.parseCount(text));
        require(value >= least && value <= most, "%s is %s, it must be %d to %d", option, text, least, most);
        return value;
    }

    long seconds(String option, String text) {
        long value = parsed(option, () -> Units.parseSeconds(text));
        require(value >= 1, "%s is %s, it must be at least 1s", option, text);
        return value;
    }
}
