// SPDX-License-Identifier: Apache-2.0
/** A log-structured merge store. The packages that are not exported may change at any time. */
module lsmlab.storage {
    requires jdk.jfr;

    exports lsmlab.storage;
    exports lsmlab.storage.assembled;
    exports lsmlab.storage.entries;
    exports lsmlab.storage.options;
    exports lsmlab.storage.stats;
}
