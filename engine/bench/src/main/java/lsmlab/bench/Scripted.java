// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs {@code wrk2.jar} with the lab's scripts over 64 connections. */
record Scripted(Path root, Path folder) {
    static final int CONNECTIONS = 64;
    static final String PUT = "put-sequential.lua";
    static final String GET = "get-random.lua";

    JsonNode load(Served server, long rate, long seconds, String script, List<String> arguments) throws IOException, InterruptedException {
        return run(server, script, arguments, "-d" + seconds + "s", "-R" + rate);
    }

    /** Returns the rate, in requests per second, at which half of the trials keep the p99 of the response time below 10 ms. */
    double knee(Served server, long secondsATrial, String script, List<String> arguments) throws IOException, InterruptedException {
        JsonNode knee = run(server, script, arguments, "--slice", secondsATrial + "s", "--knee", "p99=10ms").at("/knees/0");
        if (knee.get("words").asText().startsWith("no knee")) {
            throw new IOException("%s, %s: %s".formatted(server.url(), script, knee.get("words").asText()));
        }
        return knee.at("/perSecond/median").asDouble();
    }

    private JsonNode run(Served server, String script, List<String> arguments, String... options) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("-t1", "-c" + CONNECTIONS));
        all.addAll(List.of(options));
        all.addAll(List.of("-s", root.resolve("scripts/wrk2/" + script).toString(), server.url()));
        if (!arguments.isEmpty()) {
            all.add("--");
            all.addAll(arguments);
        }
        return Client.own(generator(root)).json(folder, all);
    }

    static Path generator(Path root) {
        return root.resolve("engine/load/target/wrk2.jar");
    }
}
