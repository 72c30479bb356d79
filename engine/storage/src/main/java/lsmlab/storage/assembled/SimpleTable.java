// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.assembled;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/** A file of records that is read from its beginning for each question. */
final class SimpleTable implements SortedTable {
    private final Path file;

    SimpleTable(Path file) {
        this.file = file;
    }

    static void write(Path file, Iterator<KeyValue> records) throws IOException {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            while (records.hasNext()) {
                Records.write(out, records.next());
            }
        }
    }

    @Override
    public KeyValue get(byte[] key) throws IOException {
        return all().stream().filter(each -> Arrays.equals(each.key(), key)).findFirst().orElse(null);
    }

    @Override
    public Iterator<KeyValue> ascending() throws IOException {
        return all().iterator();
    }

    private List<KeyValue> all() throws IOException {
        List<KeyValue> all = new ArrayList<>();
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(Files.readAllBytes(file)));
        while (in.available() > 0) {
            all.add(Records.read(in));
        }
        return all;
    }

    @Override
    public void close() {
        // nothing is open between two questions
    }
}
