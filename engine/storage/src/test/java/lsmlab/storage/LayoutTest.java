// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import lsmlab.storage.options.Options;
import lsmlab.storage.stats.Layout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LayoutTest {
    @Test
    void itIsThatOfMemtablesAndRuns(@TempDir Path directory) throws IOException {
        try (Engine engine = Engine.open(directory, Options.defaults())) {
            engine.put(new byte[] {1}, new byte[10]);
            engine.flush();
            engine.put(new byte[] {2}, new byte[10]);
            Layout layout = engine.layout();
            assertTrue(layout.activeBytes() > 0);
            assertEquals(List.of(), layout.frozenBytes());
            assertEquals(1, layout.runs().size());
            assertEquals(new Layout.Run(0, layout.runs().getFirst().id(), 1, engine.stats().held().tableBytes()), layout.runs().getFirst());
        }
    }
}
