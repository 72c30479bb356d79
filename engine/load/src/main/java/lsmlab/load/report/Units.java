// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.report;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers as wrk2 reads and prints them, whatever the locale. */
public final class Units {
    private static final Pattern COUNT = Pattern.compile("(\\d{1,15})([kKmMgG]?)");
    private static final Pattern TIME = Pattern.compile("(\\d{1,9})([sSmMhH]?)");
    /** The next larger unit is taken from this share of it on. */
    private static final double SWITCH = 0.85;

    private Units() {}

    /** "10", "10k", "1M". */
    public static long parseCount(String text) {
        Matcher matcher = COUNT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a whole number like 100, 10k or 1M");
        }
        long scale = switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
            case "k" -> 1_000;
            case "m" -> 1_000_000;
            case "g" -> 1_000_000_000;
            default -> 1;
        };
        return Math.multiplyExact(Long.parseLong(matcher.group(1)), scale);
    }

    /** "30", "30s", "2m", "1h", in seconds. */
    public static long parseSeconds(String text) {
        Matcher matcher = TIME.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a time like 30s, 2m or 1h");
        }
        long scale = switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
            case "m" -> 60;
            case "h" -> 3600;
            default -> 1;
        };
        return Long.parseLong(matcher.group(1)) * scale;
    }

    /** The same in milliseconds, or "300ms". */
    public static long parseMillis(String text) {
        return text.matches("\\d{1,9}ms") ? Long.parseLong(text.substring(0, text.length() - 2)) : 1000 * parseSeconds(text);
    }

    /** As C's %.*f: the double's exact value, rounded half to even. */
    public static String fixed(double value, int decimals) {
        if (Double.isNaN(value)) {
            return "-nan";
        }
        return new BigDecimal(value).setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
    }

    /** Seconds: "30s", "2m". */
    public static String seconds(double seconds, int decimals) {
        return scaled(seconds, 60, decimals, "s", "m");
    }

    /** Microseconds: "849.00us", "0.85ms", "2.01s", "0.85m". */
    public static String micros(double micros) {
        return micros >= 1e6 ? seconds(micros / 1e6, 2) : scaled(micros, 1000, 2, "us", "ms");
    }

    /** "104.38", "30.04k". */
    static String count(double count) {
        return scaled(count, 1000, 2, "", "k", "M", "G", "T");
    }

    /** "860.00", "126.06K"; the B is the caller's. */
    static String binary(double bytes) {
        return scaled(bytes, 1024, 2, "", "K", "M", "G", "T");
    }

    private static String scaled(double amount, double scale, int decimals, String... units) {
        int unit = 0;
        while (unit + 1 < units.length && amount >= scale * SWITCH) {
            amount /= scale;
            unit++;
        }
        return fixed(amount, decimals) + units[unit];
    }

    /** wrk2's table cell: right-aligned so that numbers stand under each other, with or without a unit of up to two letters. */
    static String cell(String text, int width) {
        int pad = 2;
        for (int i = 1; i <= 2 && i <= text.length(); i++) {
            if (Character.isLetter(text.charAt(text.length() - i))) {
                pad--;
            }
        }
        return " ".repeat(Math.max(0, width - pad - text.length())) + text + " ".repeat(pad);
    }
}
