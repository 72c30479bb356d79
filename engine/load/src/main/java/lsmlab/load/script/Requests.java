// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.script;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads requests that a script made: how many stand in one text, and what each asks for. */
public final class Requests {
    private static final Pattern CONTENT_LENGTH = Pattern.compile("(?i)content-length:\\s*(\\d{1,9})\\s*");
    private static final byte[] HEAD_END = {'\r', '\n', '\r', '\n'};

    private Requests() {}

    /** One request: method, path with query, body. */
    public record Request(String method, String path, byte[] body) {}

    /** Takes the next request off the buffer; null when no whole one is left. */
    public static Request next(ByteBuffer bytes) {
        int start = bytes.position();
        int headEnd = headEnd(bytes);
        if (headEnd < 0) {
            return null;
        }
        byte[] head = new byte[headEnd - bytes.position()];
        bytes.get(head);
        String[] lines = new String(head, StandardCharsets.ISO_8859_1).split("\r\n");
        String[] first = lines[0].split(" ");
        int length = 0;
        for (String line : lines) {
            Matcher contentLength = CONTENT_LENGTH.matcher(line);
            if (contentLength.matches()) {
                length = Integer.parseInt(contentLength.group(1));
            }
        }
        if (first.length < 2 || length > bytes.remaining()) {
            bytes.position(start);
            return null;
        }
        byte[] body = new byte[length];
        bytes.get(body);
        return new Request(first[0], first[1], body);
    }

    /** How many requests the text is; a text that is not made of whole ones is the script's mistake. */
    public static int count(ByteBuffer bytes) {
        int count = 0;
        while (next(bytes) != null) {
            count++;
        }
        if (count == 0 || bytes.hasRemaining()) {
            throw new LuaScript.ScriptException("request() returned no complete HTTP request, or something after it");
        }
        return count;
    }

    private static int headEnd(ByteBuffer bytes) {
        for (int i = bytes.position(); i + HEAD_END.length <= bytes.limit(); i++) {
            int matched = 0;
            while (matched < HEAD_END.length && bytes.get(i + matched) == HEAD_END[matched]) {
                matched++;
            }
            if (matched == HEAD_END.length) {
                return i + matched;
            }
        }
        return -1;
    }
}
