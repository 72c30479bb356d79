// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads the id of a request. one-nio's own decoder knows no code points beyond U+FFFF and makes one key of two. */
final class Ids {
    private static final String PARAMETER = "id=";

    private Ids() {}

    /** An id that can't be one; the message says why. */
    static final class BadId extends RuntimeException {
        BadId(String message) {
            super(message, null, false, false);
        }
    }

    /** The id's UTF-8 bytes, percent-decoded. */
    static byte[] of(String uri) {
        byte[] id = decode(raw(uri));
        if (isBlank(id)) {
            throw new BadId("the parameter id is missing or blank");
        }
        return id;
    }

    private static String raw(String uri) {
        for (int at = uri.indexOf('?') + 1; at > 0; at = uri.indexOf('&', at) + 1) {
            if (uri.startsWith(PARAMETER, at)) {
                int end = uri.indexOf('&', at);
                return uri.substring(at + PARAMETER.length(), end < 0 ? uri.length() : end);
            }
        }
        return "";
    }

    private static byte[] decode(String raw) {
        byte[] bytes = new byte[raw.length() * 3];
        int length = 0;
        boolean ascii = true;
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                int high = i + 2 < raw.length() ? Character.digit(raw.charAt(i + 1), 16) : -1;
                int low = high >= 0 ? Character.digit(raw.charAt(i + 2), 16) : -1;
                if (low < 0) {
                    throw new BadId("the id has a % that two hexadecimal digits don't follow");
                }
                bytes[length++] = (byte) (high << 4 | low);
                ascii &= high < 8;
                i += 2;
            } else if (c < 0x80) {
                bytes[length++] = (byte) (c == '+' ? ' ' : c);
            } else {
                for (byte b : utf8(c)) {
                    bytes[length++] = b;
                }
                ascii = false;
            }
        }
        byte[] id = Arrays.copyOf(bytes, length);
        if (!ascii) {
            checkUtf8(id);
        }
        return id;
    }

    /** A character that the client did not escape. one-nio has decoded those of up to three bytes, and no others. */
    private static byte[] utf8(char c) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(new char[] {c}));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new BadId("the id has a character that must be percent-encoded");
        }
    }

    private static void checkUtf8(byte[] id) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(id));
        } catch (CharacterCodingException e) {
            throw new BadId("the id is not UTF-8");
        }
    }

    private static boolean isBlank(byte[] id) {
        for (byte b : id) {
            if (b < 0 || b > ' ') {
                return false;
            }
        }
        return true;
    }
}
