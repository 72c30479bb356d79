// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.plan;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** What a run is to do. */
public record Settings(URI url, Clients clients, Span span, Rate rate, Content content, Counting counting) {
    /** Each thread has a connection at least. */
    public record Clients(int connections, int threads) {}

    /**
     * @param warmupMillis load before the run, not counted; 0: none, and the first 10 s of a longer run are calibration
     * @param timeoutSeconds from which on a response is late
     */
    public record Span(long durationSeconds, long warmupMillis, long timeoutSeconds) {}

    /**
     * @param perSecond all connections together
     * @param isPoisson whether requests come independently of each other, instead of at equal distances
     * @param endsUnsustained whether the run ends when too many requests wait
     */
    public record Rate(double perSecond, boolean isPoisson, boolean endsUnsustained) {}

    /**
     * @param script null without one
     * @param arguments of the script: what stood after --
     * @param seed of math.random in scripts, and of exponential arrivals; null: any
     * @param headers added to every request
     */
    public record Content(Path script, List<String> arguments, Integer seed, Map<String, String> headers) {}

    /**
     * @param batchLatency of pipelined requests only the last is recorded
     * @param accepted statuses above 399 that are answers, not errors
     * @param hlog where a histogram log goes; null: nowhere
     * @param slowest share of the requests that are kept one by one, 0 to 1
     */
    public record Counting(boolean batchLatency, Set<Integer> accepted, Path hlog, double slowest) {}

    public Settings withUrl(URI other) {
        return new Settings(other, clients, span, rate, content, counting);
    }

    public Settings withRate(double perSecond) {
        return new Settings(url, clients, span, new Rate(perSecond, rate.isPoisson(), rate.endsUnsustained()), content, counting);
    }

    public Settings withDuration(long seconds) {
        return new Settings(url, clients, new Span(seconds, span.warmupMillis(), span.timeoutSeconds()), rate, content, counting);
    }

    /** Whether the URLs differ in host and port only. */
    public boolean asksTheSameAs(Settings other) {
        return path().equals(other.path()) && Objects.equals(url.getRawQuery(), other.url.getRawQuery());
    }

    private String path() {
        return url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    }

    public int connections() {
        return clients.connections();
    }

    public int threads() {
        return clients.threads();
    }

    /** Connections of thread t; every connection asked for is opened. */
    public int connectionsOf(int thread) {
        return connections() / threads() + (thread < connections() % threads() ? 1 : 0);
    }

    public double requestsPerSecond() {
        return rate.perSecond();
    }

    public int port() {
        return url.getPort() < 0 ? 80 : url.getPort();
    }

    public String scriptName() {
        return content.script() == null ? null : content.script().getFileName().toString();
    }
}
