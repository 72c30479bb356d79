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

    /**
     * Writes the records 0 to {@code records} - 1, and maybe a few more, at that rate, or as fast as the server takes them: what it did not take in time is sent again.
     *
     * @param query more parameters of each PUT, as {@code &ack=1}
     */
    void fill(Served server, int records, int rate, String query) throws IOException, InterruptedException {
        for (long written = 0; written < records;) {
            JsonNode result = load(server, rate, (records - written) / rate + 1, PUT, List.of(Long.toString(written), "1", query));
            long taken = result.at("/responseByStatus/2xx/count").asLong();
            if (taken == 0) {
                throw new IOException("%s takes no records: %s".formatted(server.url(), result.get("statuses")));
            }
            written += taken;
        }
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
