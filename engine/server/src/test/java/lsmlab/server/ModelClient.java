// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** One client of {@link ModelIT}: its keys are its own, so it knows what they hold. */
final class ModelClient {
    private static final int MOST_PIPELINED = 20;
    private static final int HANG_MILLIS = 20_000;
    /** Of a node that it asks. */
    static final int MAX_BODY_BYTES = 100_000;

    /**
     * A request and its answer as the contract has it.
     *
     * @param body null: a line of text, or nothing after HEAD
     * @param ends the connection
     */
    private record Step(byte[] sent, String said, int status, byte[] body, boolean ends, boolean hasHead) {}

    private final ServerProcess server;
    private final String prefix;
    private final TreeMap<String, byte[]> stored = new TreeMap<>();
    private Random random;
    private boolean closes;

    ModelClient(ServerProcess server, int number) {
        this.server = server;
        prefix = "c" + number + "-";
    }

    /** Returns how many requests it sent. */
    int converse(int seed) throws IOException {
        random = new Random(seed);
        List<Step> steps = new ArrayList<>();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        do {
            Step step = step();
            steps.add(step);
            bytes.writeBytes(step.sent);
        } while (steps.size() < MOST_PIPELINED && !steps.getLast().ends);
        if (steps.getLast().ends && random.nextBoolean()) { // what follows is no request any more
            bytes.writeBytes(ascii("PUT /v0/entity?id=" + prefix + "poison HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx"));
        }
        try (Socket socket = server.connect()) {
            socket.setSoTimeout(HANG_MILLIS);
            Thread writer = Thread.startVirtualThread(() -> write(socket, bytes.toByteArray(), new Random(seed)));
            InputStream in = new BufferedInputStream(socket.getInputStream());
            for (int i = 0; i < steps.size(); i++) {
                String where = "seed %d, request %d of %d: %s".formatted(seed, i + 1, steps.size(), steps.get(i).said);
                check(steps.get(i), in, where);
            }
            if (steps.getLast().ends) {
                assertEquals("", new String(in.readAllBytes(), StandardCharsets.ISO_8859_1), "seed " + seed + ": nothing follows");
            }
            join(writer);
            socket.setSoLinger(true, 0); // so that ports don't run out
        } catch (IOException e) {
            throw new AssertionError("seed " + seed + ": " + steps.stream().map(Step::said).toList(), e);
        }
        return steps.size();
    }

