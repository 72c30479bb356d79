// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import lsmlab.lab.environment.Json;
import lsmlab.lab.environment.Workspace;
import lsmlab.lab.process.ServerProcess;

/**
 * One run of wrk2.jar, which loads several servers in turns.
 *
 * @param yardstick null: none
 */
record InTurns(Load load, List<ServerProcess> servers, ServerProcess yardstick) {
    /**
     * What it writes as JSON.
     *
     * @param options what is to be done, and for how long
     * @param seconds that it takes at most
     * @param progress learns which share of these is over
     */
    <T> T run(List<String> options, double seconds, Class<T> result, DoubleConsumer progress) {
        try {
            Path folder = Workspace.newFolder("loads");
            Path json = Files.createTempFile(folder, "turns", ".json");
            Path text = Files.createTempFile(folder, "turns", ".txt");
            try {
                GeneratorProcess.start(Generator.own().command(arguments(options, json)), text, load.script).await(seconds, processes(), progress);
                return Json.MAPPER.readValue(json.toFile(), result);
            } finally {
                Files.deleteIfExists(json);
                Files.deleteIfExists(text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<ServerProcess> processes() {
        return Stream.concat(servers.stream(), Stream.ofNullable(yardstick)).toList();
    }

    private List<String> arguments(List<String> options, Path json) {
        List<String> list = new ArrayList<>(options);
        list.addAll(List.of("-c" + load.connections, "-t" + load.threads, "--json", json.toString()));
        if (servers.stream().noneMatch(ServerProcess::isInCluster)) {
            list.addAll(List.of("--pids", processes().stream().map(server -> Long.toString(server.pid())).collect(Collectors.joining(","))));
        }
        if (yardstick != null) {
            list.addAll(List.of("--yardstick", load.urlOf(yardstick)));
        }
        list.addAll(load.contentArguments());
        servers.forEach(server -> list.add(load.urlOf(server)));
        list.addAll(load.scriptArguments());
        return list;
    }
}
