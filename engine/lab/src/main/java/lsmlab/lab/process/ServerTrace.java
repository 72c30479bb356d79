// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import lsmlab.lab.environment.Json;
import lsmlab.storage.stats.Layout;

/**
 * What a server that traces its requests knows of those of some time; see {@code /v0/requests} in engine/server/README.md.
 *
 * @param nowNanos System.nanoTime of the server when it answered
 * @param frames what its engine looked like, two to three times a second
 * @param eventsSinceNanos events and samples from before are forgotten
 * @param samples what its threads did at some moments; {@code stacks} are those they name by their numbers, root first, frames joined by semicolons
 */
public record ServerTrace(long nowNanos, long eventsSinceNanos, List<Served> requests, List<Event> events, List<String> stacks, List<Sample> samples, List<Frame> frames) {
    /** Names as the server gives them. */
    public enum Time {
        WHOLE, TAKEN, STORE, STORED, ASKED, REPLIED, ANSWERED, WRITTEN, WRITE, WRITE_QUEUE, WRITE_THROTTLE, WRITE_FULL_MEMTABLES, WRITE_COMPACTION_BEHIND, WRITE_FREEZE, WRITE_LOG,
        WRITE_SYNC, WRITE_REGISTER, WRITE_MEMTABLE
    }

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int NOT_PASSED = -1;
    private static final int TIMES = Time.values().length;

    /**
     * One request.
     *
     * @param port of the client
     * @param number on its connection, from 0
     * @param selector id of the thread that read it, {@code handler} of the one that handled it
     * @param node whose reply was the last one needed; -1: none
     * @param nanos by {@link Time}: when it passed, by System.nanoTime; Long.MIN_VALUE: it did not
     */
    public record Served(int port, int number, int selector, int handler, int status, int node, long readableNanos, long[] nanos) {
        public boolean passed(Time time) {
            return nanos[time.ordinal()] != Long.MIN_VALUE;
        }

        public long at(Time time) {
            return nanos[time.ordinal()];
        }
    }

    /**
     * Something that kept the process or a thread from going on.
     *
     * @param thread 0: all of the process
     * @param lostNanos for so long: all of that time, except of STARVED. Of that the sum is known: it ended in this time, and may have begun before.
     */
    public record Event(String kind, String what, long fromNanos, long toNanos, long thread, long lostNanos) {
        /** The same on an axis of time that begins elsewhere. */
        public Event later(long nanos) {
            return new Event(kind, what, fromNanos + nanos, toNanos + nanos, thread, lostNanos);
        }
    }

    /** What one thread did at one moment, by System.nanoTime. */
    public record Sample(long nanos, long thread, int stack) {}

    /** The engine at one moment; {@code counts} are those of its counters that a picture shows, since it was opened. */
    public record Frame(long nanos, Layout layout, Map<String, Long> counts) {}

    /** The requests that were under way in this span of time, by System.nanoTime, and what happened then, for {@link #parse}. REQUIRES: the server is traced. */
    public static byte[] dump(ServerProcess server, long fromNanos, long toNanos) {
        server.checkRuns();
        HttpResponse<byte[]> answer =
                Loopback.send(HttpRequest.newBuilder(server.uri("/v0/requests?start=%d&end=%d".formatted(fromNanos, toNanos))).timeout(LIMIT).build(), BodyHandlers.ofByteArray());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException("the server '%s' did not show its requests: %s".formatted(server.label(), new String(answer.body(), StandardCharsets.UTF_8).strip()));
        }
        return answer.body();
    }

    /** Parses what {@code /v0/requests} answers. */
    public static ServerTrace parse(byte[] answer) {
        try {
            return read(answer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ServerTrace read(byte[] answer) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN);
        line(bytes); // "about"
        int end = endOfObject(answer, bytes.position());
        JsonNode about = Json.MAPPER.readTree(answer, bytes.position(), end - bytes.position());
        bytes.position(end);
        int[] places = places(about.get("times"));
        List<Served> requests = new ArrayList<>();
        while (bytes.hasRemaining()) {
            int length = Integer.parseInt(line(bytes));
            for (int until = bytes.position() + length; bytes.position() < until;) {
                int next = bytes.position() + about.get("entryBytes").asInt();
                requests.add(entry(bytes, places, about.get("unitNanos").asLong()));
                bytes.position(next);
            }
        }
        List<Event> events = new ArrayList<>();
        for (JsonNode event : about.get("events")) {
            events.add(Json.MAPPER.treeToValue(event, Event.class));
        }
        List<String> stacks = new ArrayList<>();
        about.get("stacks").forEach(stack -> stacks.add(stack.asText()));
        List<Sample> samples = new ArrayList<>();
        about.get("samples").forEach(sample -> samples.add(new Sample(sample.get("nanos").asLong(), sample.get("thread").asLong(), sample.get("stack").asInt())));
        List<Frame> frames = new ArrayList<>();
        for (JsonNode frame : about.get("frames")) {
            frames.add(Json.MAPPER.treeToValue(frame, Frame.class));
        }
        return new ServerTrace(about.get("nowNanos").asLong(), about.get("eventsSinceNanos").asLong(), requests, events, stacks, samples, frames);
    }

    private static String line(ByteBuffer bytes) {
        int from = bytes.position();
        while (bytes.get() != '\n') {
            // to the end of the line
        }
        return new String(bytes.array(), from, bytes.position() - 1 - from, StandardCharsets.US_ASCII);
    }

    /** Of one whose strings have no braces but in pairs. */
    private static int endOfObject(byte[] text, int from) {
        int depth = 0;
        int at = from;
        do {
            depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
            at++;
        } while (depth > 0);
        return at;
    }

    /** Where each of the server's times goes; those that are not known here, nowhere. */
    private static int[] places(JsonNode names) {
        int[] places = new int[names.size()];
        for (int i = 0; i < places.length; i++) {
            String name = names.get(i).asText();
            places[i] = Arrays.stream(Time.values()).filter(time -> time.name().equals(name)).mapToInt(Enum::ordinal).findAny().orElse(-1);
        }
        return places;
    }

    private static Served entry(ByteBuffer bytes, int[] places, long unitNanos) {
        long readable = bytes.getLong();
        int port = bytes.getInt();
        int number = bytes.getInt();
        int selector = bytes.getInt();
        int handler = bytes.getInt();
        bytes.getShort();
        int status = bytes.getShort();
        int node = bytes.getInt();
        long[] nanos = new long[TIMES];
        Arrays.fill(nanos, Long.MIN_VALUE);
        for (int place : places) {
            int units = bytes.getInt();
            if (units != NOT_PASSED && place >= 0) {
                nanos[place] = readable + (units & 0xFFFF_FFFFL) * unitNanos;
            }
        }
        return new Served(port, number, selector, handler, status, node, readable, nanos);
    }
}
