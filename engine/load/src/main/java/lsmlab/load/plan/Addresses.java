// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.plan;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** Where load can go: addresses of hosts, and whether a server answers there. As text they are "127.0.0.1:80" or "[0:0:0:0:0:0:0:1]:80". */
public final class Addresses {
    private static final int CONNECT_MILLIS = 5_000;

    private Addresses() {}

    public static List<InetSocketAddress> of(String host, int port) throws UnknownHostException {
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (InetAddress address : InetAddress.getAllByName(host)) {
            addresses.add(new InetSocketAddress(address, port));
        }
        return addresses;
    }

    /** For scripts' wrk.lookup(host, service); the service is a port, or http. */
    public static List<String> lookup(String host, String service) {
        try {
            int port = "http".equals(service) ? 80 : Integer.parseInt(service);
            return of(host, port).stream().map(Addresses::text).toList();
        } catch (UnknownHostException | NumberFormatException e) {
            throw new IllegalArgumentException("unable to resolve %s:%s".formatted(host, service));
        }
    }

    public static String text(InetSocketAddress address) {
        String ip = address.getAddress().getHostAddress();
        return (ip.contains(":") ? "[" + ip + "]" : ip) + ":" + address.getPort();
    }

    public static InetSocketAddress parse(String text) {
        try {
            int colon = text.lastIndexOf(':');
            return of(text.substring(0, Math.max(0, colon)), Integer.parseInt(text.substring(colon + 1))).getFirst();
        } catch (UnknownHostException | IllegalArgumentException e) {
            throw new IllegalArgumentException("not an address like 127.0.0.1:80: " + text);
        }
    }

    /** Connects once; returns what went wrong, or null. */
    public static IOException connect(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_MILLIS);
            return null;
        } catch (IOException e) {
            return e;
        }
    }
}
