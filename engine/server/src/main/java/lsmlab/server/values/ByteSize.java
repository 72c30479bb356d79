// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.values;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A size on the command line: 4096, 4096B, 64KB, 1MB, 2GB; K, M and G are powers of 1024. */
public record ByteSize(long bytes) {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})\\s*([KMG]?)I?B?");

    public static final class Converter implements ITypeConverter<ByteSize> {
        @Override
        public ByteSize convert(String text) {
            Matcher matcher = FORM.matcher(text.toUpperCase(Locale.ROOT));
            if (!matcher.matches()) {
                throw new TypeConversionException("'" + text + "' is not a size like 64KB, 1MB or 2GB");
            }
            int shift = switch (matcher.group(2)) {
                case "K" -> 10;
                case "M" -> 20;
                case "G" -> 30;
                default -> 0;
            };
            return new ByteSize(Long.parseLong(matcher.group(1)) << shift);
        }
    }

    @Override
    public String toString() {
        for (int shift = 30; shift > 0; shift -= 10) {
            if (bytes > 0 && (bytes & ((1L << shift) - 1)) == 0) {
                return (bytes >> shift) + " KMG".substring(shift / 10, shift / 10 + 1) + "B";
            }
        }
        return bytes + "B";
    }
}
