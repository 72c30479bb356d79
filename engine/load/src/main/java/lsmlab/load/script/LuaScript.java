// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.script;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import lsmlab.load.count.RateSamples;
import lsmlab.load.count.Samples;
import lsmlab.load.plan.Addresses;
import party.iroiro.luajava.JFunction;
import party.iroiro.luajava.Lua;
import party.iroiro.luajava.LuaException;
import party.iroiro.luajava.luajit.LuaJit;

/**
 * One Lua state with wrk2's environment and, if there is one, the user's script. Each thread has its own, and the main thread one
 * more for setup() and done(); nothing is shared between them but what a script passes by thread:set and thread:get.
 *
 * <p>Not thread-safe. Errors of the script are {@link ScriptException}s that name its file and line.
 */
public final class LuaScript implements AutoCloseable {
    /** A mistake of the script, in words that name file and line. */
    public static final class ScriptException extends RuntimeException {
        ScriptException(String message) {
            super(message);
        }
    }

    private final Lua lua = new LuaJit();
    private final int next;

    /**
     * Runs the script's top level.
     *
     * @param url where the load goes: the default of wrk.scheme, host, port and path
     * @param script null for wrk2's static GET
     * @param headers added to every request that does not set its own
     * @param seed of math.random, which scripts then can't seed themselves; null: as Lua and the script will have it
     */
    public LuaScript(URI url, Path script, Map<String, String> headers, Long seed) throws IOException {
        lua.openLibraries();
        setGlobals(url, headers, seed);
        run("wrk.lua", resource("wrk.lua"));
        if (script != null) {
            try {
                run(script.getFileName().toString(), Files.readAllBytes(script));
            } catch (NoSuchFileException e) {
                throw new ScriptException("no such script: " + script);
            }
        }
        lua.getGlobal("wrk_next");
        next = lua.ref();
    }

    /** A script for one caller: set up as the only thread of a run, its first request thrown away as wrk2 does. */
    public static LuaScript alone(URI url, Path script, List<String> arguments) throws IOException {
        LuaScript lua = new LuaScript(url, script, Map.of(), null);
        lua.setup(lua, new Peer(url.getAuthority(), () -> {}));
        lua.init(url.toString(), arguments);
        lua.request(ByteBuffer.allocateDirect(4096));
        return lua;
    }

    private void setGlobals(URI url, Map<String, String> headers, Long seed) {
        String port = url.getPort() < 0 ? null : Integer.toString(url.getPort());
        lua.push(url.getScheme());
        lua.setGlobal("wrk_scheme");
        lua.push(url.getHost());
        lua.setGlobal("wrk_host");
        lua.push(port, Lua.Conversion.FULL);
        lua.setGlobal("wrk_port");
        String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        lua.push(url.getRawQuery() == null ? path : path + "?" + url.getRawQuery());
        lua.setGlobal("wrk_path");
        lua.newTable();
        headers.forEach(this::setField);
        lua.setGlobal("wrk_headers");
        lua.push(seed, Lua.Conversion.FULL);
        lua.setGlobal("wrk_seed");
        lua.push((JFunction) l -> {
            l.push(Addresses.lookup(l.toString(1), l.toString(2)), Lua.Conversion.FULL);
            return 1;
        });
        lua.setGlobal("wrk_lookup");
        lua.push((JFunction) l -> {
            l.push(Addresses.connect(Addresses.parse(l.toString(1))) == null);
            return 1;
        });
        lua.setGlobal("wrk_connect");
        lua.push((JFunction) l -> {
            Instant now = Instant.now();
            l.push(now.getEpochSecond() * 1_000_000 + now.getNano() / 1000);
            return 1;
        });
        lua.setGlobal("wrk_time_us");
    }

