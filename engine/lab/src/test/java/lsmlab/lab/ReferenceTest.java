// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The reference of the vocabulary is made from the code, and every call that a cell can make is described there. */
class ReferenceTest {
    @Test
    void theCommittedPageIsTheCodes() throws IOException {
        if (Boolean.getBoolean("reference.rewrite")) {
            Files.writeString(Reference.file(), Reference.markdown());
        }
        assertEquals(Reference.markdown(), Files.readString(Reference.file()), "-Dreference.rewrite=true writes it anew");
    }

    @Test
    void everyCallSaysWhatItDoes() {
        List<String> undescribed = Reference.markdown().lines().filter(line -> line.matches("\\| `.*` \\|  \\|.*")).toList();
        assertEquals(List.of(), undescribed);
        assertTrue(Reference.markdown().contains("| `Lab.wrk2()` | A load to be configured and run"), "the way in is there");
        assertTrue(Reference.markdown().contains("| `.rate(double perSecond)` | Requests a second, all connections together. | Load |"));
    }
}
