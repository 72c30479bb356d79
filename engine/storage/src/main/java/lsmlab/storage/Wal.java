// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

/** The write-ahead log: what a write that returned survives. */
public enum Wal {
    /** The log is handed to the operating system: a killed process loses nothing, a power cut may lose the last writes. */
    OS,
    /** The log is synced before the write returns, one sync for all the writes of a group: a power cut loses nothing. */
    SYNC,
    /** No log, as in the reports' engines: what was not flushed is lost with the process. */
    NONE
}
