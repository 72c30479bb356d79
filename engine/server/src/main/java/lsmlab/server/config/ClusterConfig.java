// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import lsmlab.server.cluster.Clock;
import lsmlab.server.cluster.PipelinedPeers;
import lsmlab.server.cluster.Sharding;
import lsmlab.server.session.Descriptors;
import lsmlab.server.values.OptionText;
import lsmlab.server.values.Require;

/**
 * Which nodes there are, and how they work together.
 *
 * @param urls of all nodes; none if this one is alone
 * @param self index of this node
 * @param maxPeerRequests that may wait for the answer of one other node; 0: what the limit of descriptors allows
 */
public record ClusterConfig(List<String> urls, int self, Sharding sharding, Proxy proxy, Duration peerTimeout, int maxPeerRequests) {
    public enum Proxy {
        PIPELINED, JDK, JDK_LOCKED, ONE_NIO;

        /** Whether the thread that asks another node waits for the reply. */
        boolean keepsThreadWaiting() {
            return this == JDK_LOCKED || this == ONE_NIO;
        }
    }

    private static final int DESCRIPTOR_SHARE = 4;
    private static final int FEWEST_PEER_REQUESTS = 16;
    private static final int MOST_PEER_REQUESTS = 1_024;

    /**
     * @param cluster all nodes, in any order; none if this one is alone
     * @param self null: the one that has this port
     */
    public static ClusterConfig of(List<String> cluster, String self, int port, Sharding sharding, Proxy proxy, Duration peerTimeout, int maxPeerRequests) {
        if (cluster.isEmpty()) {
            Require.that(self == null, "--self is of use with --cluster only");
            return new ClusterConfig(List.of(), 0, sharding, proxy, peerTimeout, maxPeerRequests);
        }
        Require.that(maxPeerRequests >= 0 && maxPeerRequests <= Descriptors.limit(), "--max-peer-requests is %d, it must be at most %d (ulimit -n)",
                maxPeerRequests, Descriptors.limit());
        cluster.forEach(url -> Require.that(isUrl(url), "--cluster has '%s', which is no http://HOST:PORT", url));
        List<String> urls = cluster.stream().map(ClusterConfig::normal).distinct().sorted().toList(); // so that their order does not matter
        Require.that(urls.size() == cluster.size(), "--cluster names a node twice");
        Require.that(urls.size() <= Clock.MAX_NODES, "--cluster has %d nodes, the most is %d", urls.size(), Clock.MAX_NODES);
        String wanted = self == null ? ":" + port : normal(self);
        List<Integer> found = IntStream.range(0, urls.size())
                .filter(node -> self == null ? urls.get(node).endsWith(wanted) : urls.get(node).equals(wanted)).boxed().toList();
        Require.that(found.size() == 1, self == null ? "of the nodes in --cluster %d have this node's port; name it with --self" : "--self is not in --cluster", found.size());
        return new ClusterConfig(urls, found.getFirst(), sharding, proxy, peerTimeout, maxPeerRequests);
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

    public boolean isAlone() {
        return urls.isEmpty();
    }

    /** A quarter of the descriptors is for connections to other nodes and from them; pipelined ones are few, whatever the requests. */
    public int peerRequests() {
        long share = proxy == Proxy.PIPELINED ? MOST_PEER_REQUESTS : Descriptors.limit() / (2 * DESCRIPTOR_SHARE * Math.max(1, urls.size() - 1));
        return maxPeerRequests > 0 ? maxPeerRequests : (int) Math.max(FEWEST_PEER_REQUESTS, Math.min(MOST_PEER_REQUESTS, share));
    }

    /** That connections to other nodes and from them may take. */
    long peerDescriptors() {
        int connections = proxy == Proxy.PIPELINED ? PipelinedPeers.MOST_CONNECTIONS : peerRequests();
        return isAlone() ? 0 : 2L * connections * (urls.size() - 1);
    }

    /** As {@code /v0/stats} shows it; nothing if the node is alone. */
    Map<String, Object> inForce() {
        Map<String, Object> options = new LinkedHashMap<>();
        if (!isAlone()) {
            options.put("cluster", urls);
            options.put("self", urls.get(self));
            options.put("sharding", OptionText.of(sharding));
            options.put("proxy", OptionText.of(proxy));
            options.put("peerTimeoutMillis", peerTimeout.toMillis());
            options.put("maxPeerRequests", peerRequests());
        }
        return options;
    }
}
