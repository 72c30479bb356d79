// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;

/** The contents of the disk are no longer known. Whatever the cause, the store takes no writes until it is opened again. */
final class DiskFailure extends IOException {
    DiskFailure(Throwable cause) {
        super(cause.toString(), cause);
    }
}
