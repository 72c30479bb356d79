// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.plan;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** Where load can go: addresses of hosts, and whether a server answers there. As text they are "127.0.0.1:80" or "[0:0:0:0:0:0:0:1]:80". */
public final class Addresses {
    private static final int CONNECT_MILLIS = 5_000;
    private static final int MAX_PORT = 65_535;

    private Addresses() {}

    /** @throws IllegalArgumentException in words, if load can't go there */
    public static URI url(String text) {
        URI url;
        try {
            url = URI.create(text);
        } catch (IllegalArgumentException e) {
            throw notAUrl(text);
        }
        if ("https".equals(url.getScheme())) {
            throw new IllegalArgumentException("https is not supported: " + text);
        }
        if (!"http".equals(url.getScheme()) || url.getHost() == null || url.getPort() == 0 || url.getPort() > MAX_PORT) {
            throw notAUrl(text);
        }
        return url;
    }

    private static IllegalArgumentException notAUrl(String text) {
        return new IllegalArgumentException("not a URL like http://host:port/path: " + text);
    }

    private static List<InetSocketAddress> of(String host, int port) throws UnknownHostException {
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (InetAddress address : InetAddress.getAllByName(host)) {
            addresses.add(new InetSocketAddress(address, port));
        }
        return addresses;
    }

    /** Those of the host's addresses that answer, at least one. */
    public static List<InetSocketAddress> answering(String host, int port) throws IOException {
        List<InetSocketAddress> addresses;
        try {
            addresses = of(host, port);
        } catch (UnknownHostException e) {
            throw new IOException("unable to resolve " + host, e);
        }
        List<InetSocketAddress> answering = new ArrayList<>();
        IOException failure = null;
        for (InetSocketAddress address : addresses) {
            IOException refused = connect(address);
            if (refused == null) {
                answering.add(address);
            } else {
                failure = refused;
            }
        }
        if (answering.isEmpty()) {
            throw new IOException("unable to connect to %s:%d %s".formatted(host, port, failure.getMessage()), failure);
        }
        return answering;
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
