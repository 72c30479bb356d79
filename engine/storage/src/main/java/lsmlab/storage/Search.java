// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

/** How a key is looked for inside one table. */
public enum Search {
    /** Binary search over all entries: each probe reads a key on its own page, as the reports' engines did. */
    BINARY
}
