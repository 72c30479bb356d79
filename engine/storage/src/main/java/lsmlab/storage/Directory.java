// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The store's folder: names, the lock, atomic publication. Files that are not the store's own are left alone.
 *
 * <p>A table is {@code 0000000042.table}; a higher number is newer. While it is written it is {@code 0000000042.table.tmp}.
 */
final class Directory implements AutoCloseable {
    private static final Pattern TABLE = Pattern.compile("(\\d{10})\\.table");
    private static final Pattern UNFINISHED = Pattern.compile("\\d{10}\\.table\\.tmp");

    /**
     * Folders open in this JVM. A file lock belongs to the whole process, and closing any channel of its file gives it up: so a second
     * engine of this process must be refused before it touches the file.
     */
    private static final Set<Path> OPEN_HERE = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final Path realPath;
    private final FileChannel lockFile;
    private long nextNumber = 1;

    /** Makes the folder if need be and takes its lock; a second engine on it, in any process, is refused. */
    Directory(Path path) throws IOException {
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

    /** Opens all tables, newest first, and removes what a killed process left half written. */
    List<Table> openTables() throws IOException {
        TreeMap<Long, Path> byNumber = new TreeMap<>();
        try (var files = Files.newDirectoryStream(path)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                Matcher table = TABLE.matcher(name);
                if (table.matches() && Files.isRegularFile(file)) {
                    byNumber.put(Long.parseLong(table.group(1)), file);
                } else if (UNFINISHED.matcher(name).matches() && Files.isRegularFile(file)) {
                    Files.delete(file);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        if (!byNumber.isEmpty()) {
            nextNumber = byNumber.lastKey() + 1;
        }
        List<Table> tables = new ArrayList<>();
        try {
            for (Path file : byNumber.descendingMap().values()) {
                tables.add(new Table(file));
            }
        } catch (IOException | RuntimeException | Error e) {
            tables.forEach(Table::close);
            throw e;
        }
        return tables;
    }

    /**
     * Writes entries as the newest table, which survives a power cut once this returns. What a failure leaves half written is removed
     * here or, if even that fails, at the next opening.
     */
    Table writeTable(Iterator<Entry> entries) throws IOException {
        Path table = path.resolve("%010d.table".formatted(nextNumber++));
        Path unfinished = path.resolve(table.getFileName() + ".tmp");
        try {
            TableWriter.write(unfinished, entries);
            Files.move(unfinished, table, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | RuntimeException | Error e) {
            try {
                Files.deleteIfExists(unfinished);
            } catch (IOException inVain) {
                e.addSuppressed(inVain);
            }
            throw e;
        }
        sync(path);
        return new Table(table);
    }

    /** Makes the names in a folder durable. */
    private static void sync(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            lockFile.close();
        } finally {
            OPEN_HERE.remove(realPath);
        }
    }
}
