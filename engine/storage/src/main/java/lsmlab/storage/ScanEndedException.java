// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

/** A slow scan was ended, because too much that the store has replaced was kept for it. What it has shown is right; begin another after it. */
public final class ScanEndedException extends IllegalStateException {
    ScanEndedException() {
        super("the scan was ended: it was slow, and too much that has been replaced was kept for it; begin another after its last key");
    }
}
