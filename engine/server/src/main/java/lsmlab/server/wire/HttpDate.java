// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The Date header, which every answer has; made once a second. */
public final class HttpDate {
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern("'\r\nDate: 'EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);
    private static final long SECOND_MILLIS = 1_000;

    private static volatile HttpDate now = new HttpDate(0);

    private final long second;
    private final byte[] line;

    private HttpDate(long second) {
        this.second = second;
        line = FORMAT.format(Instant.ofEpochSecond(second)).getBytes(StandardCharsets.US_ASCII);
    }

    /** The line break before it and the header; the same array for a second. */
    public static byte[] line() {
        long second = System.currentTimeMillis() / SECOND_MILLIS;
        HttpDate date = now;
        if (date.second != second) {
            date = new HttpDate(second);
            now = date;
        }
        return date.line;
    }
}
