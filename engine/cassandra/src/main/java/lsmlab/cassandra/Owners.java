// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.token.Token;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which node has the first replica of a key: the one with the next token on the ring. */
final class Owners {
    private Owners() {}

    /**
     * The numbers of the nodes, from 1, a line each.
     *
     * @param addresses of the nodes by their numbers
     */
    static String of(CqlSession session, List<InetSocketAddress> addresses, Stream<String> ids) {
        TokenMap tokens = session.getMetadata().getTokenMap().orElseThrow(() -> new IllegalArgumentException("the driver does not know the ring yet"));
        TreeMap<Token, Integer> ring = new TreeMap<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            int number = addresses.indexOf(node.getEndPoint().resolve()) + 1;
            tokens.getTokens(node).forEach(token -> ring.put(token, number));
        }
        return ids.map(id -> {
            Map.Entry<Token, Integer> next = ring.ceilingEntry(tokens.newToken(ByteBuffer.wrap(id.getBytes(StandardCharsets.UTF_8))));
            return (next == null ? ring.firstEntry() : next).getValue().toString();
        }).collect(Collectors.joining("\n"));
    }
}
