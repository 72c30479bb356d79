// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A small HTTP server whose answers a test decides; it keeps what it was asked. A virtual thread a connection. */
final class TestServer implements AutoCloseable {
    /** Decides the bytes that answer a request; null ends the connection. */
    interface Answer {
        String to(int number, String head, String body) throws InterruptedException;
    }

    /** At the end of an answer: the connection is ended after it, without a header that says so. */
    static final String THEN_CLOSE = "\u0000";

    private final ServerSocket socket;
    private final Answer answer;
    private final AtomicInteger requests = new AtomicInteger();
    final AtomicInteger connections = new AtomicInteger();
    private final List<String> heads = Collections.synchronizedList(new ArrayList<>());
    private final List<String> bodies = Collections.synchronizedList(new ArrayList<>());

    TestServer(Answer answer) throws IOException {
        this(InetAddress.getByName("127.0.0.1"), answer);
    }

    TestServer(InetAddress address, Answer answer) throws IOException {
        this.answer = answer;
        socket = new ServerSocket(0, 1024, address);
        Thread.ofVirtual().start(this::accept);
    }

    static String response(int status, String body) {
        return "HTTP/1.1 %d Status\r\nConnection: Keep-Alive\r\nContent-Length: %d\r\n\r\n%s".formatted(status, body.length(), body);
    }

    static TestServer constant() throws IOException {
        return new TestServer((number, head, body) -> response(200, "ok"));
    }

    String url() {
        String ip = socket.getInetAddress().getHostAddress();
        return "http://%s:%d/path?q=1".formatted(ip.contains(":") ? "[" + ip + "]" : ip, socket.getLocalPort());
    }

    /** Heads of the requests so far, in the order of arrival; another may still be on its way. */
    List<String> heads() {
        synchronized (heads) {
            return List.copyOf(heads);
        }
    }

    List<String> bodies() {
        synchronized (bodies) {
            return List.copyOf(bodies);
        }
    }

    int requests() {
        return requests.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = socket.accept();
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(client));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(client.getInputStream());
            OutputStream out = client.getOutputStream();
            for (String head = head(in); head != null; head = head(in)) {
                int at = head.indexOf("Content-Length: ");
                int length = at < 0 ? 0 : Integer.parseInt(head.substring(at + 16, head.indexOf("\r\n", at)));
                String body = new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
                heads.add(head);
                bodies.add(body);
                String text = answer.to(requests.getAndIncrement(), head, body);
                if (text == null) {
                    return;
                }
                boolean close = text.endsWith(THEN_CLOSE);
                out.write((close ? text.substring(0, text.length() - THEN_CLOSE.length()) : text).getBytes(StandardCharsets.ISO_8859_1));
                if (close || text.contains("Connection: close")) {
                    return;
                }
            }
        } catch (IOException | InterruptedException e) {
            // the client went away
        }
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        for (int b = in.read(); b >= 0; b = in.read()) {
            head.append((char) b);
            if (b == '\n' && head.toString().endsWith("\r\n\r\n")) {
                return head.toString();
            }
        }
        return null;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
