// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** How keys are spread over the nodes of a cluster. */
public enum Sharding {
    /** Highest random weight (Thaler and Ravishankar, 1998): a key lives where its hash with the node's is highest. */
    RENDEZVOUS {
        @Override
        public Placement over(List<String> nodes) {
            long[] hashes = nodes.stream().mapToLong(Sharding::hash).toArray();
            return (_, keyHash, count) -> {
                Integer[] order = IntStream.range(0, hashes.length).boxed().toArray(Integer[]::new);
                Arrays.sort(order, Comparator.comparing(node -> ~mix(keyHash ^ hashes[node]), Long::compareUnsigned));
                return Arrays.stream(order).limit(count).mapToInt(Integer::intValue).toArray();
            };
        }
    },

    /** The hash modulo the number of nodes, and the nodes that follow. Nearly all keys move when a node joins. */
    MODULO {
        @Override
        public Placement over(List<String> nodes) {
            int size = nodes.size();
            return (_, keyHash, count) -> {
                int first = (int) Long.remainderUnsigned(keyHash, size);
                return IntStream.range(first, first + count).map(node -> node % size).toArray();
            };
        }
    },

    /** Consistent hashing (Karger and others, 1997): each node has points on a ring, a key lives at the next point. */
    RING {
        @Override
        public Placement over(List<String> nodes) {
            return new Ring(nodes);
        }
    };

    /** The nodes of a key. Fewer are always the first of more. */
    public interface Placement {
        int[] replicas(byte[] id, long keyHash, int count);
    }

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    /** @param nodes the same list in the same order on all nodes, or they would disagree */
    public abstract Placement over(List<String> nodes);

    /** FNV-1a, mixed, because its high bits depend little on the last bytes. */
    public static long hash(byte[] bytes) {
        long hash = FNV_OFFSET;
        for (byte b : bytes) {
            hash = (hash ^ (b & 0xff)) * FNV_PRIME;
        }
        return mix(hash);
    }

    private static long hash(String text) {
        return hash(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The finalizer of MurmurHash3. */
    private static long mix(long hash) {
        long mixed = hash;
        mixed = (mixed ^ mixed >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ mixed >>> 33;
    }

    private static final class Ring implements Placement {
        /** Few would spread keys badly: the share of a node varies with one over their square root. */
        private static final int POINTS_A_NODE = 256;

        private final int nodes;
        private final long[] points; // ascending
        private final int[] owners;

        private record Point(long at, int node) {}

        Ring(List<String> names) {
            nodes = names.size();
            List<Point> all = IntStream.range(0, nodes).boxed()
                    .flatMap(node -> IntStream.range(0, POINTS_A_NODE).mapToObj(i -> new Point(hash(names.get(node) + "#" + i), node)))
                    .sorted(Comparator.comparingLong(Point::at)).toList();
            points = all.stream().mapToLong(Point::at).toArray();
            owners = all.stream().mapToInt(Point::node).toArray();
        }

        @Override
        public int[] replicas(byte[] id, long keyHash, int count) {
            int at = Arrays.binarySearch(points, keyHash);
            int next = at < 0 ? -at - 1 : at;
            return IntStream.range(next, next + points.length).map(i -> owners[i % points.length]).distinct().limit(count).toArray();
        }
    }
}
