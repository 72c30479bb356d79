// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.disk;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import lsmlab.storage.entries.CorruptionException;
import lsmlab.storage.system.BackgroundThreads;
import lsmlab.storage.system.Threads;

/** A folder of the file system, locked against every other engine. */
public final class FileDisk implements Disk {
    /**
     * Folders open in this JVM. A file lock belongs to the whole process, and closing any channel of its file gives it up: so a second
     * engine of this process must be refused before it touches the file.
     */
    private static final Set<Path> OPEN_HERE = ConcurrentHashMap.newKeySet();

    private static final int PIECE_BYTES = 1 << 20;
    private static final FileAttribute<?>[] NO_ATTRIBUTES = {};
    /** Other users may not read what is stored. */
    private static final FileAttribute<?>[] PRIVATE_FILE = attributes("rw-------");
    private static final FileAttribute<?>[] PRIVATE_FOLDER = attributes("rwx------");

    private final Path path;
    private final Path realPath;
    private final FileChannel lockFile;
    private FileChannel folder; // GUARDED BY this; open all the time, so that no want of descriptors can come between a name and its durability
    /** Takes space for logs. Not one of the {@link BackgroundThreads}: writers wait when it is late. */
    private final ThreadPoolExecutor helper = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
            Thread.ofPlatform().name("log space").daemon().factory());

    /** Makes the folder if need be and takes its lock; a second engine on it, in any process, is refused. */
    public FileDisk(Path path) throws IOException {
        this.path = path;
        make(path.toAbsolutePath());
        realPath = path.toRealPath();
        if (!OPEN_HERE.add(realPath)) {
            throw inUse(path);
        }
        FileChannel locked = null;
        try {
            locked = lock(path.resolve("LOCK"));
            folder = FileChannel.open(path, StandardOpenOption.READ);
            helper.prestartAllCoreThreads(); // now, not when threads are short and a writer waits
        } catch (IOException | RuntimeException | Error e) {
            release(locked);
            throw e;
        }
        lockFile = locked;
    }

    private FileChannel lock(Path file) throws IOException {
        FileChannel channel;
        try {
            channel = FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), PRIVATE_FILE);
        } catch (IOException e) {
            throw new IOException("data directory " + path + " is not writable: " + e, e);
        }
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
            channel.close();
        } catch (OverlappingFileLockException e) { // another class loader's engine in this JVM, which has a list of open folders of its own
            channel.close();
        }
        throw inUse(path);
    }

    private static FileAttribute<?>[] attributes(String permissions) {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        return posix ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))} : NO_ATTRIBUTES;
    }

    private static IOException inUse(Path path) {
        return new IOException("data directory " + path + " is in use by another engine");
    }

    /** Makes the folder and those above it, and their names durable. */
    private static void make(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            return;
        }
        if (Files.exists(path)) {
            throw new IOException("data directory " + path + " is a file");
        }
        make(path.getParent());
        try {
            Files.createDirectory(path, PRIVATE_FOLDER);
        } catch (IOException e) {
            throw new IOException("data directory " + path + " can't be made: " + e, e);
        }
        sync(path.getParent());
    }

    /** WHY no channel: it is closed under the engine when a thread that writes is interrupted. */
    @Override
    public Output create(String name) throws IOException {
        RandomAccessFile file = createFile(name);
        return new Output() {
            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                file.write(bytes, from, length);
            }

            @Override
            public void sync() throws IOException {
                file.getFD().sync();
            }

            @Override
            public void rollBack(long length) throws IOException {
                file.setLength(length);
                file.seek(length);
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    @Override
    public Output createLasting(String name) throws IOException {
        return new AlignedOutput(Files.createFile(path.resolve(name), PRIVATE_FILE));
    }

    @Override
    public Output createLog(String name) throws IOException {
        return new MappedOutput(path.resolve(name), createFile(name), helper);
    }

    private RandomAccessFile createFile(String name) throws IOException {
        Path file = Files.createFile(path.resolve(name), PRIVATE_FILE);
        return new RandomAccessFile(file.toFile(), "rw");
    }

    @Override
    public MemorySegment map(String name, Arena arena) throws IOException {
        return reading(name, channel -> channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena));
    }

    @Override
    public Used mapUsed(String name, Arena arena) throws IOException {
        return reading(name, channel -> {
            long length = channel.size();
            return new Used(channel.map(FileChannel.MapMode.READ_ONLY, 0, usedLength(channel, length), arena), length);
        });
    }

    private interface Reading<T> {
        T of(FileChannel channel) throws IOException;
    }

    private <T> T reading(String name, Reading<T> reading) throws IOException {
        Path file = path.resolve(name);
        if (!Files.isRegularFile(file)) {
            throw new CorruptionException(file.toString(), 0, Files.exists(file) ? "is no file" : "is missing");
        }
        return Threads.uninterrupted(() -> {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                return reading.of(channel);
            }
        });
    }

    /** Up to the last byte that is not zero, looked for from the end and by reading. */
    private static long usedLength(FileChannel channel, long length) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, length));
        for (long end = length; end > 0; end -= piece.limit()) {
            piece.clear().limit((int) Math.min(piece.capacity(), end));
            long from = end - piece.limit();
            while (piece.hasRemaining() && channel.read(piece, from + piece.position()) >= 0) {
                // a read may bring less
            }
            for (int i = piece.position() - 1; i >= 0; i--) {
                if (piece.get(i) != 0) {
                    return from + i + 1;
                }
            }
        }
        return 0;
    }

    @Override
    public long length(String name) {
        File file = path.resolve(name).toFile();
        return file.isFile() ? file.length() : -1;
    }

    @Override
    public long usableBytes() {
        return path.toFile().getUsableSpace();
    }

    @Override
    public Set<String> list() throws IOException {
        return list(Files::isRegularFile);
    }

    @Override
    public Set<String> folders() throws IOException {
        return list(Files::isDirectory);
    }

    private Set<String> list(Predicate<Path> kind) throws IOException {
        Set<String> names = new HashSet<>();
        try (var files = Files.newDirectoryStream(path)) {
            for (Path file : files) {
                if (kind.test(file)) {
                    names.add(file.getFileName().toString());
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(path.resolve(from), path.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void truncate(String name, long length) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.resolve(name).toFile(), "rw")) {
            file.setLength(length);
            file.getFD().sync();
        }
    }

    @Override
    public void deleteIfExists(String name) throws IOException {
        Files.deleteIfExists(path.resolve(name));
    }

    @Override
    public synchronized void syncNames() throws IOException {
        Threads.uninterrupted(() -> {
            if (!folder.isOpen()) { // a thread was interrupted in here
                folder = FileChannel.open(path, StandardOpenOption.READ);
            }
            folder.force(true);
            return null;
        });
    }

    @Override
    public void sync(String name) throws IOException {
        sync(path.resolve(name));
    }

    private static void sync(Path file) throws IOException {
        Threads.uninterrupted(() -> {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                channel.force(true);
                return null;
            }
        });
    }

    @Override
    public String path(String name) {
        return path.resolve(name).toString();
    }

    @Override
    public void close() throws IOException {
        helper.shutdown();
        Threads.awaitEnd(helper);
        release(lockFile);
    }

    private void release(FileChannel lock) throws IOException {
        try (FileChannel _ = lock; FileChannel _ = folder) {
            helper.shutdown();
        } finally {
            OPEN_HERE.remove(realPath);
        }
    }
}
