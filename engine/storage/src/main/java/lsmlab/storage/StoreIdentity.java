// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

/** The store's identity and generation. All its files carry them, so a file of another store or from an older copy is recognised. */
final class StoreIdentity {
    private final long id;
    private volatile long generation;

    /** @param id random
     * @param generation of the manifest */
    StoreIdentity(long id, long generation) {
        this.id = id;
        this.generation = generation;
    }

    long id() {
        return id;
    }

    /** The generation of the newest manifest that was written. */
    long generation() {
        return generation;
    }

    /** REQUIRES: one caller at a time. */
    void written(long generation) {
        this.generation = generation;
    }
}
