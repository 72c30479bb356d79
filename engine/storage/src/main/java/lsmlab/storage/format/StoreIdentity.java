// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.format;

/** The store's identity and generation. All its files carry them, so a file of another store or from an older copy is recognised. */
public final class StoreIdentity {
    private final long id;
    private volatile long generation;

    /** @param id random
     * @param generation of the manifest */
    public StoreIdentity(long id, long generation) {
        this.id = id;
        this.generation = generation;
    }

    public long id() {
        return id;
    }

    /** The generation of the newest manifest that was written. */
    public long generation() {
        return generation;
    }

    /** REQUIRES: one caller at a time. */
    public void written(long generation) {
        this.generation = generation;
    }
}
