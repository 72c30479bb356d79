// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import picocli.CommandLine.Option;

/** Which nodes there are, and how they work together, as flags. */
final class ClusterOptions {
    private static final int DESCRIPTOR_SHARE = 4;
    private static final int FEWEST_PEER_REQUESTS = 16;
    private static final int MOST_PEER_REQUESTS = 1_024;

    enum Proxy { JDK, JDK_LOCKED, ONE_NIO }

    @Option(names = "--cluster", split = ",", paramLabel = "URL", description = "all nodes, this one included: http://localhost:8080,http://localhost:8081; "
            + "the same list for each; without it the node is alone")
    private List<String> cluster = List.of();

    @Option(names = "--self", paramLabel = "URL", description = "which of them this node is; the one with its port unless said otherwise")
    private String self;

    @Option(names = "--sharding", paramLabel = "HOW", defaultValue = "rendezvous",
            description = "how keys are spread over nodes: rendezvous, modulo, ring (${DEFAULT-VALUE})")
    private Sharding sharding;

    @Option(names = "--proxy", paramLabel = "CLIENT", defaultValue = "jdk",
            description = "how nodes ask each other: jdk (asynchronously), jdk-locked (one request at a time), one-nio; the last two keep a worker waiting (${DEFAULT-VALUE})")
    private Proxy proxy;

    @Option(names = "--peer-timeout", paramLabel = "TIME", defaultValue = "2s", converter = Durations.class,
            description = "how long a node waits for another (${DEFAULT-VALUE})")
    private Duration peerTimeout;

    @Option(names = "--max-peer-requests", paramLabel = "N", defaultValue = "0",
            description = "requests that may wait for the answer of one other node; beyond them it counts as overloaded at once; 0: what the limit of descriptors allows (${DEFAULT-VALUE})")
    private int maxPeerRequests;

    private List<String> urls;
    private int selfIndex;

    boolean isCluster() {
        return !cluster.isEmpty();
    }

    void check(Main.Requirement require, int port, boolean sync) {
        if (!isCluster()) {
            require.that(self == null, "--self is of use with --cluster only");
            return;
        }
        require.that(maxPeerRequests >= 0 && maxPeerRequests <= Descriptors.limit(), "--max-peer-requests is %d, it must be at most %d (ulimit -n)",
                maxPeerRequests, Descriptors.limit());
        cluster.forEach(url -> require.that(isUrl(url), "--cluster has '%s', which is no http://HOST:PORT", url));
        urls = cluster.stream().map(ClusterOptions::normal).distinct().sorted().toList(); // so that their order does not matter
        require.that(urls.size() == cluster.size(), "--cluster names a node twice");
        require.that(urls.size() <= Clock.MAX_NODES, "--cluster has %d nodes, the most is %d", urls.size(), Clock.MAX_NODES);
        String wanted = self == null ? ":" + port : normal(self);
        List<Integer> found = IntStream.range(0, urls.size()).filter(node -> self == null ? urls.get(node).endsWith(wanted) : urls.get(node).equals(wanted)).boxed().toList();
        require.that(found.size() == 1, self == null ? "of the nodes in --cluster %d have this node's port; name it with --self" : "--self is not in --cluster", found.size());
        selfIndex = found.getFirst();
        require.that(proxy == Proxy.JDK || !sync, "--proxy %s waits for other nodes, which a selector must not: it needs --workers pool or virtual", Choices.name(proxy));
    }

    private static boolean isUrl(String text) {
        try {
            URI url = new URI(text);
            return "http".equals(url.getScheme()) && url.getHost() != null && url.getPort() > 0 && normal(text).indexOf('/', "http://".length()) < 0;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static String normal(String url) {
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    /** @param connections to each other node that may be of use at the same time */
    Peers peers(int connections) {
        return proxy == Proxy.ONE_NIO ? new OneNioPeers(urls, peerTimeout, connections)
                : new JdkPeers(urls, peerTimeout, proxy == Proxy.JDK_LOCKED, peerRequests());
    }

    /** A quarter of the descriptors is for connections to other nodes and from them. */
    private int peerRequests() {
        long share = Descriptors.limit() / (2 * DESCRIPTOR_SHARE * Math.max(1, urls.size() - 1));
        return maxPeerRequests > 0 ? maxPeerRequests : (int) Math.max(FEWEST_PEER_REQUESTS, Math.min(MOST_PEER_REQUESTS, share));
    }

    /** That connections to other nodes and from them may take. */
    long peerDescriptors() {
        return 2L * peerRequests() * (urls.size() - 1);
    }

    Coordinator coordinator(Peers peers, boolean sync, Store store, ExtensionOptions extension) {
        Clock clock = new Clock(selfIndex);
        return new Coordinator(urls, selfIndex, extension.placement(urls).orElseGet(() -> sharding.over(urls)), peers, peers.blocks() || sync, new VersionedStore(store, clock), clock);
    }

    /** As {@code /v0/stats} shows them; nothing if the node is alone. */
    Map<String, Object> inForce() {
        Map<String, Object> options = new LinkedHashMap<>();
        if (isCluster()) {
            options.put("cluster", urls);
            options.put("self", urls.get(selfIndex));
            options.put("sharding", Choices.name(sharding));
            options.put("proxy", Choices.name(proxy));
            options.put("peerTimeoutMillis", peerTimeout.toMillis());
            options.put("maxPeerRequests", peerRequests());
        }
        return options;
    }
}
