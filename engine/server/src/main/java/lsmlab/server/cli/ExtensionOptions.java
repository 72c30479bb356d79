// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cli;

import java.nio.file.Path;
import java.util.List;
import lsmlab.server.extension.Extension;
import lsmlab.server.values.Require;
import picocli.CommandLine.Option;

/** {@link Extension} as flags. */
public final class ExtensionOptions {
    @Option(names = "--extension", paramLabel = "CLASS", description = "a class that takes the place of what it implements: TableFilter, WriteThrottle, "
            + "MergePolicy (of lsmlab.storage.options), BlockingQueue (before the pool; made with its capacity), ToIntBiFunction<String, List<String>> (which of the nodes has an id), "
            + "Parts (of lsmlab.storage.assembled: a store in the engine's place)")
    private String className;

    @Option(names = "--extension-path", paramLabel = "DIR", description = "folder with its class files")
    private Path folder;

    public Extension extension() {
        Require.that((className == null) == (folder == null), "--extension and --extension-path belong together");
        return className == null ? Extension.NONE : Extension.load(className, folder);
    }
}
