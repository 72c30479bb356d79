// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import lsmlab.storage.options.Options;
import lsmlab.storage.stats.Stats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventsTest {
    @Test
    void theFlightRecorderIsToldWhatTheEngineDoes(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("events.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            Options options = Options.defaults().withFlushThresholdBytes(2_000);
            try (Engine engine = Engine.open(directory.resolve("store"), options)) {
                for (int i = 0; i < 2_000; i++) {
                    engine.put(of("key" + i * 7_919 % 2_000), of("v".repeat(100)));
                }
                engine.compact();
                engine.put(of("key"), of("value")); // a second run: the first may have been made by other merges
                engine.compact();
                Stats stats = engine.stats();
                recording.stop();
                recording.dump(file);
                Map<String, List<RecordedEvent>> events = RecordingFile.readAllEvents(file).stream()
                        .filter(event -> event.getEventType().getName().startsWith("lsmlab."))
                        .collect(Collectors.groupingBy(event -> event.getEventType().getName()));
                assertEquals(stats.background().flushes(), events.get("lsmlab.Flush").size());
                assertEquals(stats.background().flushedBytes(), events.get("lsmlab.Flush").stream().mapToLong(e -> e.getLong("bytes")).sum());
                assertEquals(stats.background().compactions(), events.get("lsmlab.Compaction").size());
                assertTrue(events.get("lsmlab.Compaction").stream().anyMatch(e -> e.getString("because").equals("asked for")));
                assertEquals(stats.waits().stalls(), events.get("lsmlab.Stall").size());
                assertEquals(1, events.get("lsmlab.Recovery").size());
            }
        }
    }
}
