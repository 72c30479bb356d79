// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerBuilder;
import lsmlab.lab.process.ServerProcess;

/**
 * The server that answers each request with a constant: what it answers shows how fast the machine is at the moment. There is one for all
 * measurements of a notebook, because a JVM that has just been started is slower.
 */
final class Yardstick {
    private static final ServerBuilder CONSTANT = new ServerBuilder().store("constant").heap("64m").label("yardstick");
    private static ServerProcess running;

    private Yardstick() {}

    static synchronized ServerProcess running() {
        if (running == null || !running.isAlive()) {
            Server server = CONSTANT.start();
            running = ServerProcess.of(server);
        }
        return running;
    }
}
