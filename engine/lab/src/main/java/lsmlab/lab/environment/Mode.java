// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.environment;

import java.util.Locale;

/** Quick shows an effect in at most two minutes a notebook and keeps nothing; full uses the reports' sizes and keeps its rows. */
public enum Mode {
    QUICK, FULL;

    /** From the environment variable LSM_LAB_MODE, which scripts/lab sets. */
    public static Mode current() {
        String mode = System.getenv("LSM_LAB_MODE");
        return mode == null || mode.isBlank() ? QUICK : valueOf(mode.toUpperCase(Locale.ROOT));
    }

    /** The size for the current mode. */
    public static <T> T sized(T quick, T full) {
        return current() == FULL ? full : quick;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
