// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.profile;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import lsmlab.lab.environment.Project;
import lsmlab.lab.environment.Workspace;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerProcess;

/** Attaches async-profiler to a server while something runs; one JFR recording holds every kind of event. */
public final class Profiler {
    private static final Map<String, String> EVENTS =
            new TreeMap<>(Map.of("cpu", "event=cpu,interval=1ms", "wall", "wall=10ms", "alloc", "alloc=16k", "lock", "lock=10us"));
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final ServerProcess server;
    private final Set<String> events;
    private String label;

    public Profiler(Server server, String events) {
        this.server = ServerProcess.of(server);
        label = this.server.label();
        this.events = Set.copyOf(List.of(events.split("\\s*,\\s*")));
        if (!EVENTS.keySet().containsAll(this.events)) {
            throw new IllegalArgumentException("'" + events + "': the events are " + String.join(", ", EVENTS.keySet()));
        }
    }

    /** The profile's name in graphs and tables; without it the server's. */
    public Profiler label(String text) {
        label = text;
        return this;
    }

    /** Records while {@code work} runs. */
    public Profile during(Runnable work) {
        server.checkClusterRuns();
        Path recording = Workspace.newFolder("profiles").resolve("profile-" + NUMBER.incrementAndGet() + ".jfr");
        String options = EVENTS.entrySet().stream().filter(e -> events.contains(e.getKey())).map(Map.Entry::getValue)
                .collect(Collectors.joining(","));
        try {
            Path library = library();
            agent(library, "start," + options + ",jfr,file=" + recording);
            server.setProfiled(true);
            try {
                work.run();
            } finally {
                server.setProfiled(false);
                agent(library, "stop,file=" + recording);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            return Profile.of(recording, events, label);
        } finally {
            recording.toFile().delete();
        }
    }

    @Override
    public String toString() {
        return "a profile of %s, to be taken with .during(() -> ...): %s".formatted(label, String.join(", ", events));
    }

    private void agent(Path library, String options) throws IOException {
        try {
            VirtualMachine vm = VirtualMachine.attach(Long.toString(server.pid()));
            try {
                vm.loadAgentPath(library.toString(), options);
            } finally {
                vm.detach();
            }
        } catch (AttachNotSupportedException | AgentLoadException | AgentInitializationException e) {
            throw new IOException("async-profiler: " + e.getMessage(), e);
        }
    }

    /** The profiler's library for this machine, unpacked into the project once. */
    static Path library() throws IOException {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String cpu = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64";
        String resource = os.contains("mac") ? "/macos/libasyncProfiler.so" : "/linux-" + cpu + "/libasyncProfiler.so";
        Path file = Project.scratch("native").resolve("libasyncProfiler.so");
        if (!Files.exists(file)) {
            try (InputStream in = Profiler.class.getResourceAsStream(resource)) {
                if (in == null) {
                    throw new IOException("async-profiler has no library for " + os + " on " + cpu);
                }
                Path unfinished = Files.createTempFile(file.getParent(), "lib", ".so");
                Files.copy(in, unfinished, StandardCopyOption.REPLACE_EXISTING);
                Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
            }
        }
        return file;
    }
}
