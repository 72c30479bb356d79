// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;

/** What the disk holds is not known any more: final until the store is opened again, whatever the cause. */
final class DiskFailure extends IOException {
    DiskFailure(Throwable cause) {
        super(cause.toString(), cause);
    }
}
