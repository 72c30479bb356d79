// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A folder of the file system, locked against every other engine. */
final class FileDisk implements Disk {
    /**
     * Folders open in this JVM. A file lock belongs to the whole process, and closing any channel of its file gives it up: so a second
     * engine of this process must be refused before it touches the file.
     */
    private static final Set<Path> OPEN_HERE = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final Path realPath;
    private final FileChannel lockFile;
    /** Takes space for logs. Not one of the {@link BackgroundThreads}: writers wait when it is late. */
    private final ExecutorService helper = Executors.newSingleThreadExecutor(Thread.ofPlatform().name("log space").daemon().factory());

    /** Makes the folder if need be and takes its lock; a second engine on it, in any process, is refused. */
    FileDisk(Path path) throws IOException {
        this.path = path;
        make(path.toAbsolutePath());
        realPath = path.toRealPath();
        if (!OPEN_HERE.add(realPath)) {
            throw inUse(path);
        }
        try {
            lockFile = FileChannel.open(path.resolve("LOCK"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            OPEN_HERE.remove(realPath);
            throw new IOException("data directory " + path + " is not writable: " + e, e);
        }
        try {
            if (lockFile.tryLock() == null) {
                throw inUse(path);
            }
        } catch (IOException e) {
            close();
            throw e;
        }
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
            Files.createDirectory(path);
        } catch (IOException e) {
            throw new IOException("data directory " + path + " can't be made: " + e, e);
        }
        sync(path.getParent());
    }

    /** WHY a stream: a channel is closed under the engine when a thread that writes is interrupted. */
    @Override
    public Output create(String name) throws IOException {
        refuseExisting(name);
        FileOutputStream file = new FileOutputStream(path.resolve(name).toFile());
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
            public void close() throws IOException {
                file.close();
            }
        };
    }

    @Override
    public Output createLog(String name) throws IOException {
        refuseExisting(name);
        return new MappedOutput(path.resolve(name), helper);
    }

    private void refuseExisting(String name) throws IOException {
        if (Files.exists(path.resolve(name))) {
            throw new FileAlreadyExistsException(path(name));
        }
    }

    @Override
    public MemorySegment map(String name, Arena arena) throws IOException {
        return Threads.uninterrupted(() -> {
            try (FileChannel channel = FileChannel.open(path.resolve(name), StandardOpenOption.READ)) {
                return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            }
        });
    }

    @Override
    public Set<String> list() throws IOException {
        Set<String> names = new HashSet<>();
        try (var files = Files.newDirectoryStream(path)) {
            for (Path file : files) {
                if (Files.isRegularFile(file)) {
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
    public void syncNames() throws IOException {
        sync(path);
    }

    private static void sync(Path folder) throws IOException {
        Threads.uninterrupted(() -> {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
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
        try {
            lockFile.close();
        } finally {
            OPEN_HERE.remove(realPath);
        }
    }
}
