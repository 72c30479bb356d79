// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cli;

import java.util.Arrays;
import java.util.List;
import lsmlab.server.cluster.Sharding;
import lsmlab.server.config.ClusterConfig;
import lsmlab.server.config.ServingConfig;
import lsmlab.server.values.OptionText;
import lsmlab.server.workers.PoolWorkers;
import lsmlab.storage.options.Backpressure;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Pruning;
import lsmlab.storage.options.Reload;
import lsmlab.storage.options.Search;
import lsmlab.storage.options.Wal;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** The enumerations that options choose from. */
public final class Choices {
    private static final List<Class<? extends Enum<?>>> ALL = List.of(Pruning.class, Search.class, Wal.class, Backpressure.class, Reload.class,
            Compaction.class, ServingConfig.Kind.class, ServingConfig.StoreKind.class, PoolWorkers.Queue.class, Sharding.class,
            ClusterConfig.Proxy.class);

    private Choices() {}

    public static void register(CommandLine command) {
        for (Class<? extends Enum<?>> type : ALL) {
            register(command, type);
        }
    }

    private static <E extends Enum<?>> void register(CommandLine command, Class<E> type) {
        command.registerConverter(type, text -> Arrays.stream(type.getEnumConstants()).filter(choice -> OptionText.of(choice).equals(text)).findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + text + "' is none of "
                        + String.join(", ", Arrays.stream(type.getEnumConstants()).map(OptionText::of).toList()))));
    }
}
