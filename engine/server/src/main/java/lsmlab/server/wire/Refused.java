// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

/** Thrown for a request that is not carried out. The answer has this status and one line of text. */
public final class Refused extends RuntimeException {
    public final int status;
    /** Another header of the answer, or null. */
    final String header;

    public Refused(int status, String message) {
        this(status, message, null);
    }

    public Refused(int status, String message, String header) {
        super(message, null, false, false);
        this.status = status;
        this.header = header;
    }

    public static Refused badRequest(String message) {
        return new Refused(400, message);
    }
}
