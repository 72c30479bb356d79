// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/** Processor time of a server by what it did, from the JDK's own recording of samples (JEP 509); the compiler's and the collector's threads are not in it. */
final class Layers {
    private static final Pattern READING = Pattern.compile("lsmlab\\.server\\.wire\\.(Request(Reader|Head|Body)|Digits|HttpGrammar)\\b");

    /** With these a JVM knows where in its code a sample was taken. */
    static final List<String> FLAGS = List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints");

    private Layers() {}

    /** Begins a recording, which is written when the JVM ends. */
    static void record(ProcessHandle jvm, Path file) throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process process = new ProcessBuilder(jcmd.toString(), Long.toString(jvm.pid()), "JFR.start", "settings=none", "+jdk.CPUTimeSample#enabled=true",
                "+jdk.CPUTimeSample#throttle=2ms", "dumponexit=true", "filename=" + file).redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        if (process.waitFor() != 0) {
            throw new IOException("jcmd began no recording of process " + jvm.pid());
        }
    }

    /** Shares of all samples, largest first. */
    static Map<String, Double> of(Path file) throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        int all = 0;
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                if (event.getEventType().getName().equals("jdk.CPUTimeSample") && event.getStackTrace() != null) {
                    counts.merge(layer(event.getStackTrace().getFrames()), 1, Integer::sum);
                    all++;
                }
            }
        }
        Map<String, Double> shares = new LinkedHashMap<>();
        int samples = all;
        counts.entrySet().stream().sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .forEach(entry -> shares.put(entry.getKey(), (double) entry.getValue() / samples));
        return shares;
    }

    /** The frames are newest first. */
    private static String layer(List<RecordedFrame> frames) {
        String leaf = name(frames.getFirst());
        if (leaf.startsWith("one.nio.net.NativeSelector") || leaf.startsWith("sun.nio.ch.EPoll")) {
            return "system calls: waiting for sockets";
        }
        if (leaf.startsWith("one.nio.net.NativeSocket") || leaf.startsWith("sun.nio.ch")) {
            return leaf.contains("ead") ? "system calls: reading" : "system calls: writing";
        }
        for (RecordedFrame frame : frames) {
            String name = name(frame);
            if (name.startsWith("lsmlab.storage.Flusher") || name.startsWith("lsmlab.storage.Compactor") || name.startsWith("lsmlab.storage.disk.MappedOutput.takeSpace")) {
                return "engine, in the background";
            }
            if (name.startsWith("lsmlab.storage.Engine")) {
                return "engine";
            }
            if (READING.matcher(name).lookingAt()) {
                return "reading requests";
            }
            if (name.startsWith("lsmlab.server.wire.Answer")) {
                return "making answers";
            }
            if (name.startsWith("jdk.internal.net.http") || name.startsWith("lsmlab.server.cluster.JdkPeers")) {
                return "client to other nodes";
            }
        }
        return "the rest";
    }

    private static String name(RecordedFrame frame) {
        return frame.getMethod().getType().getName() + "." + frame.getMethod().getName();
    }
}
