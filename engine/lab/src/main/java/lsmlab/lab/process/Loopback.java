// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import lsmlab.lab.environment.Interrupted;

/** Ports and requests of this machine's own. */
final class Loopback {
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private Loopback() {}

    static String url(int port) {
        return "http://127.0.0.1:" + port;
    }

    /** Free ports, all different. */
    static List<Integer> freePorts(int count) {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            List<Integer> ports = sockets.stream().map(ServerSocket::getLocalPort).sorted().toList(); // servers number the nodes of a cluster by their addresses
            for (ServerSocket socket : sockets) {
                socket.close();
            }
            return ports;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static HttpResponse<String> send(HttpRequest request) {
        return send(request, BodyHandlers.ofString());
    }

    static <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> body) {
        try {
            return HTTP.send(request, body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw Interrupted.by(e);
        }
    }
}
