// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.session;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How many files and connections this process may have open. */
public final class Descriptors {
    private static final long UNLIMITED = 1 << 20;

    private Descriptors() {}

    public static long limit() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? Math.min(UNLIMITED, system.getMaxFileDescriptorCount()) : UNLIMITED;
    }
}