    private static void join(Thread writer) throws IOException {
        try {
            writer.join();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static void write(Socket socket, byte[] bytes, Random random) {
        try {
            for (int at = 0; at < bytes.length;) {
                int length = Math.min(bytes.length - at, 1 + random.nextInt(random.nextInt(10) == 0 ? 20 : 20_000));
                socket.getOutputStream().write(bytes, at, length);
                at += length;
            }
            socket.shutdownOutput(); // or the server waits a while for the rest of what it refused
        } catch (IOException e) {
            // refused and closed while this was still sending
        }
    }

    private void check(Step step, InputStream in, String where) throws IOException {
        String head = head(in);
        while (head.startsWith("HTTP/1.1 100 ")) {
            head = head(in);
        }
        assertTrue(head.startsWith("HTTP/1.1 " + step.status + " "), where + "\nasked for " + step.status + ", came " + head);
        String lines = head.toLowerCase();
        assertEquals(step.ends, lines.contains("\r\nconnection: close\r\n"), where + "\n" + head);
        assertTrue(lines.contains("\r\ndate: "), head);
        byte[] body = step.hasHead ? new byte[0] : body(in, lines);
        if (step.body != null) {
            assertArrayEquals(step.body, body, where);
        } else if (!step.hasHead) {
            assertTrue(new String(body, StandardCharsets.UTF_8).matches("[^\n]+\n"), () -> where + "\none line: " + new String(body, StandardCharsets.UTF_8));
        }
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.length() < 4 || !head.substring(head.length() - 4).equals("\r\n\r\n")) {
            int b = in.read();
            if (b < 0) {
                throw new EOFException("the connection ended where an answer was due: " + head);
            }
            head.append((char) b);
        }
        return head.toString();
    }

    private static byte[] body(InputStream in, String lines) throws IOException {
        if (!lines.contains("\r\ntransfer-encoding: chunked\r\n")) {
            int at = lines.indexOf("\r\ncontent-length: ") + 18;
            return in.readNBytes(Integer.parseInt(lines.substring(at, lines.indexOf('\r', at))));
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            StringBuilder size = new StringBuilder();
            for (int b = in.read(); b != '\n'; b = in.read()) {
                size.append((char) b);
            }
            int length = Integer.parseInt(size.toString().strip(), 16);
            body.writeBytes(in.readNBytes(length));
            assertEquals("\r\n", new String(in.readNBytes(2), StandardCharsets.US_ASCII));
            if (length == 0) {
                return body.toByteArray();
            }
        }
    }

    private Step step() {
        int dice = random.nextInt(100);
        return dice < 30 ? put() : dice < 55 ? get() : dice < 65 ? delete() : dice < 70 ? range() : dice < 85 ? refusedAndGoesOn() : malformed();
    }

    private Step put() {
        String key = key();
        byte[] value = new byte[random.nextInt(random.nextInt(12) == 0 ? MAX_BODY_BYTES : 2_000)];
        random.nextBytes(value);
        String first = first("PUT", "/v0/entity?id=" + key);
        Step step;
        if (isHttp11(first) && random.nextInt(3) == 0) {
            step = answered(first + "Transfer-Encoding: chunked\r\n" + expect() + headers(first), chunked(value), 201, new byte[0]);
        } else {
            step = answered(first + (isHttp11(first) ? expect() : "") + "Content-Length: " + value.length + lineBreak() + headers(first), value, 201, new byte[0]);
        }
        stored.put(key, value);
        return step;
    }

    private Step get() {
        String key = key();
        byte[] value = stored.get(key);
        return read(first("GET", "/v0/entity?id=" + key), value == null ? 404 : 200, value);
    }

    private Step delete() {
        String key = key();
        stored.remove(key);
        return read(first("DELETE", "/v0/entity?id=" + key), 202, new byte[0]);
    }

    private Step range() {
        String from = longer(key());
        String to = longer(key());
        ByteArrayOutputStream records = new ByteArrayOutputStream();
        if (from.compareTo(to) < 0) {
            for (Map.Entry<String, byte[]> record : stored.subMap(from, to).entrySet()) {
                records.writeBytes(ascii(record.getKey() + "\n"));
                records.writeBytes(record.getValue());
            }
        }
        return read("GET /v0/entities?start=%s&end=%s HTTP/1.1\r\n".formatted(from, to), 200, records.toByteArray());
    }

    private Step read(String first, int status, byte[] body) {
        return answered(first + headers(first), new byte[0], status, body);
    }

    /** Requests that are understood and refused. The connection goes on. */
    private Step refusedAndGoesOn() {
        record Refusal(String method, String path, int status) {}
        Refusal refusal = pick(List.of(new Refusal("POST", "/v0/entity?id=a", 405), new Refusal("HEAD", "/v0/entity?id=a", 405),
                new Refusal("PUT", "/v0/status", 405), new Refusal("DELETE", "/v0/entities?start=a", 405), new Refusal("BREW", "/pot", 400), new Refusal("put", "/v0/entity?id=a", 405),
                new Refusal("GET", "/", 400), new Refusal("GET", "/v0/entity", 400), new Refusal("PUT", "/v0/entity?id=", 400),
                new Refusal("PUT", "/v0/entity?id=%20", 400), new Refusal("GET", "/v0/entity?id=%C3%28", 400), new Refusal("GET", "/v0/entity?id=%", 400),
                new Refusal("GET", "/v0/entities?start=", 400), new Refusal("GET", "/v0/entities?start=a&end=", 400),
                new Refusal("GET", "/v0/entity?id=a&ack=2&from=1", 400), new Refusal("GET", "/v0/entity?id=a&replicas=x", 400)));
        byte[] body = new byte[refusal.method.equals("GET") ? 0 : random.nextInt(500)];
        String first = first(refusal.method, refusal.path) + "Content-Length: " + body.length + "\r\n";
        boolean cannotBeChunked = !isHttp11(first) && refusal.method.equals("GET") && refusal.path.startsWith("/v0/entities");
        Step step = answered(first + headers(first), body, cannotBeChunked ? 505 : refusal.status, null);
        return new Step(step.sent, step.said, step.status, null, step.ends, refusal.method.equals("HEAD"));
    }

    /** Requests that are ambiguous or malformed. The connection ends, and nothing has changed. */
    private Step malformed() {
        String put = "PUT /v0/entity?id=" + key() + " HTTP/1.1\r\n";
        String host = "Host: x\r\n";
        String chunked = put + host + "Transfer-Encoding: chunked\r\n\r\n";
        record Bad(String sent, int status) {}
        Bad bad = pick(List.of(
                new Bad(put + "Content-Length: 1\r\n\r\nx", 400), new Bad(put + host + host + "Content-Length: 1\r\n\r\nx", 400),
                new Bad(put + "Host:\r\nContent-Length: 1\r\n\r\nx", 400), new Bad(put + "Host: a b\r\n\r\n", 400), new Bad(put + "Host: a,b:x\r\n\r\n", 400),
                new Bad(put + host + "Bad Name: x\r\n\r\n", 400), new Bad(put + host + "A : b\r\n\r\n", 400), new Bad(put + host + " folded\r\n\r\n", 400),
                new Bad(put + host + ": x\r\n\r\n", 400), new Bad(put + host + "no colon\r\n\r\n", 400), new Bad(put + host + "A: \u0001\r\n\r\n", 400),
                new Bad(put + host + "A: b\rc\r\n\r\n", 400), new Bad(put + host + "A: b\0\r\n\r\n", 400),
                new Bad(put + host + "Content-Length: -1\r\n\r\n", 400), new Bad(put + host + "Content-Length: +1\r\n\r\nx", 400),
                new Bad(put + host + "Content-Length: 1, 1\r\n\r\nx", 400), new Bad(put + host + "Content-Length: 0x1\r\n\r\nx", 400),
                new Bad(put + host + "Content-Length:\r\n\r\n", 400), new Bad(put + host + "Content-Length: 99999999999999999999\r\n\r\n", 400),
                new Bad(put + host + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400),
                new Bad(put + host + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
                new Bad(put + host + "Content-Length: " + (MAX_BODY_BYTES + 1) + "\r\n\r\n", 413),
                new Bad(put + host + "Transfer-Encoding: gzip\r\n\r\n", 400), new Bad(put + host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
                new Bad(put + host + "Transfer-Encoding: chunked, gzip\r\n\r\n", 400), new Bad(put + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
                new Bad(put.replace("1.1", "1.0") + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
                new Bad(chunked + "x\r\n", 400), new Bad(chunked + "\r\n", 400), new Bad(chunked + "-1\r\n", 400), new Bad(chunked + "1;\r\nx\r\n0\r\n\r\n", 400),
                new Bad(chunked + "1 \r\nx\r\n0\r\n\r\n", 400), new Bad(chunked + "1;a=\r\nx\r\n0\r\n\r\n", 400), new Bad(chunked + "1;a=\"b\r\nx\r\n0\r\n\r\n", 400),
                new Bad(chunked + "1\nx\r\n0\r\n\r\n", 400), new Bad(chunked + "1\r\nxy\r\n0\r\n\r\n", 400), new Bad(chunked + "1\r\nx\n0\r\n\r\n", 400),
                new Bad(chunked + "FFFFFFFFFFFFFFFFF\r\n", 400), new Bad(chunked + "7FFFFFFF\r\n", 413), new Bad(chunked + Integer.toHexString(MAX_BODY_BYTES + 1) + "\r\n", 413),
                new Bad(put.replace("1.1", "2.0") + host + "\r\n", 505), new Bad(put.replace("1.1", "1.2") + host + "\r\n", 505), new Bad(put.replace("HTTP", "HTTQ") + host + "\r\n", 505),
                new Bad("PUT /v0/entity?id=a\r\n\r\n", 400), new Bad("PUT  /v0/entity?id=a HTTP/1.1\r\n" + host + "\r\n", 400), new Bad("P@T /v0/entity?id=a HTTP/1.1\r\n" + host + "\r\n", 400),
                new Bad("PUT /v0/entity?id=a&id=b HTTP/1.1\r\n" + host + "\r\n", 400),
                new Bad("PUT /v0/entity?id=a b HTTP/1.1\r\n" + host + "\r\n", 400), new Bad(" PUT /v0/entity?id=a HTTP/1.1\r\n" + host + "\r\n", 400),
                new Bad(put + host + "Expect: miracles\r\n\r\n", 417), new Bad(put + host + "a:b\r\n".repeat(128) + "\r\n", 431),
                new Bad(put + host + "a: " + "b".repeat(40_000) + "\r\n\r\n", 431), new Bad("GET /v0/entity?id=" + "y".repeat(40_000) + " HTTP/1.1\r\n" + host + "\r\n", 414),
                new Bad(put + host + "X-Lsm-Replica: -1\r\n\r\n", 400), new Bad(put + host + "X-Lsm-Replica: 9223372036854775807\r\n\r\n", 400)));
        return new Step(ascii(bad.sent), said(bad.sent), bad.status, null, true, false);
    }

    private Step answered(String head, byte[] body, int status, byte[] expected) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(ascii(head));
        bytes.writeBytes(body);
        byte[] text = status == 404 || status >= 400 ? null : expected;
        return new Step(bytes.toByteArray(), said(head), status, text, closes, false);
    }

    private String key() {
        return prefix + (char) ('a' + random.nextInt(26));
    }

    /** Appends bytes that sort before all others, so the order among the keys stays. */
    private String longer(String key) {
        return random.nextInt(4) == 0 ? key + "!".repeat(random.nextInt(300)) : key;
    }

    private String first(String method, String path) {
        String target = switch (random.nextInt(8)) {
            case 0 -> "http://somewhere:80" + path;
            case 1 -> path + (path.contains("?") ? "&other=1" : "?other=1");
            default -> path;
        };
        return (random.nextInt(10) == 0 ? "\r\n" : "") + method + " " + target + (random.nextInt(12) == 0 ? " HTTP/1.0" : " HTTP/1.1") + lineBreak();
    }

    private static boolean isHttp11(String first) {
        return first.contains(" HTTP/1.1");
    }

    private String lineBreak() {
        return random.nextInt(10) == 0 ? "\n" : "\r\n";
    }

    private String expect() {
        return random.nextInt(10) == 0 ? "expect: 100-Continue\r\n" : "";
    }

    /** The headers needed and some without meaning, in any case and order, with or without a word on whether the connection goes on. */
    private String headers(String first) {
        List<String> headers = new ArrayList<>();
        if (isHttp11(first) || random.nextBoolean()) {
            headers.add(pick(List.of("Host: x", "HOST:127.0.0.1:80", "host: \t[::1]:8080  ", "Host: a.b-c_d")));
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            headers.add(random.nextInt(headers.size() + 1), pick(List.of("User-Agent: x", "Accept: */*", "x!#$%&'*+-.^_`|~: \"odd\"", "Empty:", "Connection-Not: close",
                    "Upgrade: h2c", "Content-Type: text/plain; charset=\u00e4", "Hosts: a b", "Cookie: a=b; c=d")));
        }
        closes = !isHttp11(first);
        if (closes && random.nextBoolean()) {
            headers.add("Connection: keep-alive");
            closes = false;
        } else if (random.nextInt(25) == 0) {
            headers.add("connection: Upgrade, close");
            closes = true;
        }
        StringBuilder lines = new StringBuilder();
        headers.forEach(header -> lines.append(header).append(lineBreak()));
        return lines.append(lineBreak()).toString();
    }

    private byte[] chunked(byte[] value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int at = 0; at < value.length;) {
            int length = Math.min(value.length - at, 1 + random.nextInt(5_000));
            String size = random.nextBoolean() ? Integer.toHexString(length) : "00" + Integer.toHexString(length).toUpperCase();
            bytes.writeBytes(ascii(size + pick(List.of("", "", ";a", ";a=b", " ; a = \"b;\\\"c\"", ";a;b=c")) + "\r\n"));
            bytes.write(value, at, length);
            bytes.writeBytes(ascii("\r\n"));
            at += length;
        }
        bytes.writeBytes(ascii("0\r\n" + (random.nextInt(5) == 0 ? "Trailer: x\r\n" : "") + "\r\n"));
        return bytes.toByteArray();
    }

    private <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static String said(String head) {
        return head.length() > 300 ? head.substring(0, 300) + "..." : head;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
