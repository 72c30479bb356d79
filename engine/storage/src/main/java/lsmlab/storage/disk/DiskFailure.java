// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.disk;

import java.io.IOException;

/** The contents of the disk are no longer known. Whatever the cause, the store takes no writes until it is opened again. */
public final class DiskFailure extends IOException {
    public DiskFailure(Throwable cause) {
        super(cause.toString(), cause);
    }
}
