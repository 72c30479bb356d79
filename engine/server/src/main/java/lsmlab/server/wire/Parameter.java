// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/** The parameters that requests may have; others are ignored. */
public enum Parameter {
    ID, START, END, ACK, FROM, REPLICAS, SPACE;

    static final int COUNT = values().length;
    private static final Parameter[] ALL = values();

    private final byte[] nameAndEquals = (text() + "=").getBytes(StandardCharsets.US_ASCII);

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Bytes of the name and the equals sign. */
    int nameLength() {
        return nameAndEquals.length;
    }

    /** Which one stands at {@code bytes[from, to)}; null for any other. */
    static Parameter at(byte[] bytes, int from, int to) {
        for (Parameter parameter : ALL) {
            byte[] name = parameter.nameAndEquals;
            if (to - from >= name.length && Arrays.equals(bytes, from, from + name.length, name, 0, name.length)) {
                return parameter;
            }
        }
        return null;
    }
}
