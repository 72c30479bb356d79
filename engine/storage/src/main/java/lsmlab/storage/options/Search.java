// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.options;

/** How a key is looked for inside one table. */
public enum Search {
    /** The block index names the one block that can hold the key; only this block is read. */
    BLOCK_INDEX,
    /** Binary search over all entries: each probe reads a key on its own page, as the reports' engines did (report 002). */
    BINARY
}
