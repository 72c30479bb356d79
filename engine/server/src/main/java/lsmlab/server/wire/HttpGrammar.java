// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

/** Parts of the grammar of RFC 9110 and 9112. A head that breaks it could be understood in two ways. */
final class HttpGrammar {
    private static final boolean[] TOKEN = table("!#$%&'*+-.^_`|~");
    private static final boolean[] HOST = table("!$&'()*+,;=-._~%"); // RFC 3986, reg-name
    private static final boolean[] IP_LITERAL = table(":.");

    private HttpGrammar() {}

    private static boolean[] table(String others) {
        boolean[] table = new boolean[1 << Byte.SIZE];
        for (char c = 0; c < 1 << 7; c++) {
            table[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || others.indexOf(c) >= 0;
        }
        return table;
    }

    static int tokenEnd(byte[] buffer, int from, int to) {
        return endOf(TOKEN, buffer, from, to);
    }

    private static int endOf(boolean[] table, byte[] buffer, int from, int to) {
        int at = from;
        while (at < to && table[buffer[at] & 0xFF]) {
            at++;
        }
        return at;
    }

    /** Whether that stands in {@code buffer[start, end)}, in capitals or not. */
    static boolean isNamed(byte[] buffer, int start, int end, byte[] name) {
        if (end - start != name.length) {
            return false;
        }
        for (int i = 0; i < name.length; i++) {
            if ((buffer[start + i] | 0x20) != (name[i] | 0x20)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    static int skipBlanks(byte[] buffer, int from, int to) {
        int at = from;
        while (at < to && isBlank(buffer[at])) {
            at++;
        }
        return at;
    }

    static int trimBlanks(byte[] buffer, int from, int to) {
        int end = to;
        while (end > from && isBlank(buffer[end - 1])) {
            end--;
        }
        return end;
    }

    /** {@code uri-host [":" port]}, and not empty. */
    static boolean isHost(byte[] buffer, int from, int to) {
        int end;
        if (from < to && buffer[from] == '[') {
            end = endOf(IP_LITERAL, buffer, from + 1, to) + 1;
            if (end > to || buffer[end - 1] != ']' || end == from + 2) {
                return false;
            }
        } else {
            end = endOf(HOST, buffer, from, to);
        }
        if (end == from) {
            return false;
        }
        if (end == to) {
            return true;
        }
        int port = end + 1;
        while (port < to && buffer[port] >= '0' && buffer[port] <= '9') {
            port++;
        }
        return buffer[end] == ':' && port == to;
    }

    /** {@code *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )}, what may follow the size of a chunk. */
    static boolean areChunkExtensions(byte[] buffer, int from, int to) {
        int at = from;
        while (at < to) {
            at = skipBlanks(buffer, at, to);
            if (at == to || buffer[at] != ';') {
                return false;
            }
            int name = skipBlanks(buffer, at + 1, to);
            at = tokenEnd(buffer, name, to);
            if (at == name) {
                return false;
            }
            int equals = skipBlanks(buffer, at, to);
            if (equals < to && buffer[equals] == '=') {
                at = valueEnd(buffer, skipBlanks(buffer, equals + 1, to), to);
                if (at < 0) {
                    return false;
                }
            }
        }
        return true;
    }

    /** -1 if no token and no quoted string stands there. */
    private static int valueEnd(byte[] buffer, int from, int to) {
        if (from == to || buffer[from] != '"') {
            int end = tokenEnd(buffer, from, to);
            return end == from ? -1 : end;
        }
        for (int at = from + 1; at < to; at++) {
            if (buffer[at] == '\\') {
                at++;
            } else if (buffer[at] == '"') {
                return at + 1;
            }
        }
        return -1;
    }
}
