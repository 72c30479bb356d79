// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.assembled;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Records one after another, without anything that would show damage: a file that was cut off can't be replayed. */
final class SimpleLog implements Log {
    private final Path file;
    private DataOutputStream out;

    SimpleLog(Path file) throws IOException {
        this.file = file;
        out = new DataOutputStream(Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    @Override
    public void append(KeyValue written) throws IOException {
        Records.write(out, written);
    }

    @Override
    public List<KeyValue> replay() throws IOException {
        List<KeyValue> all = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            while (in.available() > 0) {
                all.add(Records.read(in));
            }
        }
        return all;
    }

    @Override
    public void clear() throws IOException {
        out.close();
        out = new DataOutputStream(Files.newOutputStream(file));
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
