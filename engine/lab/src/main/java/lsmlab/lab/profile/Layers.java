// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.profile;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The layers of a server that a stack may belong to, in the order they are asked: the first whose pattern the stack has gets it. */
public final class Layers {
    /** The layer of stacks that no pattern fits. */
    private static final String OTHER = "other";
    private static final Map<String, Pattern> PATTERNS = patterns();

    private Layers() {}

    private static Map<String, Pattern> patterns() {
        Map<String, Pattern> patterns = new LinkedHashMap<>();
        patterns.put("JIT compiler", Pattern.compile("CompileBroker::|C2Compiler|Compiler::compile_method"));
        patterns.put("garbage collector", Pattern.compile("G1|GangWorker|WorkerThread::run|SerialHeap|VM_\\w*Collect"));
        patterns.put("JVM's own thread", Pattern.compile("VMThread::"));
        patterns.put("flush", Pattern.compile("lsmlab/storage/Flusher\\."));
        patterns.put("compaction", Pattern.compile("lsmlab/storage/Compactor\\."));
        patterns.put("socket write", Pattern.compile("one/nio/net/NativeSocket\\.(write|send)|NativeSocket_write|sun/nio/ch/[^;]*[wW]rite"));
        patterns.put("socket read", Pattern.compile("one/nio/net/NativeSocket\\.read|NativeSocket_read|sun/nio/ch/[^;]*\\.(implR|r)ead"));
        patterns.put("waiting for sockets", Pattern.compile("one/nio/net/NativeSelector|epoll"));
        patterns.put("asking other nodes", Pattern.compile("jdk/internal/net/http|java/net/http|lsmlab/server/(\\w+/)*\\w*Peers|one/nio/http/HttpClient"));
        patterns.put("storage engine", Pattern.compile("lsmlab/storage/"));
        patterns.put("HTTP", Pattern.compile("one/nio/|lsmlab/server/"));
        return patterns;
    }

    /** What the stacks of each layer have, in the order in which they are asked. */
    public static Map<String, Pattern> all() {
        return Collections.unmodifiableMap(PATTERNS);
    }

    static String of(Samples.Stack stack) {
        String text = stack.text();
        return PATTERNS.entrySet().stream().filter(layer -> layer.getValue().matcher(text).find()).map(Map.Entry::getKey).findFirst().orElse(OTHER);
    }

    /** Place of a layer in their order, as charts show them; "other" is the last. */
    public static int number(String layer) {
        int number = List.copyOf(PATTERNS.keySet()).indexOf(layer);
        return number < 0 ? PATTERNS.size() : number;
    }
}
