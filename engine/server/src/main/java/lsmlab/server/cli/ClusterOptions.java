// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cli;

import java.time.Duration;
import java.util.List;
import lsmlab.server.cluster.Sharding;
import lsmlab.server.config.ClusterConfig;
import picocli.CommandLine.Option;

/** {@link ClusterConfig} as flags. */
public final class ClusterOptions {
    @Option(names = "--cluster", split = ",", paramLabel = "URL", description = "all nodes, this one included: http://localhost:8080,http://localhost:8081; "
            + "the same list for each; without it the node is alone")
    private List<String> cluster = List.of();

    @Option(names = "--self", paramLabel = "URL", description = "which of them this node is; the one with its port unless said otherwise")
    private String self;

    @Option(names = "--sharding", paramLabel = "HOW", defaultValue = "rendezvous",
            description = "how keys are spread over nodes: rendezvous, modulo, ring (${DEFAULT-VALUE})")
    private Sharding sharding;

    @Option(names = "--proxy", paramLabel = "CLIENT", defaultValue = "pipelined",
            description = "how nodes ask each other: pipelined (many requests at once on a few connections), jdk (asynchronously, a connection for each), jdk-locked (one request at a time), one-nio; "
                    + "the last two keep a worker waiting (${DEFAULT-VALUE})")
    private ClusterConfig.Proxy proxy;

    @Option(names = "--peer-timeout", paramLabel = "TIME", defaultValue = "2s", converter = Durations.class,
            description = "how long a node waits for another (${DEFAULT-VALUE})")
    private Duration peerTimeout;

    @Option(names = "--max-peer-requests", paramLabel = "N", defaultValue = "0",
            description = "requests that may wait for the answer of one other node; beyond them it counts as overloaded at once; 0: 1024, without pipelined what the limit of descriptors allows (${DEFAULT-VALUE})")
    private int maxPeerRequests;

    public ClusterConfig config(int port) {
        return ClusterConfig.of(cluster, self, port, sharding, proxy, peerTimeout, maxPeerRequests);
    }
}
