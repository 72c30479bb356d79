// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.environment;

/** Checks of what a cell hands over. A null is mostly a variable whose cell did not finish. */
public final class Given {
    private Given() {}

    /**
     * @param call what was called
     * @param of what it needs
     * @throws IllegalArgumentException when there is nothing, or a null among them
     */
    public static void some(String call, String of, Object... things) {
        if (things != null && things.length == 0) {
            throw new IllegalArgumentException("%s() needs %s: put them between the brackets".formatted(call, of));
        }
        for (Object thing : things == null ? new Object[1] : things) {
            if (thing == null) {
                throw new IllegalArgumentException("%s got null where it needs %s: the cell that makes it did not finish; run it again".formatted(call, of));
            }
        }
    }
}
