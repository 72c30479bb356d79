// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.options;

/** What a flush does to the tables that were open before it. */
public enum Reload {
    /** They stay as they are. */
    INCREMENTAL,
    /** They are all opened again, as report 000 first did (claim 000-6). */
    FULL
}
