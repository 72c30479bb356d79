// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
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

    private final Path path;
    private final FileChannel lockFile;
    private long nextNumber = 1;

    /** Makes the folder if need be and takes its lock; a second engine on it, in any process, is refused. */
    Directory(Path path) throws IOException {
        this.path = path;
        try {
            Files.createDirectories(path);
        } catch (FileAlreadyExistsException e) {
            throw new IOException("data directory " + path + " is a file", e);
        } catch (IOException e) {
            throw new IOException("data directory " + path + " can't be made: " + e, e);
        }
        if (!Files.isWritable(path)) {
            throw new IOException("data directory " + path + " is not writable");
        }
        lockFile = FileChannel.open(path.resolve("LOCK"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (!tryLock()) {
            lockFile.close();
            throw new IOException("data directory " + path + " is in use by another engine");
        }
    }

    private boolean tryLock() throws IOException {
        try {
            FileLock lock = lockFile.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
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
                } else if (UNFINISHED.matcher(name).matches()) {
                    Files.delete(file);
                }
            }
        }
        if (!byNumber.isEmpty()) {
            nextNumber = byNumber.lastKey() + 1;
        }
        List<Table> tables = new ArrayList<>();
        try {
            for (Path file : byNumber.descendingMap().values()) {
                tables.add(new Table(file));
            }
        } catch (IOException e) {
            tables.forEach(Table::close);
            throw e;
        }
        return tables;
    }

    /** Writes entries as the newest table. When it returns, the table survives a power cut; when it throws, nothing is left. */
    Table writeTable(Iterator<Entry> entries) throws IOException {
        Path table = path.resolve("%010d.table".formatted(nextNumber++));
        Path unfinished = path.resolve(table.getFileName() + ".tmp");
        try {
            TableWriter.write(unfinished, entries);
            Files.move(unfinished, table, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(unfinished);
            throw e;
        }
        sync();
        return new Table(table);
    }

    /** Makes renames durable. */
    private void sync() throws IOException {
        try (FileChannel folder = FileChannel.open(path, StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    @Override
    public void close() throws IOException {
        lockFile.close();
    }
}
