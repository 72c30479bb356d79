// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.script;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import lsmlab.load.plan.Addresses;
import lsmlab.load.plan.Settings;

/** The Lua states of one target: one a thread, and one for setup() and done(). Made before the clock starts, so that a slow init() costs no measured time. */
public final class Scripts implements AutoCloseable {
    private static final long SEED_STEP = 10_000;

    private final Settings settings;
    private final LuaScript main;
    private final List<LuaScript> ofThreads = new ArrayList<>();
    private final List<LuaScript.Peer> peers = new ArrayList<>();
    private final int pipelineDepth;

    /**
     * @param addresses of the target
     * @param stop asked for by a script to end a thread's load
     * @throws LuaScript.ScriptException for a script's mistake
     */
    public Scripts(Settings settings, List<InetSocketAddress> addresses, IntConsumer stop) throws IOException {
        this.settings = settings;
        main = newScript(0);
        try {
            main.setAddresses(addresses.stream().map(Addresses::text).toList());
            for (int i = 0; i < settings.threads(); i++) {
                int thread = i;
                ofThreads.add(newScript(i + 1));
                peers.add(new LuaScript.Peer(Addresses.text(addresses.getFirst()), () -> stop.accept(thread)));
                main.setup(ofThreads.get(i), peers.get(i));
                ofThreads.get(i).init(settings.url().toString(), settings.content().arguments());
            }
            // As wrk2 does: thread 0 makes one request that is not sent, to see how many a call of request() holds.
            pipelineDepth = Requests.count(ofThreads.getFirst().request(ByteBuffer.allocateDirect(4096)).flip());
        } catch (IOException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** @param number a seed gives each state a stream of its own */
    private LuaScript newScript(int number) throws IOException {
        Long seed = settings.content().seed() == null ? null : (long) settings.content().seed() * SEED_STEP + number;
        return new LuaScript(settings.url(), settings.content().script(), settings.content().headers(), seed);
    }

    /** The one for setup() and done(). */
    public LuaScript main() {
        return main;
    }

    public LuaScript of(int thread) {
        return ofThreads.get(thread);
    }

    /** Where a thread's load goes, which setup() may have changed. */
    public InetSocketAddress address(int thread) {
        return Addresses.parse(peers.get(thread).address());
    }

    /** Requests that a call of request() makes. */
    public int pipelineDepth() {
        return pipelineDepth;
    }

    /** Ends the states; done() needs those of the threads until then. */
    @Override
    public void close() {
        ofThreads.forEach(LuaScript::close);
        main.close();
    }
}