    private void setField(String name, String value) {
        lua.push(value);
        lua.setField(-2, name);
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = LuaScript.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        }
    }

    private void run(String name, byte[] source) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(source.length).put(source).flip();
        call(() -> {
            lua.load(buffer, "@" + name);
            lua.pCall(0, 0);
        });
    }

    private void call(Runnable code) {
        try {
            code.run();
        } catch (LuaException e) {
            throw new ScriptException(e.getMessage());
        }
    }

    private boolean has(String function) {
        boolean[] has = new boolean[1];
        call(() -> {
            lua.getGlobal("wrk_has");
            lua.push(function);
            lua.pCall(1, 1);
            has[0] = lua.toBoolean(-1);
            lua.pop(1);
        });
        return has[0];
    }

    /** Sets a field of the table wrk, which the script may have replaced. The value is on top of the stack. */
    private void setInWrk(String name) {
        call(() -> {
            lua.getGlobal("wrk_set");
            lua.insert(-2);
            lua.push(name);
            lua.pCall(2, 0);
        });
    }

    /** Whether every request is the same, so that it need be made only once. */
    public boolean isStatic() {
        return !has("request");
    }

    public boolean wantsResponses() {
        return has("response");
    }

    /** Calls init(args): args[0] is the URL, args[1] and on what stood after -- on the command line. */
    public void init(String url, List<String> args) {
        call(() -> {
            lua.getGlobal("wrk_init");
            lua.newTable();
            for (int i = 0; i <= args.size(); i++) {
                lua.push(i == 0 ? url : args.get(i - 1));
                lua.rawSetI(-2, i);
            }
            lua.pCall(1, 0);
        });
    }

    /**
     * Appends the next request to {@code out} and returns the buffer, which is a larger one when the request did not fit.
     * The buffer is direct, in write mode.
     */
    public ByteBuffer request(ByteBuffer out) {
        try {
            lua.refGet(next);
            lua.pCall(0, 1);
        } catch (LuaException e) {
            throw new ScriptException(e.getMessage());
        }
        ByteBuffer text = lua.toDirectBuffer(-1); // Lua's own memory: valid until the pop
        if (text == null) {
            throw new ScriptException("request() returned no string");
        }
        if (text.remaining() > out.remaining()) {
            out = ByteBuffer.allocateDirect(Integer.highestOneBit(out.position() + text.remaining()) * 2).put(out.flip());
        }
        out.put(text);
        lua.pop(1);
        return out;
    }

    public void response(int status, List<String> headers, String body) {
        call(() -> {
            lua.getGlobal("response");
            lua.push(status);
            lua.newTable();
            for (int i = 0; i < headers.size(); i += 2) {
                setField(headers.get(i), headers.get(i + 1));
            }
            lua.push(body);
            lua.pCall(3, 0);
        });
    }

    /** A thread as setup(thread) may see and change it. */
    public static final class Peer {
        private final Runnable stop;
        private String address;

        public Peer(String address, Runnable stop) {
            this.address = address;
            this.stop = stop;
        }

        /** Where its connections go: "ip:port". */
        public String address() {
            return address;
        }
    }

    /** The addresses that answered, as wrk.addrs; for the main state. */
    public void setAddresses(List<String> addresses) {
        lua.push(addresses, Lua.Conversion.FULL);
        setInWrk("addrs");
    }

    /** What the main state's setup(thread) does to a thread: reads and writes its globals and its address, or stops it. */
    public void setup(LuaScript thread, Peer peer) {
        thread.pushThread(thread, peer);
        thread.setInWrk("thread");
        if (has("setup")) {
            call(() -> {
                lua.getGlobal("setup");
                pushThread(thread, peer);
                lua.pCall(1, 0);
            });
        }
    }

    /** Leaves on this state's stack the object that stands for {@code thread}. */
    private void pushThread(LuaScript thread, Peer peer) {
        lua.getGlobal("wrk_thread");
        lua.push((JFunction) l -> {
            thread.lua.getGlobal(l.toString(1));
            l.push(thread.lua.toObject(-1), Lua.Conversion.FULL);
            thread.lua.pop(1);
            return 1;
        });
        lua.push((JFunction) l -> {
            thread.lua.push(l.toObject(2), Lua.Conversion.FULL);
            thread.lua.setGlobal(l.toString(1));
            return 0;
        });
        lua.push((JFunction) l -> {
            peer.stop.run();
            return 0;
        });
        lua.push((JFunction) l -> {
            if (l.isString(1)) {
                peer.address = Addresses.text(Addresses.parse(l.toString(1)));
            }
            l.push(peer.address);
            return 1;
        });
        lua.pCall(4, 1);
    }

    /** Calls done(summary, latency, requests) if the script has it. */
    public void done(Map<String, Object> summary, Samples latency, RateSamples rates) {
        if (!has("done")) {
            return;
        }
        call(() -> {
            lua.getGlobal("done");
            lua.push(summary, Lua.Conversion.FULL);
            pushStatistics(latency.count(), latency.min(), latency.max(), latency.mean(), latency.stdev(), l -> {
                l.push(latency.percentile(l.toNumber(1)));
                return 1;
            });
            pushStatistics(rates.count(), rates.min(), rates.max(), rates.mean(), rates.stdev(), l -> {
                l.push(rates.percentile(l.toNumber(1)));
                return 1;
            });
            lua.pCall(3, 0);
        });
    }

    private void pushStatistics(long count, double min, double max, double mean, double stdev, JFunction percentile) {
        lua.getGlobal("wrk_statistics");
        lua.push(count);
        lua.push(min);
        lua.push(max);
        lua.push(mean);
        lua.push(stdev);
        lua.push(percentile);
        lua.pCall(6, 1);
    }

    @Override
    public void close() {
        lua.close();
    }
}
