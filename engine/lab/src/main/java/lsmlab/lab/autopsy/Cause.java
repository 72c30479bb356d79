// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

/** What a request waited for. Each is an interval between two times that were taken, or the overlap with an event that was recorded; what is left is unexplained. */
public enum Cause {
    GENERATOR("the generator itself was late", "The load generator was busy or paused when it should have sent the request or read the answer."),
    CONNECT("connecting", "Its connection was not open yet when it was due."),
    BEHIND("other requests before it", "The request before it on its connection had no answer yet, or the thread that should read it served others."),
    STOPPED("the process was stopped", "No thread of the server ran: it was stopped, as by SIGSTOP or by a laptop that sleeps."),
    STARVED("no processor was free", "Its thread was ready to run, and other threads and processes had all processors."),
    GC("pause of the garbage collector", "The JVM stopped all threads to collect garbage."),
    SAFEPOINT("another pause of the JVM", "The JVM stopped all threads for work of its own."),
    WIRE("sockets and wake-ups", "From sending until an idle thread of the server woke up and read it."),
    READING("reading the request", "From its first byte until all of it was read and parsed."),
    QUEUE("the queue of the workers", "It was read, and all workers had other requests."),
    LOCK("a lock", "Its thread waited for a lock that another thread held."),
    GROUP("commit group", "Writes go to the log in groups: it waited for the group before its own, or for its leader."),
    THROTTLE("writes were slowed down", "The engine made writes wait before its memtables were full."),
    STALL_FLUSH("stall: flushes behind", "All memtables were full, and writes waited until one was flushed."),
    STALL_COMPACTION("stall: compaction behind", "There were too many sorted runs, and writes waited until some were merged."),
    LOG("the log", "Its group was written to the log."),
    SYNC("sync of the log", "The disk had to confirm that it has the log."),
    MEMTABLE("the memtable", "Its group was put into the memtable."),
    TABLES("search of memtables and tables", "Its key was looked for in memtables and tables."),
    REPLICA("another node", "Another node of the cluster had to answer first."),
    ANSWERING("writing the answer", "The answer was written to the socket."),
    CLIENT("the way back to the client", "From the server's last byte until the load generator had read it."),
    UNEXPLAINED("unexplained", "No time was taken and nothing was recorded here: no cause is known.");

    private final String words;
    private final String meaning;

    Cause(String words, String meaning) {
        this.words = words;
        this.meaning = meaning;
    }

    /** As charts and sentences name it. */
    public String words() {
        return words;
    }

    /** What it is, in a sentence. */
    public String meaning() {
        return meaning;
    }

    /** Whether its parts have a detail that says which one it was. */
    boolean isOneOfSeveral() {
        return this == REPLICA || this == LOCK;
    }

    /** Whether later requests wait for the same cause. False for work that every request takes. */
    boolean isPassedOn() {
        return switch (this) {
            case STOPPED, STARVED, GC, SAFEPOINT, LOCK, THROTTLE, STALL_FLUSH, STALL_COMPACTION, SYNC, REPLICA -> true;
            default -> false;
        };
    }
}
