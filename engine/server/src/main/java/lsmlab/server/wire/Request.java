// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A connection's current request: method, target and body, as {@link RequestReader} found them. A connection has one and reuses it for all its
 * requests, so a handler may read it until it has answered, and no longer. Its buffers grow as needed, and large ones are freed.
 */
public final class Request {
    public enum Method { GET, PUT, DELETE, HEAD, OTHER }

    /** No header {@code X-Lsm-Replica}: the request comes from a client. */
    static final long FROM_CLIENT = -1;

    /** Versions beyond are none: the store keeps a bit beside them, and they are never negative. */
    public static final long MAX_VERSION = (1L << 62) - 1;
    private static final int KEPT_BYTES = MemoryBudget.LARGE_BYTES;
    private static final int TARGET_BYTES = 256;
    private static final int KEY_BYTES = 64;
    private static final byte[] EMPTY = {};
    private static final MemorySegment EMPTY_SEGMENT = MemorySegment.ofArray(EMPTY);

    private final MemoryBudget memory;
    private final MemoryBudget.Charge bodyCharge;

    public Method method;
    public boolean http11;
    public boolean keepAlive;
    /** The version that another node gave to its write; 0 in its reads. */
    public long replicaVersion;

    private byte[] target = new byte[TARGET_BYTES];
    private int targetLength;
    private int pathLength;
    private final int[] parameterAt = new int[Parameter.COUNT]; // 0: not there
    private final int[] parameterEnd = new int[Parameter.COUNT];

    private byte[] key = new byte[KEY_BYTES];
    private MemorySegment keySegment = MemorySegment.ofArray(key);

    private byte[] body = EMPTY;
    private int bodyLength;
    private MemorySegment bodySegment = EMPTY_SEGMENT;
    private byte[] bodySegmentOf = EMPTY;

    /** @param memory that its body is counted in */
    public Request(MemoryBudget memory) {
        this.memory = memory;
        bodyCharge = memory.new Charge();
    }

    /**
     * Called when the request is answered. Frees the buffers of a large body or a long id, and that of a small body while memory is short.
     *
     * @param goesOn whether the connection does; if not, the buffer of any body goes
     */
    public void letGo(boolean goesOn) {
        if (target.length > MemoryBudget.UNCOUNTED_BYTES) {
            target = new byte[TARGET_BYTES];
            key = new byte[KEY_BYTES];
            keySegment = MemorySegment.ofArray(key);
        }
        if (!goesOn || body.length > KEPT_BYTES || !bodyCharge.isEmpty() && !memory.isAmple()) {
            release();
        }
    }

    /** The buffer of the body goes. Allocates nothing: without memory the share of the budget must be given back, too. */
    public void release() {
        body = EMPTY;
        bodyLength = 0;
        bodySegment = EMPTY_SEGMENT;
        bodySegmentOf = EMPTY;
        bodyCharge.resize(0);
    }

    public boolean isFromPeer() {
        return replicaVersion != FROM_CLIENT;
    }

    public MemoryBudget memory() {
        return memory;
    }

    /** Begins another request; what the one before held is gone. */
    void begin(Method method, byte[] buffer, int from, int length, boolean http11) {
        this.method = method;
        this.http11 = http11;
        keepAlive = http11;
        replicaVersion = FROM_CLIENT;
        bodyLength = 0;
        if (length > target.length) {
            target = new byte[length];
        }
        System.arraycopy(buffer, from, target, 0, length);
        targetLength = length;
        findParameters();
    }

    private void findParameters() {
        Arrays.fill(parameterAt, 0);
        int query = indexOf('?', 0);
        pathLength = query;
        for (int at = query + 1; at < targetLength;) {
            int end = indexOf('&', at);
            Parameter parameter = Parameter.at(target, at, end);
            if (parameter != null) {
                if (has(parameter)) {
                    throw Refused.badRequest("the parameter " + parameter.text() + " stands twice");
                }
                parameterAt[parameter.ordinal()] = at + parameter.nameLength();
                parameterEnd[parameter.ordinal()] = end;
            }
            at = end + 1;
        }
    }

