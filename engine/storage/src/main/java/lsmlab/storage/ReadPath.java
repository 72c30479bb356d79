// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import lsmlab.storage.entries.ValueReader;
import lsmlab.storage.keys.Lookup;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Pruning;
import lsmlab.storage.options.Search;
import lsmlab.storage.tree.Reader;
import lsmlab.storage.tree.Versions;

/** From a key to its value: a look-up in the tree as it is, between borrowing a {@link Reader} and giving it back. */
final class ReadPath {
    private static final int MOST_SHOWN_BYTES = 64;
    /** Keys of {@link #getAll} that are searched at once: enough for a processor, which can wait for some ten or twenty lines of its cache. */
    private static final int MOST_TOGETHER = 32;

    /** On the heap, where nothing that happens to the store can reach it. */
    static final ValueReader<Void, MemorySegment> COPY = (_, source, at, length) -> {
        MemorySegment copy = MemorySegment.ofArray(new byte[length]);
        MemorySegment.copy(source, at, copy, 0, length);
        return copy;
    };

    private final Versions versions;
    private final boolean askEveryTable;
    private final boolean stepByStep; // the keys of getAll are searched together

    ReadPath(Options options, Versions versions) {
        this.versions = versions;
        askEveryTable = options.pruning() == Pruning.NONE || options.pruning() == Pruning.RANGE_FROM_FILE || options.extensions().filters() != null;
        stepByStep = !askEveryTable && options.search() == Search.BLOCK_INDEX && options.device() == null; // a device is asked as by gets
    }

    <C, R> R get(MemorySegment key, C context, ValueReader<C, R> reader) {
        Reader hold = versions.borrow();
        try {
            Lookup lookup = hold.lookup.of(key);
            find(lookup);
            lookup.counters.gets++;
            return lookup.isFound() ? lookup.read(context, reader) : null;
        } catch (InternalError e) {
            throw versions.fault(e);
        } finally {
            hold.giveBack();
        }
    }

    /** If a table can't be read, it may be one that was only asked for ahead, and a newer one has the answer. */
    private void find(Lookup lookup) {
        try {
            versions.tree().find(lookup, askEveryTable);
        } catch (InternalError e) {
            lookup.again();
            versions.tree().find(lookup, askEveryTable);
        }
    }

    <C, R> List<R> getAll(List<MemorySegment> keys, C context, ValueReader<C, R> reader) {
        List<R> values = new ArrayList<>(keys.size());
        for (int at = 0; at < keys.size(); at += MOST_TOGETHER) {
            getGroup(keys.subList(at, Math.min(keys.size(), at + MOST_TOGETHER)), context, reader, values);
        }
        return values;
    }

    private <C, R> void getGroup(List<MemorySegment> keys, C context, ValueReader<C, R> reader, List<R> values) {
        Reader hold = versions.borrow();
        Lookup[] lookups = {};
        try {
            lookups = hold.group(keys.size());
            for (int i = 0; i < lookups.length; i++) {
                lookups[i].of(keys.get(i));
            }
            if (stepByStep) {
                versions.tree().findAll(lookups);
            } else {
                for (Lookup lookup : lookups) {
                    find(lookup);
                }
            }
            for (Lookup lookup : lookups) {
                lookup.counters.gets++;
                values.add(lookup.isFound() ? lookup.read(context, reader) : null);
            }
        } catch (InternalError e) {
            throw versions.fault(e);
        } finally {
            for (Lookup lookup : lookups) {
                lookup.forget();
            }
            hold.giveBack();
        }
    }

    List<String> explain(MemorySegment key) {
        List<String> steps = new ArrayList<>();
        Reader hold = versions.borrow();
        try {
            Lookup lookup = new Lookup().of(key).explainedBy(steps);
            find(lookup);
            steps.add(lookup.isFound() ? "=> " + described(lookup.read(null, COPY)) : "=> no value");
        } catch (InternalError e) {
            throw versions.fault(e);
        } finally {
            hold.giveBack();
        }
        return steps;
    }

    /** The length, and the value itself where it is a short text. */
    private static String described(MemorySegment value) {
        String length = value.byteSize() == 1 ? "1 byte" : value.byteSize() + " bytes";
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(value.asByteBuffer()).toString();
            return value.byteSize() > MOST_SHOWN_BYTES || text.chars().anyMatch(Character::isISOControl) ? length : "%s: \"%s\"".formatted(length, text);
        } catch (CharacterCodingException e) {
            return length; // no text
        }
    }
}
