// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import lsmlab.lab.environment.Project;
import lsmlab.lab.environment.Text;
import lsmlab.lab.environment.Workspace;
import lsmlab.lab.notebook.Progress;
import lsmlab.lab.notebook.Turn;
import lsmlab.load.script.LuaScript;
import lsmlab.load.script.Requests;
import lsmlab.load.send.ResponseParser;
import lsmlab.storage.Engine;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Wal;

/**
 * Replaces what a store holds by what a put script makes, by the same Lua code that loads it. A filled store is kept under
 * {@code .lab/stores}; its tables are immutable, so another server gets them as hard links.
 */
final class Fill {
    private static final int MAX_RECORDS_OVER_HTTP = 100_000;
    private static final int PIPELINED = 128;
    /** Options of servers whose stores are not kept. */
    private static final Set<String> NOT_KEPT = Set.of("store", "cluster", "extension");
    /** A flush mostly waits for the disk. */
    private static final int FLUSH_THREADS = 8;

    private final ServerProcess server;
    private final int records;
    private final Path script;
    private final List<String> arguments;
    private final int maxRecordsOverHttp;
    private final String what; // filling, in words

    static Fill of(ServerProcess server, int records, String script, Object... arguments) {
        if (records < 1) {
            throw new IllegalArgumentException("a fill of %d records; it takes 1 or more".formatted(records));
        }
        return new Fill(server, records, script, Arrays.stream(arguments).map(Object::toString).toList(), MAX_RECORDS_OVER_HTTP);
    }

    Fill(ServerProcess server, int records, String script, List<String> arguments, int maxRecordsOverHttp) {
        this.server = server;
        this.records = records;
        this.script = Project.script(script);
        this.arguments = arguments;
        this.maxRecordsOverHttp = maxRecordsOverHttp;
        this.what = "fill %s with %s records".formatted(server.label(), Text.count(records));
    }

    /** Starts a server on a store that holds them. */
    void start() {
        Path kept = kept();
        if (isThere(kept)) {
            startOn(kept);
        } else {
            server.start();
            make(kept);
        }
    }

    /** The same for one that runs, which is restarted. */
    void run() {
        Path kept = kept();
        if (isThere(kept)) {
            stopAndEmpty();
            startOn(kept);
        } else {
            make(kept);
        }
    }

    private static boolean isThere(Path kept) {
        return kept != null && Files.isDirectory(kept);
    }

    private void stopAndEmpty() {
        server.end();
        Workspace.delete(server.data());
    }

    private void startOn(Path kept) {
        Progress progress = new Progress(what);
        try {
            link(kept, server.data());
        } catch (IOException e) {
            throw failed(what, e);
        }
        server.start();
        progress.done("kept from an earlier run, " + server.shape());
    }

    private void make(Path kept) {
        try (var _ = Turn.take(what)) {
            makeAlone(kept);
        }
    }

    private void makeAlone(Path kept) {
        Progress progress = new Progress(what);
        JsonNode before = server.stats();
        if (before.at("/engine/tables").asInt() > 0 || before.at("/engine/memtableBytes").asLong() > 0) {
            stopAndEmpty();
            server.start();
        }
        try {
            if (records <= maxRecordsOverHttp) {
                overHttp(progress);
                server.end();
            } else {
                server.end();
                intoStore(before.get("options"), progress);
            }
            if (kept != null) {
                forgetOthers(kept.getParent());
                keep(kept);
            }
        } catch (IOException e) {
            throw failed(what, e);
        }
        server.start();
        progress.done(server.shape());
    }

    private static UncheckedIOException failed(String what, IOException e) {
        return new UncheckedIOException(what + ": " + e.getMessage(), e);
    }

    /** Only sends the records: what is there stays, and nothing is kept. */
    void throughServer() {
        String writing = "write %s records through %s".formatted(Text.count(records), server.label());
        Progress progress = new Progress(writing);
        try {
            overHttp(progress);
            progress.done("written");
        } catch (IOException e) {
            throw failed(writing, e);
        }
    }

