// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;

/**
 * A node alone, once for each way to handle requests; all tests of a class share it. {@code -Dlsmlab.served=PORT} has them ask a server that runs already, like the
 * facade before Cassandra; those with the tag {@link #OWN_STORE} are about what only the lab's own server has.
 */
abstract class OneNode {
    static final String OWN_STORE = "own-store";
    private static final Integer SERVED = Integer.getInteger("lsmlab.served");
    @TempDir
    static Path data;
    static ServerProcess server;

    @Parameter
    String workers; // the servers' own; named so in reports

    @BeforeParameterizedClassInvocation
    static void start(String workers) throws Exception {
        server = SERVED != null ? new ServerProcess(SERVED) : new ServerProcess(data.resolve(workers), "--workers", workers, "--flush-threshold", "64KB", "--max-body", "1MB");
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    static void assertAnswer(int status, String body, HttpResponse<String> response) {
        assertEquals(status, response.statusCode());
        assertEquals(body, response.body());
    }
}
