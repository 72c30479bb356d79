// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.environment;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/** Numbers and durations as people write and read them. */
public final class Text {
    private static final Pattern DURATION = Pattern.compile("(\\d+)\\s*(ms|s|m|min|h)");

    private Text() {}

    /** "500ms", "3s", "2m". */
    public static Duration duration(String text) {
        Matcher matcher = DURATION.matcher(String.valueOf(text).strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a duration like 500ms, 3s or 2m");
        }
        long amount = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofMinutes(amount);
        };
    }

    /** Whole seconds, as wrk2 takes them. */
    public static long seconds(String text) {
        Duration duration = duration(text);
        if (duration.toMillis() % 1000 != 0 || duration.isZero()) {
            throw new IllegalArgumentException("'" + text + "' is not a whole number of seconds, at least 1s");
        }
        return duration.toSeconds();
    }

    /** "12,345/s". */
    public static String rate(double perSecond) {
        return String.format(Locale.ROOT, "%,.0f/s", perSecond);
    }

    /** Three significant digits: "0.123 ms", "1.23 ms", "123 ms", "12.3 s". */
    public static String ms(Double ms) {
        if (ms == null || ms.isNaN()) {
            return "–";
        }
        return ms >= 10_000 ? significant(ms / 1000) + " s" : significant(ms) + " ms";
    }

    /** Three significant digits without an exponent. */
    public static String significant(double value) {
        if (value == 0 || Double.isNaN(value) || Double.isInfinite(value)) {
            return Double.toString(value);
        }
        int decimals = Math.clamp(2 - (long) Math.floor(Math.log10(Math.abs(value))), 0, 6);
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }

    /** All its digits, and no more: "99", "99.9". */
    public static String plain(double value) {
        return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }

    public static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** "1 thread", "2 threads". */
    public static String plural(long count, String what) {
        return count(count) + " " + what + (count == 1 ? "" : "s");
    }

    public static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    /** Compressed, in base64. */
    public static String packed(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(bytes, new Deflater(Deflater.BEST_COMPRESSION))) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    public static String unpacked(String packed) {
        try (InflaterInputStream in = new InflaterInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(packed)))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static String html(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