    private int indexOf(char c, int from) {
        int i = from;
        while (i < targetLength && target[i] != c) {
            i++;
        }
        return i;
    }

    public boolean hasPath(byte[] path) {
        return Arrays.equals(target, 0, pathLength, path, 0, path.length);
    }

    public String path() {
        return new String(target, 0, pathLength, StandardCharsets.UTF_8);
    }

    public boolean has(Parameter parameter) {
        return parameterAt[parameter.ordinal()] != 0;
    }

    /** The decoded text of a parameter; null if it is not there. */
    String text(Parameter parameter) {
        int at = parameterAt[parameter.ordinal()];
        if (at == 0) {
            return null;
        }
        int end = parameterEnd[parameter.ordinal()];
        byte[] decoded = new byte[end - at];
        return new String(decoded, 0, PercentCode.decode(parameter.text(), target, at, end, decoded), StandardCharsets.UTF_8);
    }

    /** The parameter {@code id} as a key. */
    public MemorySegment id() {
        int length = decode(Parameter.ID);
        if (keySegment.byteSize() != length) {
            keySegment = MemorySegment.ofArray(key).asSlice(0, length);
        }
        return keySegment;
    }

    /** A parameter as a key of its own. */
    public MemorySegment keyOf(Parameter parameter) {
        int length = decode(parameter); // first, because decode() may replace the array
        return MemorySegment.ofArray(Arrays.copyOf(key, length));
    }

    /** A parameter as a number from 0 on; {@code otherwise} if it is not there. */
    public long number(Parameter parameter, long otherwise) {
        if (!has(parameter)) {
            return otherwise;
        }
        long number = Digits.number(target, parameterAt[parameter.ordinal()], parameterEnd[parameter.ordinal()]);
        if (number < 0) {
            throw Refused.badRequest("the parameter " + parameter.text() + " is no number");
        }
        return number;
    }

    private int decode(Parameter parameter) {
        int at = parameterAt[parameter.ordinal()];
        if (at == 0) {
            throw Refused.badRequest("the parameter " + parameter.text() + " is missing");
        }
        int end = parameterEnd[parameter.ordinal()];
        if (end - at > key.length) {
            key = new byte[end - at];
            keySegment = MemorySegment.ofArray(key);
        }
        int length = PercentCode.decode(parameter.text(), target, at, end, key);
        if (PercentCode.isBlank(key, length)) {
            throw Refused.badRequest("the parameter " + parameter.text() + " is blank");
        }
        return length;
    }

    /** The body's array, with room for {@code more} bytes. The whole body has {@code upTo} bytes, or at most that many if its length is not known. */
    byte[] roomForBody(int more, int upTo, boolean isLengthKnown) {
        int needed = bodyLength + more;
        if (needed > body.length) {
            // WHY not all of a large one at once: a client that merely announces a large body must not pin memory.
            int size = upTo <= KEPT_BYTES ? Integer.highestOneBit(Math.max(upTo, 512) * 2 - 1)
                    : Math.min(upTo, Math.max(isLengthKnown ? KEPT_BYTES : MemoryBudget.UNCOUNTED_BYTES, 2 * bodyLength));
            int grown = Math.max(needed, size);
            bodyCharge.resize(grown);
            body = Arrays.copyOf(body, grown);
        }
        return body;
    }

    int bodyLength() {
        return bodyLength;
    }

    void addedToBody(int bytes) {
        bodyLength += bytes;
    }

    /** The body, valid until the request is answered. */
    public MemorySegment body() {
        if (bodySegment.byteSize() != bodyLength || bodySegmentOf != body) {
            bodySegment = MemorySegment.ofArray(body).asSlice(0, bodyLength);
            bodySegmentOf = body;
        }
        return bodySegment;
    }

    /** The body as an array that stays with the caller. */
    public byte[] bodyToKeep() {
        return Arrays.copyOf(body, bodyLength);
    }
}
