// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

/** Thrown for a request that is not carried out. The answer has this status and one line of text. */
final class Refused extends RuntimeException {
    final int status;
    /** Another header of the answer, or null. */
    final String header;

    Refused(int status, String message) {
        this(status, message, null);
    }

    Refused(int status, String message, String header) {
        super(message, null, false, false);
        this.status = status;
        this.header = header;
    }

    static Refused badRequest(String message) {
        return new Refused(400, message);
    }
}
