// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

import lsmlab.server.values.ByteSize;

/** The body of one request, as its length or its chunks say. */
final class RequestBody {
    private static final int CHUNK_SIZE_DIGITS = 15;

    private final Request request;
    private final int maxBytes;
    private boolean chunked;
    private long left; // of the body or the chunk

    RequestBody(Request request, int maxBytes) {
        this.request = request;
        this.maxBytes = maxBytes;
    }

    /** @param length in bytes; means nothing if the body is chunked */
    void begin(boolean chunked, long length) {
        this.chunked = chunked;
        left = chunked ? 0 : length;
    }

    void checkLength() {
        if (left > maxBytes) {
            throw tooLarge();
        }
    }

    /** Begins the chunk whose size this line gives; returns false for the last one, which is empty. */
    boolean beginChunk(byte[] buffer, int start, int end) {
        int sizeEnd = start;
        while (sizeEnd < end && Character.digit(buffer[sizeEnd], 16) >= 0) {
            sizeEnd++;
        }
        left = Digits.number(buffer, start, sizeEnd, 16, CHUNK_SIZE_DIGITS);
        if (left < 0 || !HttpGrammar.areChunkExtensions(buffer, sizeEnd, end)) {
            throw Refused.badRequest("a chunk without a size, or with extensions that are none");
        }
        if (request.bodyLength() + left > maxBytes) {
            throw tooLarge();
        }
        return left > 0;
    }

    /** Takes the part of it that has arrived; returns the length of that part. */
    int take(byte[] buffer, int from, int to) {
        int piece = (int) Math.min(left, to - from);
        int upTo = chunked ? maxBytes : (int) (request.bodyLength() + left);
        byte[] body = request.roomForBody(piece, upTo, !chunked);
        System.arraycopy(buffer, from, body, request.bodyLength(), piece);
        request.addedToBody(piece);
        left -= piece;
        return piece;
    }

    /** Bytes of the body or of its chunk that have not arrived. */
    long left() {
        return left;
    }

    private Refused tooLarge() {
        return new Refused(413, "the body is larger than the limit of " + new ByteSize(maxBytes));
    }
}
