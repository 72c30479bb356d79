// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import lsmlab.lab.autopsy.Cause;

/**
 * The lab's colours for what a store and its server do: each stands for the same in every chart, flame graph and picture. From the palette of Okabe and Ito, made for colour-blind readers;
 * each is visible on white and on black. What is alike has tints of one colour.
 */
enum Hue {
    /** Work on the request itself: reading it, searching memtables and tables, answering. */
    WORK(0x0072B2),
    /** Writing to disk: the log and flushes. */
    DISK(0xE69F00),
    COMPACTION(0x009E73),
    /** Nothing goes on: a stall of writes, a pause, no processor. */
    STALL(0xD55E00),
    /** In line behind others, and on the way. */
    WAY(0xCC79A7),
    /** Not known, or not of interest. */
    OTHER(0x999999);

    private static final int FULL = 0xFF;

    private final int rgb;

    Hue(int rgb) {
        this.rgb = rgb;
    }

    /**
     * A tint of a colour.
     *
     * @param white share of white that is mixed in, 0 to 1
     */
    record Shade(Hue hue, double white) {
        Shade lighter(double more) {
            return new Shade(hue, white + more * (1 - white));
        }

        /** "#rrggbb". */
        String color() {
            return "#%02x%02x%02x".formatted(mixed(hue.rgb >> 16), mixed(hue.rgb >> 8 & FULL), mixed(hue.rgb & FULL));
        }

        private int mixed(int part) {
            return (int) Math.round(part + white * (FULL - part));
        }
    }

    /** "#rrggbb". */
    String color() {
        return new Shade(this, 0).color();
    }

    /** All of them by name, for scripts. */
    static Map<String, String> colors() {
        return Stream.of(values()).collect(LinkedHashMap::new, (colors, hue) -> colors.put(hue.name(), hue.color()), Map::putAll);
    }

    static Hue of(Cause cause) {
        return switch (cause) {
            case READING, MEMTABLE, TABLES, ANSWERING -> WORK;
            case GROUP, LOG, SYNC -> DISK;
            case STALL_COMPACTION, THROTTLE, STALL_FLUSH, GC, SAFEPOINT, STOPPED, STARVED, LOCK -> STALL;
            case BEHIND, QUEUE, CONNECT, WIRE, CLIENT, REPLICA, GENERATOR -> WAY;
            case UNEXPLAINED -> OTHER;
        };
    }

    /** @param kind of an event of the server's trace, or of a timeline */
    static Hue ofEvent(String kind) {
        return switch (kind) {
            case "FLUSH", "flush" -> DISK;
            case "COMPACTION", "compaction" -> COMPACTION;
            default -> STALL;
        };
    }

    /** The colour of a layer of {@link lsmlab.lab.profile.Layers}. */
    static Shade ofLayer(String layer) {
        return switch (layer) {
            case "storage engine" -> new Shade(WORK, 0);
            case "HTTP" -> new Shade(WORK, 0.5);
            case "flush" -> new Shade(DISK, 0);
            case "compaction" -> new Shade(COMPACTION, 0);
            case "garbage collector" -> new Shade(STALL, 0);
            case "JVM's own thread" -> new Shade(STALL, 0.5);
            case "socket write" -> new Shade(WAY, 0);
            case "socket read" -> new Shade(WAY, 0.3);
            case "waiting for sockets" -> new Shade(WAY, 0.6);
            case "asking other nodes" -> new Shade(WAY, 0.8);
            case "JIT compiler" -> new Shade(OTHER, 0);
            default -> new Shade(OTHER, 0.5);
        };
    }
}
