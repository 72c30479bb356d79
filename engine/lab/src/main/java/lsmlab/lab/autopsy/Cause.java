// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

/** What a request waited for. Each is an interval between two times that were taken, or the overlap with an event that was recorded; what is left is unexplained. */
public enum Cause {
    GENERATOR("the generator itself was late"),
    CONNECT("connecting"),
    BEHIND("other requests before it"),
    STOPPED("the process was stopped"),
    STARVED("no processor was free"),
    GC("pause of the garbage collector"),
    SAFEPOINT("another pause of the JVM"),
    WIRE("sockets and wake-ups"),
    READING("reading the request"),
    QUEUE("the queue of the workers"),
    LOCK("a lock"),
    GROUP("commit group"),
    THROTTLE("writes were slowed down"),
    STALL_FLUSH("stall: flushes behind"),
    STALL_COMPACTION("stall: compaction behind"),
    LOG("the log"),
    SYNC("sync of the log"),
    MEMTABLE("the memtable"),
    TABLES("search of memtables and tables"),
    REPLICA("another node"),
    ANSWERING("writing the answer"),
    CLIENT("the way back to the client"),
    UNEXPLAINED("unexplained");

    private final String words;

    Cause(String words) {
        this.words = words;
    }

    /** As charts and sentences name it. */
    public String words() {
        return words;
    }

    /** Whether a request that comes later waits for the same, if the one before it waits so: not for what any request takes. */
    boolean isPassedOn() {
        return switch (this) {
            case STOPPED, STARVED, GC, SAFEPOINT, LOCK, THROTTLE, STALL_FLUSH, STALL_COMPACTION, SYNC, REPLICA -> true;
            default -> false;
        };
    }
}