    private void keep(Path kept) throws IOException {
        Path unfinished = Workspace.newFolder("kept");
        Workspace.delete(unfinished); // what a fill that failed here has left
        link(server.data(), unfinished);
        try {
            Files.move(unfinished, kept, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            Workspace.delete(unfinished); // another notebook was faster, with the same
        }
    }

    /** Removes the kept store, so that the next fill like this one is made anew. */
    void forget() {
        Path kept = kept();
        if (isThere(kept)) {
            Workspace.delete(kept);
        }
    }

    /**
     * Where the store is kept: by the engine that wrote it, and by everything that decides what its tables hold; null for a server with
     * a store, a cluster or an extension of its own, whose tables would not suit another server.
     */
    private Path kept() {
        if (!Collections.disjoint(server.options().keySet(), NOT_KEPT)) {
            return null;
        }
        try {
            Path ofThisEngine = Project.scratch("stores").resolve(hash(Files.readAllBytes(ServerProcess.jar())));
            Files.createDirectories(ofThisEngine);
            String options = "%d %s %s %s".formatted(records, server.options().get("flush-threshold"), server.options().get("compaction"), arguments);
            return ofThisEngine.resolve(hash(Files.readAllBytes(script), options.getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What other builds of the engine have kept is of no use any more. */
    private static void forgetOthers(Path ofThisEngine) throws IOException {
        try (var engines = Files.newDirectoryStream(ofThisEngine.getParent())) {
            for (Path other : engines) {
                if (!other.equals(ofThisEngine)) {
                    Workspace.delete(other);
                }
            }
        }
    }

    private static String hash(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (byte[] part : parts) {
                digest.update(part);
            }
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The tables of a store that is closed become those of another one. */
    static void link(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (var tables = Files.newDirectoryStream(from, "{*.table,MANIFEST}")) {
            for (Path table : tables) {
                linkOrCopy(table, to.resolve(table.getFileName()));
            }
        }
    }

    private static void linkOrCopy(Path from, Path to) throws IOException {
        try {
            Files.createLink(to, from);
        } catch (UnsupportedOperationException | FileSystemException e) {
            Files.copy(from, to);
        }
    }

    /** @throws IllegalArgumentException with one line for the cell, if the script can't run */
    private LuaScript newScript() throws IOException {
        try {
            return LuaScript.alone(URI.create(server.url()), script, arguments);
        } catch (LuaScript.ScriptException e) {
            throw new IllegalArgumentException("fill needs a script that puts, as put-sequential.lua, and what it asks for: .fill(%d, \"%s\", ...). It says: %s"
                    .formatted(records, script.getFileName(), e.getMessage()));
        }
    }

    private void overHttp(Progress progress) throws IOException {
        URI url = URI.create(server.url());
        try (LuaScript lua = newScript(); SocketChannel socket = SocketChannel.open(new InetSocketAddress(url.getHost(), url.getPort()))) {
            ResponseParser parser = new ResponseParser(true);
            ByteBuffer out = ByteBuffer.allocateDirect(256 << 10);
            ByteBuffer in = ByteBuffer.allocateDirect(64 << 10).limit(0);
            for (int done = 0; done < records;) {
                int batch = Math.min(PIPELINED, records - done);
                out.clear();
                for (int i = 0; i < batch; i++) {
                    out = lua.request(out);
                }
                out.flip();
                while (out.hasRemaining()) {
                    socket.write(out);
                }
                for (int i = 0; i < batch; i++) {
                    in = awaitCreated(socket, parser, in);
                }
                done += batch;
                progress.update((double) done / records, Text.count(done));
            }
        }
    }

    private static ByteBuffer awaitCreated(SocketChannel socket, ResponseParser parser, ByteBuffer in) throws IOException {
        while (!parser.parse(in)) {
            in.clear();
            if (socket.read(in) < 0) {
                throw new IOException("the server closed the connection");
            }
            in.flip();
        }
        if (parser.status() != 201) {
            throw new IOException("the server answered %d: %s".formatted(parser.status(), parser.body()));
        }
        return in;
    }

    private void intoStore(JsonNode serverOptions, Progress progress) throws IOException {
        Options options = Options.defaults().withWal(Wal.NONE).withFlushThresholdBytes(serverOptions.get("flushThresholdBytes").asLong())
                .withFlushThreads(FLUSH_THREADS).withMaxFrozen(FLUSH_THREADS)
                .withCompaction(Compaction.valueOf(serverOptions.get("compaction").asText().toUpperCase(Locale.ROOT)));
        try (LuaScript lua = newScript(); Engine engine = Engine.open(server.data(), options)) {
            ByteBuffer out = ByteBuffer.allocateDirect(256 << 10);
            for (int done = 0; done < records; done++) {
                out = lua.request(out.clear());
                Requests.Request request = Requests.next(out.flip());
                if (request == null || !request.method().equals("PUT")) {
                    throw new IOException(script.getFileName() + " made a request that is no PUT");
                }
                String id = request.path().substring(request.path().indexOf("id=") + 3);
                byte[] key = URLDecoder.decode(id, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
                engine.put(MemorySegment.ofArray(key), MemorySegment.ofArray(request.body()));
                progress.update((double) done / records, Text.count(done));
            }
        }
    }
}
