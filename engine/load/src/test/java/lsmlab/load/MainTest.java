// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The program as a process: flags, statuses, what stands where. */
class MainTest {
    @TempDir
    Path folder;

    private record Ended(int status, String out, String err) {}

    private static List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), "lsmlab.load.Main"));
        command.addAll(List.of(arguments));
        return command;
    }

    private Process start(String... arguments) throws IOException {
        return new ProcessBuilder(command(arguments)).redirectOutput(folder.resolve("out").toFile()).redirectError(folder.resolve("err").toFile()).start();
    }

    private Ended end(Process process) throws IOException, InterruptedException {
        assertTrue(process.waitFor(300, TimeUnit.SECONDS));
        return new Ended(process.exitValue(), Files.readString(folder.resolve("out"), StandardCharsets.UTF_8),
                Files.readString(folder.resolve("err"), StandardCharsets.UTF_8));
    }

    private Ended run(String... arguments) throws IOException, InterruptedException {
        return end(start(arguments));
    }

    @Test
    void aRunThatCantBeSustainedEndsEarlyWhereThatIsAskedFor() throws Exception {
        try (TestServer server = TestServer.constant()) {
            Path json = folder.resolve("result.json");
            Ended ended = run("-t1", "-c1", "-d60s", "-R10M", "--abort-unsustained", "--json", json.toString(), server.url());
            assertEquals(0, ended.status(), ended.err());
            JsonNode result = new ObjectMapper().readTree(json.toFile());
            assertTrue(result.get("seconds").asDouble() < 30, "a twentieth of the run is enough to know");
            assertTrue(result.get("verdict").asText().startsWith("not sustained: "), ended.err());
            assertTrue(ended.err().contains("s: too many requests waited"), ended.err());
        }
    }

    @Test
    void aRunThatIsSustainedIsNotEnded() throws Exception {
        try (TestServer server = TestServer.constant()) {
            Ended ended = run("-t1", "-c2", "-d2s", "-R50", "--abort-unsustained", server.url());
            assertEquals(0, ended.status(), ended.err());
            assertTrue(!ended.err().contains("too many requests waited"), ended.err());
        }
    }

    @Test
    void aRunPrintsWrk2sTextAndWritesJson() throws Exception {
        try (TestServer server = TestServer.constant()) {
            Path json = folder.resolve("result.json");
            Ended ended = run("-t1", "-c2", "-d1s", "-R50", "-L", "-H", "X-Mine: yes", "--json", json.toString(), server.url());
            assertEquals(0, ended.status(), ended.err());
            assertTrue(ended.out().matches("(?s)Running 1s test @ http://127.0.0.1:\\d+/path\\?q=1\n  1 threads and 2 connections\n"
                    + "  Thread Stats .*#\\[Buckets =           27, SubBuckets     =         2048]\n-{58}\n  \\d+ requests in .*Transfer/sec: +\\S+B\n"),
                    ended.out());
            assertTrue(ended.err().matches("(?s)wrk2: asked for 50.0/s, sent \\d+\\.\\d/s, answered \\d+\\.\\d/s: (sustained|not sustained: [^;]*); p99: response .*"), ended.err());
            JsonNode result = new ObjectMapper().readTree(json.toFile());
            assertEquals("wrk2.jar", result.get("generator").asText());
            assertEquals(result.get("requests").asLong(), result.at("/response/count").asLong());
            assertEquals(10, result.get("intervals").size());
            assertTrue(server.heads().stream().allMatch(h -> h.startsWith("GET /path?q=1 HTTP/1.1\r\n") && h.contains("X-Mine: yes\r\n")));
        }
    }

    /** Every twentieth request waits. The server shares the clock. */
    @Test
    void theSlowestRequestsAreKeptWithTheirTimes() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> {
            TimeUnit.MILLISECONDS.sleep(number % 20 == 0 ? 40 : 0);
            return TestServer.response(200, "ok");
        })) {
            Path json = folder.resolve("result.json");
            long before = System.nanoTime();
            Ended ended = run("-t1", "-c1", "-d2s", "-R100", "--slowest", "4%", "--json", json.toString(), server.url());
            assertEquals(0, ended.status(), ended.err());
            JsonNode result = new ObjectMapper().readTree(json.toFile());
            long requests = result.get("requests").asLong();
            assertEquals(requests, result.get("tracedOf").asLong());
            assertEquals(Math.ceilDiv(4 * requests, 100), result.get("slowest").size());
            assertEquals(result.get("slowest").size(), result.get("typical").size());
            long slower = Long.MAX_VALUE;
            for (JsonNode request : result.get("slowest")) {
                long due = request.get("dueNanos").asLong();
                long response = request.get("receivedNanos").asLong() - due;
                assertTrue(response <= slower && response > 30_000_000, request.toString());
                assertTrue(before < due && due <= request.get("sentNanos").asLong() && request.get("receivedNanos").asLong() < System.nanoTime(), request.toString());
                assertTrue(request.get("port").asInt() > 0 && request.get("number").asInt() < requests);
                slower = response;
            }
        }
    }

    /** The server is a part of this process. */
    @Test
    void theProcessorTimeOfTheServerIsMeasuredInSlices() throws Exception {
        try (TestServer server = TestServer.constant()) {
            Path json = folder.resolve("result.json");
            Ended ended = run("-t1", "-c2", "-d2s", "-R200", "--pids", Long.toString(ProcessHandle.current().pid()), "--json", json.toString(), server.url());
            assertEquals(0, ended.status(), ended.err());
            JsonNode cpu = new ObjectMapper().readTree(json.toFile()).get("targetCpu");
            assertTrue(cpu.get("slices").size() >= 2 && cpu.get("slices").size() <= 8, cpu.toString());
            assertTrue(cpu.get("median").asDouble() > 0 && cpu.get("low").asDouble() <= cpu.get("median").asDouble() && cpu.get("median").asDouble() <= cpu.get("high").asDouble());
        }
    }

    @Test
    void whatCannotBeWrittenOrReachedIsOneLine() throws Exception {
        for (String url : List.of("http://127.0.0.1:99999/", "http://127.0.0.1:0/")) {
            Ended ended = run("-d1s", "-R10", url);
            assertEquals(1, ended.status());
            assertEquals("wrk2: not a URL like http://host:port/path: " + url + "\n", ended.err());
        }
        try (TestServer server = TestServer.constant()) {
            Ended folderForFile = run("-d100s", "-R10", "--json", folder.toString(), server.url());
            assertEquals("wrk2: --json %s is a folder, and not a file\n".formatted(folder), folderForFile.err());
            assumeTrue(Files.exists(Path.of("/dev/full")));
            Ended full = run("-c2", "-d1s", "-R50", "--hlog", "/dev/full", server.url());
            assertEquals(1, full.status());
            assertTrue(full.out().contains("requests in "), "what was measured is told");
            assertTrue(full.err().endsWith("wrk2: /dev/full could not be written in full: is its disk full?\n"), full.err());
        }
    }

    /** Where the knee is, is the machine's business; what is printed, and written, is not. */
    @Test
    void kneesArePrintedWithTheirServiceLevelAndHowSureTheyAre() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> {
            TimeUnit.MILLISECONDS.sleep(5); // so two connections are answered up to 400 times a second
            return TestServer.response(200, "ok");
        }); TestServer yardstick = TestServer.constant()) {
            Path json = folder.resolve("knee.json");
            Ended ended = run("-t1", "-c2", "-d6s", "--slice", "200ms", "--within", "1", "--knee", "p90=200ms", "--yardstick", yardstick.url(), "--json", json.toString(), server.url());
            assertEquals(0, ended.status(), ended.err());
            assertTrue(ended.out().matches("(?s)Knee: the rate at which half of the undisturbed trials of 200.00ms hold\n  p90 below 200 ms, at most 0.1 % errors, .*\n  \\Q" + server.url()
                    + "\\E: .*\n    \\d\\.\\d{3} \\[.*] of what \\Q" + yardstick.url() + "\\E answers in a closed loop\n    \\d+ trials, .*\n  after \\d+s\n"), ended.out());
            JsonNode knees = new ObjectMapper().readTree(json.toFile());
            assertEquals(90, knees.get("percentile").asInt());
            assertEquals(yardstick.url(), knees.get("yardstick").asText());
            JsonNode knee = knees.at("/knees/0");
            assertTrue(knee.at("/share/low").asDouble() <= knee.at("/share/median").asDouble() && knee.at("/share/median").asDouble() <= knee.at("/share/high").asDouble(), knee.toString());
            assertTrue(knee.get("trials").size() > 1 && knee.at("/trials/0/perSecond").asDouble() > 0);
        }
    }

    /** On a terminal, which util-linux's script pretends to be. */
    @Test
    void aTerminalSeesHowItGoes() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")) && System.getProperty("os.name").equals("Linux"));
        try (TestServer server = TestServer.constant()) {
            String command = String.join(" ", command("-t1", "-c1", "-d3s", "-R50", "'" + server.url() + "'"));
            Process process = new ProcessBuilder("script", "-qec", command, "/dev/null").redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectOutput(folder.resolve("out").toFile()).redirectError(folder.resolve("err").toFile()).start();
            Ended ended = end(process);
            assertTrue(ended.out().matches("(?s).*  [123] s of 3 s: \\d+/s of 50/s, \\d+ answered in all +\r.* +\r  Thread Stats.*"), ended.out());
        }
    }

    /** A JVM takes TERM as it takes the INT of Ctrl-C, which would not do here: shells ignore INT for what they run in the background, and for its children. */
    @Test
    void aSignalEndsTheRunWithItsReport() throws Exception {
        try (TestServer server = TestServer.constant()) {
            Process process = start("-t1", "-c1", "-d100s", "-R50", server.url());
            while (server.requests() < 10) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            process.destroy();
            assertTrue(process.waitFor(50, TimeUnit.SECONDS), "it does not go on to the end");
            Ended ended = end(process);
            assertEquals(0, ended.status(), ended.err());
            assertTrue(ended.out().contains("Requests/sec:"), ended.out());
        }
    }

    @Test
    void endsWithTheProcessItWasToldToFollow() throws Exception {
        try (TestServer server = TestServer.constant()) {
            Process parent = new ProcessBuilder("sleep", "600").start();
            Process process = start("-t1", "-c1", "-d100s", "-R50", "--exit-with", Long.toString(parent.pid()), server.url());
            while (server.requests() < 10) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            parent.destroyForcibly();
            assertEquals(1, end(process).status());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "-R100 | the URL is missing",
        "http://localhost:1 | the rate is missing",
        "-R0 http://localhost:1 | -R is 0, it must be",
        "-R1.5 http://localhost:1 | '1.5' is not a whole number",
        "-c1 -t2 -R1 http://localhost:1 | -c 1 is less than -t 2",
        "-R1 -dsoon http://localhost:1 | 'soon' is not a time",
        "-R1 nonsense | not a URL",
        "-R1 https://localhost:1 | https is not supported",
        "-R1 -HX:1 http://localhost:1 | has no ': '",
        "-R1 --json /no/such/folder/x.json http://localhost:1 | there is no such folder",
        "-R1 --hlog /no/such/folder/x.hlog http://localhost:1 | there is no such folder",
        "--knee p99 http://localhost:1 | 'p99' is not a bound like p99=10ms",
        "--knee p99=1ms --hlog x http://localhost:1 | --hlog is of one server and run",
        "-R1 --warmup never http://localhost:1 | 'never' is not a time",
        "-R1 http://localhost:1 http://localhost:2 | several URLs need --rounds N, which compares them, or --knee",
        "-R1 --pids 1,2 http://localhost:1 | --pids names 2 processes for 1 URLs",
        "-R1 --slowest 1% http://localhost:1 | --slowest needs --json FILE, where the requests go",
        "-R1 --slowest all --json x http://localhost:1 | --slowest is all, it must be a share like 1%",
        "-R1 --nonsense http://localhost:1 | Unknown option"})
    void badFlagsAreExplainedOnStderrWithTheUsageOnStdout(String line, String expected) throws Exception {
        Ended ended = run(line.split(" "));
        assertEquals(1, ended.status());
        assertTrue(ended.err().contains(expected), ended.err());
        assertEquals(1, ended.err().lines().count(), ended.err());
        assertTrue(ended.out().startsWith("Usage: wrk2 "), ended.out());
    }

    @Test
    void roundsPrintRatiosAndWriteThemBesideTheFirstTargetsResult() throws Exception {
        try (TestServer first = TestServer.constant(); TestServer second = TestServer.constant()) {
            Path json = folder.resolve("rounds.json");
            String pid = Long.toString(ProcessHandle.current().pid());
            Ended ended = run("--closed", "--slice", "50ms", "--rounds", "6", "--warmup", "100ms", "--pids", pid + "," + pid, "-t1", "-c4", "--json", json.toString(),
                    first.url(), second.url(), "--", "an argument");
            assertEquals(0, ended.status(), ended.err());
            assertTrue(ended.out().matches("(?s)6 rounds of 50.00ms a target, closed loop\n.*  processor time a request +\\d\\.\\d{3} \\[.*\\]  \\Q" + second.url()
                    + "\\E\n  throughput .*slices were disturbed.* lost between slices\n"), ended.out());
            JsonNode result = new ObjectMapper().readTree(json.toFile());
            assertEquals(first.url(), result.get("url").asText());
            assertEquals(2, result.get("targets").size());
            assertEquals(List.of("cpuMicrosPerRequest", "throughput", "p50Ms", "p99Ms"), result.get("ratios").findValuesAsText("measure"));
            JsonNode ratio = result.at("/ratios/1");
            assertEquals(second.url(), ratio.get("target").asText());
            assertEquals(first.url(), ratio.get("base").asText());
            assertTrue(ratio.get("rounds").asInt() >= 3 && ratio.get("rounds").asInt() <= 6, ratio.toString());
            assertTrue(ratio.get("low").asDouble() <= ratio.get("median").asDouble() && ratio.get("median").asDouble() <= ratio.get("high").asDouble());
            assertTrue(ratio.get("disturbed").isInt());
            assertTrue(result.get("slices").size() >= 12);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--rounds 1 --closed http://a/ http://b/ | --rounds is 1, it must be 2 to 1000",
        "--rounds 5 http://a/ http://b/ | the rate is missing: -R N, or --closed",
        "--rounds 5 --closed -R 10 http://a/ http://b/ | --closed has no rate: leave out -R, or --closed",
        "--closed http://a/ | --rounds is missing: --closed and --slice are of servers in turns",
        "--rounds 5 --closed --pids 1 http://a/ http://b/ | --pids names 1 processes for 2 URLs",
        "--rounds 5 --closed --pids 99999999 http://a/ | --pids: there is no process 99999999",
        "--rounds 5 --closed --slice 1ms http://a/ http://b/ | --slice is 1ms, it must be 20ms to 60s",
        "--rounds 5 --closed --knee p99=1ms http://a/ | --knee looks for the rate: it has no -R, --rounds or --closed",
        "--rounds 5 --closed --yardstick http://b/ http://a/ | --yardstick is for --knee",
        "--knee p99 http://a/ | --knee: 'p99' is not a bound like p99=10ms",
        "--knee p99=2s http://a/ | --knee p99=2s: a response that takes --timeout, 2s, is an error; take a longer --timeout",
        "--knee p99=1ms --abort-unsustained http://a/ | --abort-unsustained is of one server and run, --knee is of many",
        "--rounds 5 --closed -D exp http://a/ http://b/ | --closed has no distribution: leave out -D exp, or --closed",
        "--rounds 5 --closed -L http://a/ http://b/ | -L and -U are of one server and run, --rounds is of many",
        "--rounds 5 --closed http://a/x http://b/y | URLs of one comparison differ in host and port only: http://a/x, http://b/y",
        "--rounds 5 --closed http://a/x https://b/x | https is not supported: https://b/x"})
    void whatRoundsCannotDoIsOneLine(String options, String expected) throws Exception {
        Ended ended = run(options.split(" "));
        assertEquals(1, ended.status());
        assertEquals("wrk2: " + expected + "\n", ended.err());
    }

    @Test
    void helpWritesNothingToStderr() throws Exception {
        Ended help = run("--help");
        assertEquals(0, help.status());
        assertEquals("", help.err());
        assertTrue(help.out().replaceAll("\\s+", " ").contains("0.1 % errors"), help.out());
    }

    @Test
    void aShortRunHasItsRequestsASecond() throws Exception {
        try (TestServer server = TestServer.constant()) {
            String out = run("-t1", "-c1", "-d1s", "-R100", server.url()).out();
            assertTrue(out.matches("(?s).*\\n    Req/Sec +\\d+\\.\\d\\d +.*"), out);
        }
    }

    @Test
    void nobodyListeningAndNoScript() throws Exception {
        Ended refused = run("-R1", "http://127.0.0.1:1/");
        assertEquals(1, refused.status());
        assertTrue(refused.err().startsWith("wrk2: unable to connect to 127.0.0.1:1 "), refused.err());
        try (TestServer server = TestServer.constant()) {
            Ended noScript = run("-R1", "-s", "missing.lua", server.url());
            assertEquals(1, noScript.status());
            assertEquals("wrk2: no such script: missing.lua\n", noScript.err());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"wrk = nil", "wrk = 'x'"})
    void aScriptThatTakesItsEnvironmentAwayIsReported(String source) throws Exception {
        Path script = Files.writeString(folder.resolve("script.lua"), source);
        try (TestServer server = TestServer.constant()) {
            Ended ended = run("-t1", "-c1", "-d1s", "-R20", "-s", script.toString(), server.url());
            assertEquals(1, ended.status(), ended.err());
            assertTrue(ended.err().startsWith("wrk2: wrk.lua:"), ended.err());
        }
    }

    @Test
    void theLastOfARepeatedOptionCountsAndVersionIsTold() throws Exception {
        try (TestServer server = TestServer.constant()) {
            assertTrue(run("-t1", "-c3", "-c1", "-d1s", "-R20", server.url()).out().contains("1 threads and 1 connections"));
        }
        assertTrue(run("-v").out().startsWith("wrk2.jar "));
    }
}
