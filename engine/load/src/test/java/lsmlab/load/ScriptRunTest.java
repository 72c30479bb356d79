// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import lsmlab.load.plan.Settings;
import lsmlab.load.result.LoadResult;
import lsmlab.load.run.LoadRun;
import lsmlab.load.script.LuaScript;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts, in runs against real servers. */
class ScriptRunTest extends LoadRuns {
    @Test
    void scriptsHaveTheirOwnStateInEachThreadAndGetTheirArguments() throws Exception {
        try (TestServer server = TestServer.constant()) {
            run(withScript(settings(server, 2, 2, 1, 40), """
                    local count = 0
                    function setup(thread)
                      count = count + 1
                      thread:set("name", "t" .. count)
                    end
                    function init(args) prefix = args[1] .. "-" .. #args .. "-" .. name; n = 0 end
                    function request()
                      n = n + 1
                      return wrk.format("PUT", "/" .. prefix .. "/" .. n, {["X-Thread"] = name}, "body" .. n)
                    end
                    """, "A", "B"));
            List<String> all = paths(server);
            HashSet<String> paths = new HashSet<>(all);
            assertEquals(all.size(), paths.size(), "no path twice");
            assertFalse(paths.contains("/A-2-t1/1"), "thread 0 makes one request that is not sent, as in wrk2");
            assertTrue(paths.containsAll(List.of("/A-2-t1/2", "/A-2-t2/1")), paths.toString());
            assertTrue(server.heads().stream().allMatch(h -> h.contains("Host: 127.0.0.1:") && h.contains("X-Thread: t")), server.heads().getFirst());
            assertTrue(server.bodies().stream().allMatch(b -> b.startsWith("body")), server.bodies().getFirst());
        }
    }

    @Test
    void pipelinedBatchesCountEachResponse() throws Exception {
        String three = "function request() return wrk.format('GET', '/1') .. wrk.format('GET', '/2') .. wrk.format('GET', '/3') end";
        try (TestServer server = TestServer.constant()) {
            LoadResult each = run(withScript(settings(server, 1, 1, 1, 90), three));
            assertTrue(each.requests() > 45 && each.requests() % 3 == 0, "batches of three: " + each.requests());
            assertEquals(each.requests(), each.response().count());
            Settings s = withScript(settings(server, 1, 1, 1, 90), three);
            LoadResult last = run(withBatchLatency(s));
            assertEquals(last.requests() / 3, last.response().count());
        }
    }

