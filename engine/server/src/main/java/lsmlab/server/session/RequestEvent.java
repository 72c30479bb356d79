// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.session;

import jdk.jfr.Category;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** A slow request, from when it was read completely to its answer. Off unless a recording enables it, with a threshold of its choice. */
@Name("lsmlab.Request")
@Label("Slow request")
@Category("LSM server")
@Enabled(false)
@Threshold("10 ms")
@StackTrace(false)
final class RequestEvent extends Event {
    @Label("Method")
    String method;
    @Label("Path")
    String path;
    @Label("Status")
    int status;
}
