// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.environment;

import java.util.Locale;

/**
 * Quick shows an effect in at most two minutes a notebook and keeps nothing; full uses the reports' sizes and keeps its rows. Smoke only shows
 * that every cell runs: its loads last a second, its searches end as soon as they can, it waits for no other notebook, and it decides nothing.
 */
public enum Mode {
    SMOKE, QUICK, FULL;

    /** From the environment variable LSM_LAB_MODE, which scripts/lab sets. */
    public static Mode current() {
        String mode = System.getenv("LSM_LAB_MODE");
        return mode == null || mode.isBlank() ? QUICK : valueOf(mode.toUpperCase(Locale.ROOT));
    }

    /** The size for the current mode. */
    public static <T> T sized(T quick, T full) {
        return current() == FULL ? full : quick;
    }

    /** The size for the current mode. */
    public static <T> T sized(T smoke, T quick, T full) {
        return current() == SMOKE ? smoke : sized(quick, full);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
