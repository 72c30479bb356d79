// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Percent-encoded UTF-8, the form of ids in a target (RFC 3986, section 2.1; {@code +} is a space, as forms have it). */
public final class PercentCode {
    private static final String UNRESERVED = "-._~";
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private PercentCode() {}

    /** Decodes {@code from[at, end)} to the start of {@code to}, which has that much room; returns the length. */
    static int decode(String name, byte[] from, int at, int end, byte[] to) {
        int length = 0;
        int bits = 0; // of all bytes together: negative if one is not ASCII
        for (int i = at; i < end; i++) {
            byte b = from[i];
            if (b == '%') {
                int high = i + 2 < end ? Character.digit(from[i + 1], 16) : -1;
                int low = high >= 0 ? Character.digit(from[i + 2], 16) : -1;
                if (low < 0) {
                    throw Refused.badRequest("the parameter " + name + " has a % that two hexadecimal digits don't follow");
                }
                b = (byte) (high << 4 | low);
                i += 2;
            } else if (b == '+') {
                b = ' ';
            }
            bits |= b;
            to[length++] = b;
        }
        if (bits < 0) {
            checkUtf8(name, ByteBuffer.wrap(to, 0, length));
        }
        return length;
    }

    private static void checkUtf8(String name, ByteBuffer bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(bytes);
        } catch (CharacterCodingException e) {
            throw Refused.badRequest("the parameter " + name + " is not UTF-8");
        }
    }

    /** Empty, or only spaces, tabs and line breaks. */
    static boolean isBlank(byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            boolean blank = bytes[i] == ' ' || bytes[i] >= '\t' && bytes[i] <= '\r';
            if (!blank) {
                return false;
            }
        }
        return true;
    }

    public static String encode(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length + 16);
        for (byte b : bytes) {
            char c = (char) (b & 0xff);
            if (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || UNRESERVED.indexOf(c) >= 0) {
                text.append(c);
            } else {
                text.append('%').append(HEX[c >> 4]).append(HEX[c & 15]);
            }
        }
        return text.toString();
    }
}
