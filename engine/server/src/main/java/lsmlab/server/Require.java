// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

/** What an option has to be. */
final class Require {
    private Require() {}

    /** @throws IllegalArgumentException with that message if the condition does not hold */
    static void that(boolean condition, String message, Object... values) {
        if (!condition) {
            throw new IllegalArgumentException(message.formatted(values));
        }
    }
}
