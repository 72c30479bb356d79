// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import lsmlab.server.values.Require;
import picocli.CommandLine.Option;

/** Where a program listens, and until when. */
public final class ListenOptions {
    private static final int MOST_PORT = 65_535;
    private static final long PARENT_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    @Option(names = "--port", paramLabel = "N", defaultValue = "8080", description = "port to listen on (${DEFAULT-VALUE})")
    private int port;

    @Option(names = "--host", paramLabel = "ADDRESS", defaultValue = "127.0.0.1",
            description = "address to listen on (${DEFAULT-VALUE}); there is no authentication, so any other than loopback opens the store to the network")
    private String host;

    @Option(names = "--exit-with", paramLabel = "PID", description = "stop when this process ends (the lab passes its own, so that no server outlives it)")
    private Long exitWith;

    public int port() {
        return port;
    }

    public String host() {
        return host;
    }

    /**
     * @param program its name, for a warning
     * @throws IllegalArgumentException if nothing can listen there
     */
    public void check(String program) {
        checkPort("--port", port);
        try {
            if (!InetAddress.getByName(host).isLoopbackAddress()) {
                System.err.println(program + ": listening on " + host + ": anybody who reaches it can read and change the store, there is no authentication");
            }
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("--host %s is not an address of this machine".formatted(host));
        }
    }

    /** @throws IllegalArgumentException if the option's value is no port */
    public static void checkPort(String option, int port) {
        Require.that(port >= 1 && port <= MOST_PORT, "%s is %d, it must be 1 to %d", option, port, MOST_PORT);
    }

    /** Why the port can't be opened; empty if it can. */
    public Optional<String> problem() {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(host, port));
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(problem(e));
        }
    }

    /** One line about a port that could not be opened. */
    public String problem(IOException e) {
        String message = String.valueOf(e.getMessage());
        return "port %d on %s %s".formatted(port, host, message.contains("in use") ? "is in use, choose another with --port" : "can't be opened: " + message);
    }

    /** Ends this JVM in order when the process of --exit-with has ended. */
    public void followParent() {
        if (exitWith != null) {
            ProcessHandle.of(exitWith).ifPresentOrElse(ListenOptions::follow, () -> System.exit(0));
        }
    }

    /** WHY it looks again: the JVM takes a process for ended when there is no descriptor left to look at it with. {@code exists} needs none. */
    private static void follow(ProcessHandle parent) {
        Path folder = Path.of("/proc", Long.toString(parent.pid()));
        Optional<Instant> began = parent.info().startInstant();
        parent.onExit().thenRun(() -> {
            while (Files.exists(folder) && ProcessHandle.of(parent.pid()).flatMap(now -> now.info().startInstant()).or(() -> began).equals(began)) {
                LockSupport.parkNanos(PARENT_LOOK_NANOS);
            }
            System.exit(0);
        });
    }
}
