// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import lsmlab.server.values.ByteSize;
import lsmlab.storage.options.Backpressure;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.DeviceModel;
import lsmlab.storage.options.Extensions;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Pruning;
import lsmlab.storage.options.Reload;
import lsmlab.storage.options.Search;
import lsmlab.storage.options.Wal;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The engine's {@link Options} as flags; the names are the same in kebab case, first choice first. */
public final class StorageOptions {
    @Option(names = "--flush-threshold", paramLabel = "SIZE", defaultValue = "64MB",
            description = "size of the table at which the memtable is flushed (${DEFAULT-VALUE}); 1MB is 1048576 bytes")
    private ByteSize flushThreshold;

    @Option(names = "--pruning", paramLabel = "HOW", defaultValue = "bloom",
            description = "how a GET skips tables: bloom (key range and Bloom filter), map (from keys to runs, made while nothing is written), "
                    + "range (kept in memory), range-from-file (read at each look-up), none (${DEFAULT-VALUE})")
    private Pruning pruning;

    @Option(names = "--search", paramLabel = "HOW", defaultValue = "block-index",
            description = "how a GET searches a table: block-index, binary (over all entries) (${DEFAULT-VALUE})")
    private Search search;

    @Option(names = "--wal", paramLabel = "HOW", defaultValue = "os",
            description = "write-ahead log: os (a killed process loses nothing), sync (a power cut loses nothing), none (${DEFAULT-VALUE})")
    private Wal wal;

    @Option(names = "--backpressure", paramLabel = "HOW", defaultValue = "block",
            description = "what a PUT does when all memtables are full: block, fail (503), spin, slowdown (${DEFAULT-VALUE})")
    private Backpressure backpressure;

    @Option(names = "--flush-threads", paramLabel = "N", defaultValue = "1",
            description = "memtables written at the same time (${DEFAULT-VALUE})")
    private int flushThreads;

    @Option(names = "--max-frozen", paramLabel = "N", defaultValue = "1",
            description = "full memtables that may wait for their flush (${DEFAULT-VALUE})")
    private int maxFrozen;

    @Option(names = "--reload", paramLabel = "HOW", defaultValue = "incremental",
            description = "what a flush does to the open tables: incremental (nothing), full (opens them all again) (${DEFAULT-VALUE})")
    private Reload reload;

    @Option(names = "--compaction", paramLabel = "HOW", defaultValue = "tiered",
            description = "which runs are merged: tiered, leveled, none (${DEFAULT-VALUE})")
    private Compaction compaction;

    @Option(names = "--compaction-rate", paramLabel = "SIZE", defaultValue = "0",
            description = "bytes a second that merges read, faster when writes would soon have to wait for them; 0: no limit (${DEFAULT-VALUE})")
    private ByteSize compactionRate;

    @Option(names = "--device", paramLabel = "MODEL", defaultValue = "none", converter = DeviceConverter.class,
            description = "a modelled disk, as seek=8ms,rate=100MB,cache=256MB,sync=0ms,free=0,seed=1 (rate in bytes a second; sync: of the log, with --wal sync; the first transfers cost nothing, free pages of them), or none (${DEFAULT-VALUE})")
    private Device device;

    /** A model, or none. */
    record Device(DeviceModel model, String text) {}

    public Options options() {
        return new Options(flushThreshold.bytes(), pruning, search, wal, backpressure, flushThreads, maxFrozen, reload, compaction, compactionRate.bytes(),
                device.model(), Extensions.NONE);
    }

    /** The modelled device as it was written. */
    public String device() {
        return device.text();
    }

    private static final class DeviceConverter implements ITypeConverter<Device> {
        @Override
        public Device convert(String text) throws Exception {
            if (text.equals("none")) {
                return new Device(null, text);
            }
            try {
                return new Device(model(parts(text)), text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + text + "' is not a device like seek=8ms,rate=100MB,cache=256MB,seed=1: " + e.getMessage());
            }
        }

        private static Map<String, String> parts(String text) {
            Map<String, String> parts = new LinkedHashMap<>();
            for (String part : text.split(",")) {
                int equals = part.indexOf('=');
                if (equals < 0 || !List.of("seek", "rate", "cache", "sync", "free", "seed").contains(part.substring(0, equals))) {
                    throw new IllegalArgumentException("'" + part + "' is none of its parts");
                }
                parts.put(part.substring(0, equals), part.substring(equals + 1));
            }
            if (!parts.keySet().containsAll(List.of("seek", "rate", "cache"))) {
                throw new IllegalArgumentException("it needs seek, rate and cache");
            }
            return parts;
        }

        private static DeviceModel model(Map<String, String> parts) throws Exception {
            ITypeConverter<ByteSize> size = new ByteSize.Converter();
            return new DeviceModel(micros(parts.get("seek")), size.convert(parts.get("rate")).bytes(),
                    size.convert(parts.get("cache")).bytes(), Long.parseLong(parts.getOrDefault("free", "0")), micros(parts.getOrDefault("sync", "0ms")),
                    Long.parseLong(parts.getOrDefault("seed", "1")));
        }

        private static long micros(String time) {
            int unit = time.endsWith("us") ? 1 : time.endsWith("ms") ? 1_000 : 0;
            if (unit == 0) {
                throw new IllegalArgumentException("a time needs its unit");
            }
            return Long.parseLong(time.substring(0, time.length() - 2)) * unit;
        }
    }
}
