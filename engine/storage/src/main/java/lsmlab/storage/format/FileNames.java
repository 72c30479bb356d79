// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.format;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of the store's files; the engine ignores every other file in the folder. */
public final class FileNames {
    public static final String MANIFEST = "MANIFEST";
    public static final String UNFINISHED_ENDING = ".tmp";

    private static final Pattern TABLE = Pattern.compile("(\\d{10,18})\\.table");
    private static final Pattern LOG = Pattern.compile("(\\d{10,18})\\.log");
    private static final Pattern UNFINISHED = Pattern.compile("(MANIFEST|\\d{10,18}\\.table)\\.tmp");

    private FileNames() {}

    public static String table(long number) {
        return "%010d.table".formatted(number);
    }

    public static String log(long number) {
        return "%010d.log".formatted(number);
    }

    public static String unfinished(String name) {
        return name + UNFINISHED_ENDING;
    }

    public static boolean isUnfinished(String name) {
        return UNFINISHED.matcher(name).matches();
    }

    /** 0 if it is not the name of a table. */
    public static long tableNumber(String name) {
        return number(TABLE, name);
    }

    /** 0 if it is not the name of a log. */
    public static long logNumber(String name) {
        return number(LOG, name);
    }

    private static long number(Pattern pattern, String name) {
        Matcher matcher = pattern.matcher(name);
        return matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
    }
}
