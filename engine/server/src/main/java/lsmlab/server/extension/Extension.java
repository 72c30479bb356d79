// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.extension;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.function.ToIntBiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import lsmlab.server.cluster.Sharding;
import lsmlab.server.values.Require;
import lsmlab.storage.assembled.Parts;
import lsmlab.storage.options.Extensions;
import lsmlab.storage.options.MergePolicy;
import lsmlab.storage.options.TableFilter;
import lsmlab.storage.options.WriteThrottle;

/** A class from outside. Its type says which parts of the server it replaces. */
public final class Extension {
    public static final Extension NONE = new Extension(null, null);

    private final Class<?> type; // null: there is none
    private final Watch watch;

    private Extension(Class<?> type, Watch watch) {
        this.type = type;
        this.watch = watch;
    }

    /** @throws IllegalArgumentException if there is no such class, or it can't take any part's place */
    public static Extension load(String className, Path folder) {
        try {
            URL[] path = {folder.toUri().toURL()};
            Class<?> type = Class.forName(className, true, new URLClassLoader(path, Extension.class.getClassLoader()));
            Require.that(Stream.of(TableFilter.class, WriteThrottle.class, MergePolicy.class, BlockingQueue.class, ToIntBiFunction.class, Parts.class)
                    .anyMatch(part -> part.isAssignableFrom(type)), "--extension %s implements none of the types it could take the place of, see --help", className);
            return new Extension(type, new Watch(className));
        } catch (MalformedURLException | ReflectiveOperationException | LinkageError e) {
            throw new IllegalArgumentException("--extension %s can't be loaded from %s: %s".formatted(className, folder, e));
        }
    }

    private boolean isOf(Class<?> part) {
        return type != null && part.isAssignableFrom(type);
    }

    public Extensions storage() {
        return new Extensions(isOf(TableFilter.class) ? () -> watched(TableFilter.class) : null,
                isOf(WriteThrottle.class) ? watched(WriteThrottle.class) : null,
                isOf(MergePolicy.class) ? watched(MergePolicy.class) : null);
    }

    /** @param capacity requests that should have room */
    @SuppressWarnings("unchecked")
    public Optional<BlockingQueue<Runnable>> queue(int capacity) {
        return isOf(BlockingQueue.class)
                ? Optional.of((BlockingQueue<Runnable>) watch.over(BlockingQueue.class, watch.make(type, capacity)))
                : Optional.empty();
    }

    @SuppressWarnings("unchecked")
    public Optional<Sharding.Placement> placement(List<String> urls) {
        if (!isOf(ToIntBiFunction.class)) {
            return Optional.empty();
        }
        var owner = (ToIntBiFunction<String, List<String>>) watched(ToIntBiFunction.class);
        return Optional.of((id, _, count) -> {
            int first = owner.applyAsInt(new String(id, StandardCharsets.UTF_8), urls);
            Objects.checkIndex(first, urls.size());
            return IntStream.range(first, first + count).map(node -> node % urls.size()).toArray();
        });
    }

    /** Parts of a store that takes the engine's place; its calls are not watched, for a merge may take long. */
    public Optional<Parts> parts() {
        return isOf(Parts.class) ? Optional.of((Parts) watch.make(type)) : Optional.empty();
    }

    private <T> T watched(Class<T> part) {
        return watch.over(part, watch.make(type));
    }

    /** As {@code /v0/stats} shows it; nothing without one. */
    public Map<String, Object> inForce() {
        Map<String, Object> options = new LinkedHashMap<>();
        if (type != null) {
            options.put("extension", type.getName());
        }
        return options;
    }
}
