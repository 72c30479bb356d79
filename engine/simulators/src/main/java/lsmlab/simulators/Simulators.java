// SPDX-License-Identifier: Apache-2.0
package lsmlab.simulators;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import lsmlab.server.cluster.Sharding;
import lsmlab.storage.MergeSimulation;
import lsmlab.storage.options.MergePolicy;
import org.teavm.jso.JSExport;

/** What the site's page of simulators calls. It runs the classes that the engine and the servers run, as JavaScript. */
public final class Simulators {
    private Simulators() {}

    /** Nothing runs until the page asks. */
    public static void main(String[] arguments) {}

    /** How often each byte is written, when flushes of size 1 are merged by a policy: "binomial", "all", "doubling" or "never". */
    @JSExport
    public static double writeAmplification(String policy, int maxRuns, int flushes) {
        return MergeSimulation.of(policy(policy), maxRuns, flushes, () -> 1).writeAmplification();
    }

    /** Sizes of the runs that are left then, newest first. */
    @JSExport
    public static double[] runs(String policy, int maxRuns, int flushes) {
        return LongStream.of(MergeSimulation.runsLeft(policy(policy), maxRuns, flushes, () -> 1)).asDoubleStream().toArray();
    }

    private static MergePolicy policy(String name) {
        return switch (name) {
            case "binomial" -> MergePolicy.BINOMIAL;
            case "all" -> (bytes, _, maxRuns) -> bytes.length > maxRuns ? bytes.length : 0;
            case "doubling" -> Simulators::doubling;
            case "never" -> (_, _, _) -> 0;
            default -> throw new IllegalArgumentException("no such policy: " + name);
        };
    }

    /** Merges the newest runs as long as the next is at most twice as large as what is collected. */
    private static int doubling(long[] bytes, int[] levels, int maxRuns) {
        if (bytes.length <= maxRuns) {
            return 0;
        }
        int count = 2;
        long collected = bytes[0] + bytes[1];
        while (count < bytes.length && bytes[count] <= 2 * collected) {
            collected += bytes[count++];
        }
        return count;
    }

    /** The node of each of the ids "key0", "key1" and so on, by "rendezvous", "modulo" or "ring", in a cluster of that many nodes. */
    @JSExport
    public static int[] owners(String rule, int nodes, int ids) {
        List<String> names = IntStream.range(0, nodes).mapToObj(node -> "http://node-" + node + ":8080").toList();
        Sharding.Placement placement = Sharding.valueOf(rule.toUpperCase(Locale.ROOT)).over(names);
        return IntStream.range(0, ids).map(i -> {
            byte[] id = ("key" + i).getBytes(StandardCharsets.UTF_8);
            return placement.replicas(id, Sharding.hash(id), 1)[0];
        }).toArray();
    }
}
