// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.dflib.jjava.jupyter.messages.publish.PublishError;
import org.junit.jupiter.api.Test;

class LabConnectionTest {
    @Test
    void anErrorThatTheLabFoundIsItsMessageAndAnothersKeepsItsStack() {
        PublishError ours = new PublishError("RuntimeException", "java.lang.IllegalStateException, the server was stopped", List.of(
                "\u001B[1mjava.lang.IllegalStateException: the server was stopped", "\tat lsmlab.lab.Server.check(Server.java:1)", "\tat .(#5:1)"));
        assertEquals(1, LabConnection.shortened(ours).getStacktrace().size());
        assertTrue(LabConnection.shortened(ours).getStacktrace().getFirst().contains("the server was stopped"));
        assertEquals(ours.getErrorMessage(), LabConnection.shortened(ours).getErrorMessage(), "graders read it");
        PublishError cells = new PublishError("RuntimeException", "java.lang.IllegalStateException, mine", List.of(
                "java.lang.IllegalStateException: mine", "\tat .mine(#4:1)", "\tat lsmlab.lab.Rounds.<init>(Rounds.java:1)", "\tat .(#5:1)"));
        assertSame(cells, LabConnection.shortened(cells));
        PublishError bug = new PublishError("RuntimeException", "java.lang.NullPointerException, null", List.of(
                "java.lang.NullPointerException: null", "\tat lsmlab.lab.Server.check(Server.java:1)"));
        assertSame(bug, LabConnection.shortened(bug));
    }
}
