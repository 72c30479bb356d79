// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import lsmlab.storage.entries.Entry;

/** Text for keys and values, so that tests read as prose. */
final class Bytes {
    private Bytes() {}

    static MemorySegment of(String text) {
        return MemorySegment.ofArray(utf8(text));
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(MemorySegment bytes) {
        return bytes == null ? null : new String(bytes.toArray(JAVA_BYTE), StandardCharsets.UTF_8);
    }

    /** "a=1 b=2". */
    static String text(Iterator<Entry> entries) {
        List<String> all = new ArrayList<>();
        entries.forEachRemaining(entry -> all.add(text(entry.key()) + "=" + text(entry.value())));
        return String.join(" ", all);
    }
}
