// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import lsmlab.server.http.RequestTimes;
import lsmlab.server.session.Failures;
import lsmlab.server.store.Trouble;
import lsmlab.server.wire.Request;

/**
 * Loads when the server starts what later may be needed while memory or threads are short. WHY: a class whose initialization fails stays
 * unusable until the process ends.
 */
final class EarlyLoading {
    private static final String OURS = "lsmlab/";
    private static final String CLASS_ENDING = ".class";

    private EarlyLoading() {}

    static void load() {
        loadProgram();
        // Libraries, and code that the JVM links at its first use.
        Failures.answer(new OutOfMemoryError());
        Trouble.of(new IllegalStateException());
        new RequestTimes().record(Request.Method.GET, 0);
        Thread.startVirtualThread(() -> {});
    }

    /** All of the program's own classes, where it is a jar. */
    private static void loadProgram() {
        try {
            Path program = Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isRegularFile(program)) {
                try (JarFile jar = new JarFile(program.toFile())) {
                    jar.stream().map(JarEntry::getName).filter(name -> name.startsWith(OURS) && name.endsWith(CLASS_ENDING)).forEach(EarlyLoading::load);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void load(String classFile) {
        String name = classFile.substring(0, classFile.length() - CLASS_ENDING.length()).replace('/', '.');
        try {
            Class.forName(name, true, EarlyLoading.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }
}
