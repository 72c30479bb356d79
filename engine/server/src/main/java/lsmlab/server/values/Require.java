// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.values;

/** What an option has to be. */
public final class Require {
    private Require() {}

    /** @throws IllegalArgumentException with that message if the condition does not hold */
    public static void that(boolean condition, String message, Object... values) {
        if (!condition) {
            throw new IllegalArgumentException(message.formatted(values));
        }
    }
}