    @Test
    void responseAndDoneSeeWhatHappened() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> "HTTP/1.1 201 Created\r\nX-Number: %d\r\nContent-Length: 2\r\n\r\nok".formatted(number))) {
            Settings settings = withScript(settings(server, 1, 1, 1, 50), """
                    local threads = {}
                    function setup(thread) threads[#threads + 1] = thread end
                    function response(status, headers, body) seen = status .. headers["X-Number"] .. body; n = (n or 0) + 1 end
                    function done(summary, latency, requests)
                      local f = io.open("%s", "w")
                      f:write(threads[1]:get("n") == summary.requests and "same " or "other ", summary.errors.status, " ",
                        latency.max >= latency:percentile(50) and "ordered" or "not", " ", threads[1]:get("seen"):sub(1, 3))
                      f:close()
                    end
                    """.formatted(folder.resolve("done.txt")));
            try (LoadRun run = new LoadRun(settings, SILENT, null, null, () -> {})) {
                run.print(run.run(), true, true);
            }
            assertEquals("same 0 ordered 201", Files.readString(folder.resolve("done.txt")));
        }
    }

    @Test
    void aScriptThatStopsItsThreadEndsTheRun() throws Exception {
        try (TestServer server = TestServer.constant()) {
            LoadResult result = run(withScript(settings(server, 1, 1, 60, 100), """
                    function request()
                      n = (n or 0) + 1
                      if n == 11 then wrk.thread:stop() end
                      return wrk.format()
                    end
                    """));
            assertEquals(10, result.requests(), 2);
        }
    }

    @Test
    void aMistakeInOneThreadEndsAll() throws Exception {
        try (TestServer server = TestServer.constant()) {
            Settings settings = withScript(settings(server, 2, 2, 100, 100), """
                    local count = 0
                    function setup(thread) thread:set("first", count == 0); count = count + 1 end
                    function request()
                      n = (n or 0) + 1
                      if first and n == 20 then error("enough") end
                      return wrk.format()
                    end
                    """);
            assertTrue(assertThrows(LuaScript.ScriptException.class, () -> run(settings)).getMessage().contains("enough"));
        }
    }

    @Test
    void scriptsMayReplaceHeadersHostAndPort() throws Exception {
        try (TestServer server = TestServer.constant()) {
            run(withScript(settings(server, 1, 1, 1, 10), "wrk.host = 'other'; wrk.port = 81; wrk.headers = {['X-Mine'] = 'yes'}"));
            assertTrue(server.heads().stream().allMatch(h -> h.contains("Host: other:81\r\n") && h.contains("X-Mine: yes")), server.heads().getFirst());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "x = = 1 | test.lua:1:",
        "function request() return nil .. 'x' end | test.lua:1:",
        "function request() return 5 + {} end | test.lua:1:",
        "function init() error('broken') end | broken",
        "function request() return 'GET / HTTP/1.1' end | no complete HTTP request",
        "function request() return wrk.format() .. 'x' end | no complete HTTP request",
        "function request() end | returned no string"})
    void mistakesOfAScriptNameItsLine(String lua, String expected) throws Exception {
        try (TestServer server = TestServer.constant()) {
            Settings settings = withScript(settings(server, 1, 1, 1, 10), lua);
            String message = assertThrows(LuaScript.ScriptException.class, () -> run(settings)).getMessage();
            assertTrue(message.contains(expected), message);
        }
    }

    @Test
    void requestsSentAgainAreSentOnce() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> number % 5 == 4 ? null : TestServer.response(200, "x"))) {
            LoadResult result = run(settings(server, 2, 1, 2, 50));
            assertTrue(result.errors().read() > 10, result.errors().toString());
            assertEquals(result.plannedRequests(), result.sentRequests() + result.unfinished().unsent(), 2);
        }
    }

    @Test
    void aSeedRepeatsWhatScriptsDrawWhateverTheySeed() throws Exception {
        String script = """
                math.randomseed(os.time())
                local number = 0
                function setup(thread) thread:set("name", number) number = number + 1 end
                function request() return wrk.format("GET", "/" .. name .. "/" .. math.random(1, 1000000000)) end
                """;
        List<List<List<String>>> drawn = new ArrayList<>(); // by run and thread
        for (int i = 0; i < 2; i++) {
            try (TestServer server = TestServer.constant()) {
                run(withSeed(withScript(settings(server, 2, 2, 1, 100), script), 7));
                List<String> paths = paths(server);
                drawn.add(Stream.of("/0/", "/1/").map(thread -> paths.stream().filter(path -> path.startsWith(thread)).map(path -> path.substring(3)).toList()).toList());
            }
        }
        assertNotEquals(drawn.getFirst().getFirst().getFirst(), drawn.getFirst().getLast().getFirst(), "each thread has a stream of its own");
        for (int thread = 0; thread < 2; thread++) {
            List<String> first = drawn.getFirst().get(thread);
            List<String> again = drawn.getLast().get(thread);
            int both = Math.min(first.size(), again.size());
            assertTrue(both > 10, "numbers were drawn");
            assertEquals(first.subList(0, both), again.subList(0, both), "the same numbers in both runs, as far as both came");
        }
    }

    @Test
    void scriptsMayLookAddressesUpAndChooseThem() throws Exception {
        try (TestServer server = TestServer.constant(); TestServer other = TestServer.constant()) {
            int port = URI.create(other.url()).getPort();
            run(withScript(settings(server, 1, 1, 1, 20), """
                    function setup(thread)
                      local addresses = wrk.lookup("127.0.0.1", "%d")
                      assert(wrk.connect(addresses[1]) and not wrk.connect("127.0.0.1:1"))
                      assert(tostring(thread.addr) == tostring(wrk.addrs[1]))
                      thread.addr = addresses[1]
                    end
                    """.formatted(port)));
            assertEquals(0, server.requests());
            assertTrue(other.requests() > 10, other.requests() + " requests");
        }
    }

    @Test
    void doneMayWalkThroughTheDistribution() throws Exception {
        try (TestServer server = TestServer.constant()) {
            Settings settings = withScript(settings(server, 1, 1, 1, 50), """
                    function done(summary, latency, requests)
                      assert(#latency == summary.requests and #requests > 0)
                      assert(latency[#latency] == latency:percentile(100) and latency[1] <= latency[#latency])
                      local f = io.open("%s", "w") f:write("walked") f:close()
                    end
                    """.formatted(folder.resolve("done.txt")));
            try (LoadRun run = new LoadRun(settings, SILENT, null, null, () -> {})) {
                run.print(run.run(), false, false);
            }
            assertEquals("walked", Files.readString(folder.resolve("done.txt")));
        }
    }

    /** Scripts of every form that was found in students' reports, or that comes with wrk. */
    @ParameterizedTest
    @ValueSource(strings = {
        "request = function() return wrk.format(nil, '/a') end",
        "wrk.method = 'POST' wrk.body = 'a=b' wrk.headers['Content-Type'] = 'application/x-www-form-urlencoded'",
        "n = 0 request = function() wrk.headers['X-N'] = n n = n + 1 return wrk.format(nil, '/' .. n) end",
        "path = '/login' request = function() return wrk.format('GET', path) end\n"
                + "response = function(status, headers, body) if status == 200 then path = '/in' wrk.headers['X-Token'] = headers['Content-Length'] end end",
        "init = function(args) local t = {} for i = 1, 3 do t[i] = wrk.format(nil, '/?' .. i) end all = table.concat(t) end request = function() return all end",
        "local all = {} function setup(t) table.insert(all, t) t:set('id', #all) end function init() count = 0 end\n"
                + "function request() count = count + 1 return wrk.format('GET', '/' .. id) end function done() for _, t in ipairs(all) do assert(t:get('count') > 0) end end",
        "done = function(s, latency, requests) for _, p in pairs({50, 90, 99.9}) do assert(latency:percentile(p) > 0) end assert(s.errors.status == 0 and s.duration > 0) end",
        "local found function setup(thread) if not found then found = wrk.lookup(wrk.host, wrk.port or 'http') for i = #found, 1, -1 do\n"
                + "if not wrk.connect(found[i]) then table.remove(found, i) end end end thread.addr = found[math.random(#found)] end",
        "local string = require('string') local math = require('math') math.randomseed(os.clock() * 1000) function request()\n"
                + "local s = '' for i = 1, 10 do s = s .. string.char(math.random(97, 122)) end return wrk.format('PUT', '/v0/entity?id=' .. s, {}, s) end",
        "function request() wrk.method = 'PUT' wrk.body = ('x'):rep(100) return wrk.format(wrk.method, ('/%d'):format(math.random(9)), wrk.headers, wrk.body) end",
        "function request() return wrk.format('DELETE', '/v0/entity?id=' .. math.fmod(math.random(100), 7), {['X-A'] = 'b'}) end",
        "function request() return wrk.format('PUT', '/n', nil, 12345) end"})
    void scriptsOfEveryFormRun(String script) throws Exception {
        try (TestServer server = TestServer.constant()) {
            try (LoadRun run = new LoadRun(withScript(settings(server, 2, 2, 1, 60), script), SILENT, null, null, () -> {})) {
                LoadResult result = run.run();
                run.print(result, false, false);
                assertTrue(result.requests() > 30, result.requests() + " requests");
                assertEquals(new LoadResult.Errors(0, 0, 0, 0, 0), result.errors());
            }
        }
    }
}
