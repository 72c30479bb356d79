// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import lsmlab.load.plan.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The scripts of scripts/wrk2: what they ask for. */
class ProjectScriptsTest extends LoadRuns {
    private static final Path SCRIPTS = Path.of("../../scripts/wrk2");

    private static List<String> ids(TestServer server) {
        return paths(server).stream().map(p -> p.substring(p.indexOf("id=") + 3)).toList();
    }

    private static void runProjectScript(TestServer server, String name, String... arguments) throws IOException, InterruptedException {
        Settings s = settings(server, 2, 2, 1, 200);
        run(withScript(s, SCRIPTS.resolve(name), arguments));
    }

    @Test
    void putSequentialWritesEachNumberOnce() throws Exception {
        try (TestServer server = TestServer.constant()) {
            runProjectScript(server, "put-sequential.lua", "1000", "2");
            List<String> ids = ids(server);
            assertEquals(ids.size(), new HashSet<>(ids).size());
            assertTrue(ids.containsAll(List.of("keyNumber1000", "keyNumber1001", "keyNumber1002", "keyNumber1003", "keyNumber1100")), ids.toString());
            assertTrue(server.heads().stream().allMatch(h -> h.startsWith("PUT ")));
            assertTrue(server.bodies().stream().allMatch(b -> b.length() == 690));
        }
    }

    @Test
    void getSequentialStartsAgainAfterTheLastRecord() throws Exception {
        try (TestServer server = TestServer.constant()) {
            runProjectScript(server, "get-sequential.lua", "50", "2");
            assertEquals(50, new HashSet<>(ids(server)).size());
            assertTrue(ids(server).size() > 100, "it began again");
        }
    }

    @Test
    void getRandomStaysWithinTheRecordsAndThreadsDiffer() throws Exception {
        try (TestServer server = TestServer.constant()) {
            runProjectScript(server, "get-random.lua", "1000000");
            List<Integer> numbers = ids(server).stream().map(id -> Integer.parseInt(id.substring("keyNumber".length()))).toList();
            assertTrue(numbers.stream().allMatch(n -> n >= 0 && n < 1_000_000));
            assertTrue(new HashSet<>(numbers).size() > 0.95 * numbers.size(), "threads draw from streams of their own");
        }
    }

    @Test
    void putRandomHasTheIdsAndValuesOfReport000() throws Exception {
        try (TestServer server = TestServer.constant()) {
            runProjectScript(server, "put-random.lua");
            assertTrue(ids(server).stream().allMatch(id -> id.matches("[a-z0-9]{3,10}")), ids(server).toString());
            assertTrue(server.bodies().stream().allMatch(b -> b.length() >= 100 && b.length() <= 200));
        }
    }

    /** One connection: the requests are in the order in which the script made them. */
    private static List<String> ycsb(String letter, String theta, String... more) throws Exception {
        try (TestServer server = TestServer.constant()) {
            String[] arguments = Stream.concat(Stream.of(letter, "1000", theta, "50", "1"), Stream.of(more)).toArray(String[]::new);
            run(withScript(settings(server, 1, 1, 1, 400), SCRIPTS.resolve("ycsb.lua"), arguments));
            assertTrue(server.bodies().stream().allMatch(body -> body.isEmpty() || body.length() == 50));
            return server.heads().stream().map(head -> head.substring(0, head.indexOf(" HTTP"))).toList();
        }
    }

    @ParameterizedTest
    @CsvSource({"A, 0.35, 0.65", "B, 0.01, 0.12", "C, 0, 0", "D, 0.01, 0.12", "E, 0.01, 0.12", "F, 0.22, 0.44"})
    void ycsbWritesItsShare(String letter, double least, double most) throws Exception {
        List<String> requests = ycsb(letter, "0.99");
        double share = (double) requests.stream().filter(request -> request.startsWith("PUT ")).count() / requests.size();
        assertTrue(share >= least && share <= most, letter + ": " + share);
    }

    @ParameterizedTest
    @CsvSource({"0.99, 0.07, 0.20", "0, 0, 0.02"})
    void ycsbHasAMostPopularRecord(String theta, double least, double most) throws Exception {
        List<String> requests = ycsb("C", theta);
        long top = requests.stream().collect(Collectors.groupingBy(id -> id, Collectors.counting())).values().stream().mapToLong(n -> n).max().getAsLong();
        double share = (double) top / requests.size();
        assertTrue(share >= least && share <= most, "1 / (1 + 1/2^0.99 + ... 1/1000^0.99) is 0.13: " + share);
    }

    @Test
    void ycsbsMostPopularRecordsAreNeighboursWithAStrideOfOne() throws Exception {
        double neighbours = shareOfTheFirstTen(ycsb("C", "0.99", "1"));
        double scattered = shareOfTheFirstTen(ycsb("C", "0.99"));
        assertTrue(neighbours > 0.25 && scattered < 0.25, "the ten most popular of 1000 get 0.38: %s, %s".formatted(neighbours, scattered));
    }

    private static double shareOfTheFirstTen(List<String> requests) {
        return (double) requests.stream().filter(request -> request.matches(".*id=k000000000\\d")).count() / requests.size();
    }

    @Test
    void ycsbInsertsScansAndReadsBeforeItWrites() throws Exception {
        assertTrue(ycsb("D", "0.99").stream().filter(request -> request.startsWith("PUT ")).allMatch(request -> request.matches(".*id=k000000100\\d|.*id=k00000010\\d\\d")));
        assertTrue(ycsb("E", "0.99").stream().filter(request -> request.startsWith("GET ")).allMatch(request -> request.matches("GET /v0/entities\\?start=k0000000\\d{3}&end=k000000[01]\\d{3}")));
        List<String> both = ycsb("F", "0.99");
        for (int i = 1; i < both.size(); i++) {
            assertTrue(both.get(i).startsWith("GET ") || both.get(i).equals(both.get(i - 1).replace("GET", "PUT")), both.get(i - 1) + ", " + both.get(i));
        }
    }

    @Test
    void shuffledPutsCoverEachIdAndScansAreOfOneLength() throws Exception {
        try (TestServer server = TestServer.constant()) {
            run(withScript(settings(server, 1, 1, 1, 400), SCRIPTS.resolve("put-shuffled.lua"), "100", "50"));
            List<String> ids = server.heads().stream().limit(100).map(head -> head.substring(head.indexOf("id=") + 3, head.indexOf(" HTTP"))).toList();
            assertEquals(IntStream.range(0, 100).mapToObj("k%010d"::formatted).toList(), ids.stream().sorted().toList());
            assertNotEquals(ids.stream().sorted().toList(), ids);
        }
        try (TestServer server = TestServer.constant()) {
            run(withScript(settings(server, 1, 1, 1, 400), SCRIPTS.resolve("scan.lua"), "100", "10"));
            assertTrue(server.heads().stream().map(head -> head.replaceAll("(?s)^GET /v0/entities\\?start=k(\\d{10})&end=k(\\d{10}) .*", "$1 $2").split(" "))
                    .allMatch(range -> Integer.parseInt(range[1]) - Integer.parseInt(range[0]) == 10 && Integer.parseInt(range[1]) <= 100));
        }
    }
}
