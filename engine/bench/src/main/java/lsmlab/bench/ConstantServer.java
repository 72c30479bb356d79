// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Answers every request with the same bytes, in one thread and with as little work as HTTP allows: what is measured beside it is the client. */
final class ConstantServer {
    private static final byte[] ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] CONTENT_LENGTH = "content-length:".getBytes(StandardCharsets.US_ASCII);
    private static final int BUFFER_BYTES = 64 << 10;

    private final Selector selector = Selector.open();
    private final ServerSocketChannel listener = ServerSocketChannel.open();

    private ConstantServer() throws IOException {
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024).configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
    }

    /** Prints its port; ends with its input. */
    public static void main(String[] arguments) throws IOException {
        ConstantServer server = new ConstantServer();
        System.out.println(server.listener.socket().getLocalPort());
        Thread.ofPlatform().daemon().start(server::run);
        while (System.in.read() >= 0) {
            // nothing is said
        }
    }

    private void run() {
        try {
            while (true) {
                selector.select(this::ready);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void ready(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                SocketChannel channel = listener.accept();
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.register(selector, SelectionKey.OP_READ, new Connection(channel));
            } else {
                ((Connection) key.attachment()).read();
            }
        } catch (IOException e) {
            close(key);
        }
    }

    /** The client went away. */
    private static void close(SelectionKey key) {
        try {
            key.channel().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Connection {
        private final SocketChannel channel;
        private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES);
        private final ByteBuffer out = ByteBuffer.allocateDirect(ANSWER.length).put(ANSWER);
        private int bodyLeft;

        Connection(SocketChannel channel) {
            this.channel = channel;
        }

        void read() throws IOException {
            if (channel.read(in) < 0) {
                channel.close();
                return;
            }
            in.flip();
            while (takeRequest()) {
                out.rewind();
                while (out.hasRemaining()) { // an answer fits into an empty socket buffer
                    channel.write(out);
                }
            }
            in.compact();
        }

        /** Whether a whole request stood in the buffer; it is taken out. */
        private boolean takeRequest() throws IOException {
            if (bodyLeft == 0) {
                int end = headEnd();
                if (end < 0) {
                    if (in.remaining() == BUFFER_BYTES) {
                        throw new IOException("too long a head");
                    }
                    return false;
                }
                int length = contentLength(end);
                in.position(end);
                if (length == 0) {
                    return true;
                }
                bodyLeft = length;
            }
            int taken = Math.min(bodyLeft, in.remaining());
            in.position(in.position() + taken);
            bodyLeft -= taken;
            return taken > 0 && bodyLeft == 0;
        }

        private int headEnd() {
            for (int i = in.position() + 3; i < in.limit(); i++) {
                if (in.get(i) == '\n' && in.get(i - 1) == '\r' && in.get(i - 2) == '\n') {
                    return i + 1;
                }
            }
            return -1;
        }

        private int contentLength(int headEnd) {
            for (int line = in.position(); line < headEnd; line++) {
                if (in.get(line) == '\n' && startsWithContentLength(line + 1, headEnd)) {
                    int length = 0;
                    for (int i = line + 1 + CONTENT_LENGTH.length; in.get(i) != '\r'; i++) {
                        length = in.get(i) == ' ' ? length : length * 10 + in.get(i) - '0';
                    }
                    return length;
                }
            }
            return 0;
        }

        private boolean startsWithContentLength(int at, int headEnd) {
            for (int i = 0; i < CONTENT_LENGTH.length; i++) {
                if (at + i >= headEnd || (in.get(at + i) | 0x20) != (CONTENT_LENGTH[i] | 0x20)) {
                    return false;
                }
            }
            return true;
        }
    }
}
