// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.entries.CorruptionException;

/**
 * A disk in memory that knows what a crash would leave of it, writes down what is asked of it, and can be told to fail from the n-th
 * change on.
 */
final class MemoryDisk implements Disk {
    /** What is left after a crash. */
    enum Crash {
        /** The process was killed: all that was written. */
        KILL,
        /** The power was cut: bytes and names that were synced. */
        POWER,
        /** The power was cut in the middle of writing: all names, and of the bytes that were not synced a part. */
        TORN
    }

    private static final class File {
        byte[] bytes = {};
        int synced;
    }

    private static final String NO_ROOM = "No space left on device";

    private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();
    private final List<String> trace = new ArrayList<>();
    private Map<String, File> names = new TreeMap<>();
    private Map<String, File> syncedNames = new TreeMap<>();
    private int changesLeft = Integer.MAX_VALUE;
    private boolean keepsAll;
    private long roomForTables = Long.MAX_VALUE;
    private String refusedName; // null: none

    /** The next n changes succeed, all later ones fail. */
    synchronized MemoryDisk failAfter(int n) {
        changesLeft = n;
        return this;
    }

    /** Makes deletions of files fail, and nothing else. */
    synchronized void keepAll(boolean keeps) {
        keepsAll = keeps;
    }

    /** Limits the bytes of all tables together; logs and the manifest always fit. */
    synchronized void setRoomForTables(long bytes) {
        roomForTables = bytes;
    }

    /** There is no room to rename a file so that its name ends like this; null: any name fits. */
    synchronized void refuseNames(String ending) {
        refusedName = ending;
    }

    synchronized boolean hasFailed() {
        return changesLeft == 0;
    }

    /** Creating files whose names end so waits for the latch. */
    synchronized void holdCreates(String ending, CountDownLatch latch) {
        held.put(ending, latch);
    }

    /** The changes so far, one line each. */
    synchronized List<String> trace() {
        return List.copyOf(trace);
    }

    private void change(String what) throws IOException {
        if (changesLeft == 0) {
            throw new IOException("the disk fails on purpose");
        }
        changesLeft--;
        trace.add(what);
    }

    /** A sound disk that holds what a crash leaves of this one. */
    synchronized MemoryDisk after(Crash crash, Random random) {
        MemoryDisk left = new MemoryDisk();
        (crash == Crash.POWER ? syncedNames : names).forEach((name, file) -> {
            int length = switch (crash) {
                case KILL -> file.bytes.length;
                case POWER -> file.synced;
                case TORN -> file.synced + random.nextInt(file.bytes.length - file.synced + 1);
            };
            File copy = new File();
            copy.bytes = Arrays.copyOf(file.bytes, length);
            copy.synced = length;
            left.names.put(name, copy);
        });
        left.syncedNames = new TreeMap<>(left.names);
        return left;
    }

    synchronized byte[] bytes(String name) {
        return names.get(name).bytes.clone();
    }

    synchronized void set(String name, byte[] bytes) {
        File file = new File();
        file.bytes = bytes.clone();
        file.synced = bytes.length;
        names.put(name, file);
    }

    @Override
    public Output create(String name) throws IOException {
        CountDownLatch latch = held.entrySet().stream().filter(entry -> name.endsWith(entry.getKey())).map(Map.Entry::getValue).findAny().orElse(null);
        if (latch != null) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
        return createNow(name);
    }

    private synchronized Output createNow(String name) throws IOException {
        if (names.containsKey(name)) {
            throw new IOException(name + " is there already");
        }
        change("create " + name);
        File file = new File();
        names.put(name, file);
        return new Output() {
            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                synchronized (MemoryDisk.this) {
                    if (name.contains(".table") && usableBytes() < length) {
                        throw new IOException(NO_ROOM);
                    }
                    change("write " + name);
                    int end = file.bytes.length;
                    file.bytes = Arrays.copyOf(file.bytes, end + length);
                    System.arraycopy(bytes, from, file.bytes, end, length);
                }
            }

            @Override
            public void sync() throws IOException {
                synchronized (MemoryDisk.this) {
                    change("sync " + name);
                    file.synced = file.bytes.length;
                }
            }

            @Override
            public void rollBack(long length) throws IOException {
                synchronized (MemoryDisk.this) {
                    change("roll back " + name);
                    file.bytes = Arrays.copyOf(file.bytes, (int) length);
                    file.synced = Math.min(file.synced, file.bytes.length);
                }
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public Output createLog(String name) throws IOException {
        return create(name);
    }

    @Override
    public synchronized MemorySegment map(String name, Arena arena) throws IOException {
        if (!names.containsKey(name)) {
            throw new CorruptionException(name, 0, "is missing");
        }
        byte[] bytes = names.get(name).bytes;
        MemorySegment map = arena.allocate(Math.max(1, bytes.length), 8).asSlice(0, bytes.length);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, map, 0, bytes.length);
        return map.asReadOnly();
    }

    @Override
    public synchronized Used mapUsed(String name, Arena arena) throws IOException {
        MemorySegment all = map(name, arena);
        long used = all.byteSize();
        while (used > 0 && all.get(ValueLayout.JAVA_BYTE, used - 1) == 0) {
            used--;
        }
        return new Used(all.asSlice(0, used), all.byteSize());
    }

    @Override
    public synchronized void sync(String name) throws IOException {
        change("sync " + name);
        File file = names.get(name);
        file.synced = file.bytes.length;
    }

    @Override
    public synchronized Set<String> list() {
        return new HashSet<>(names.keySet());
    }

    @Override
    public synchronized long length(String name) {
        return names.containsKey(name) ? names.get(name).bytes.length : -1;
    }

    @Override
    public synchronized long usableBytes() {
        return roomForTables - names.keySet().stream().filter(name -> name.contains(".table")).mapToLong(this::length).sum();
    }

    @Override
    public Set<String> folders() {
        return Set.of();
    }

    @Override
    public synchronized void rename(String from, String to) throws IOException {
        if (refusedName != null && to.endsWith(refusedName)) {
            throw new IOException(NO_ROOM);
        }
        change("rename " + from + " " + to);
        names.put(to, names.remove(from));
    }

    @Override
    public synchronized void truncate(String name, long length) throws IOException {
        change("truncate " + name);
        File file = names.get(name);
        file.bytes = Arrays.copyOf(file.bytes, (int) length);
        file.synced = file.bytes.length;
    }

    @Override
    public synchronized void deleteIfExists(String name) throws IOException {
        if (names.containsKey(name)) {
            if (keepsAll) {
                throw new IOException("files can't be deleted, on purpose");
            }
            change("delete " + name);
            names.remove(name);
        }
    }

    @Override
    public synchronized void syncNames() throws IOException {
        change("sync names");
        syncedNames = new TreeMap<>(names);
    }

    @Override
    public String path(String name) {
        return name;
    }

    @Override
    public void close() {}
}
