// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import java.io.IOException;
import java.io.PrintStream;

/** What the options ask for. */
interface Task {
    /** Returns the exit status. */
    int run(PrintStream out) throws IOException, InterruptedException;
}
