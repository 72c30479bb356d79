// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import java.nio.file.Path;

/** Options that cells have no words for. */
public final class RawOptions {
    private RawOptions() {}

    /** A class of these tests as an extension. */
    public static ServerBuilder extension(ServerBuilder builder, Class<?> type) {
        return builder.option("extension-path", Path.of("target/test-classes").toAbsolutePath().toString()).option("extension", type.getName());
    }
}
