// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.options;

/** The write-ahead log: what a write that returned survives. */
public enum Wal {
    /**
     * The log is handed to the operating system: a killed process loses nothing. A power cut may lose the last writes, or leave a log with
     * a hole, which the next opening refuses, saying what to do.
     */
    OS,
    /** The log is synced before the write returns, one sync for all the writes of a group: a power cut loses nothing. */
    SYNC,
    /** No log, as in the reports' engines: what was not flushed is lost with the process. */
    NONE
}
