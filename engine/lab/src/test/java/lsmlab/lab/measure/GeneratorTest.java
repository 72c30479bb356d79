// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which program makes the load. */
class GeneratorTest {
    @TempDir
    Path folder;

    private Path program(String name, String usage) throws IOException {
        Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\necho '" + usage + "'\nexit 1\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void aWrkWithoutRateIsPassedByAndOneWithItTaken() throws IOException {
        Path plain = program("wrk", "-c, --connections");
        assertFalse(Generator.find(null, folder.toString()).isReal());
        assertThrows(IllegalStateException.class, () -> Generator.find(plain.toString(), ""));
        Path real = program("wrk2", "-R, --rate");
        assertEquals("wrk2 (real)", Generator.find(null, "/nothing:" + folder).name());
        assertTrue(Generator.find(real.toString(), "").isReal());
        assertEquals("wrk2.jar", Generator.find("wrk2.jar", folder.toString()).name());
    }
}
