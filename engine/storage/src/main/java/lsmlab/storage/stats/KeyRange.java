// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.stats;

import java.lang.foreign.MemorySegment;

/**
 * What part of the key space a table covers.
 *
 * @param table its number, higher for tables made later
 * @param level 0 for a flushed table
 * @param firstKey a copy, as is lastKey
 */
public record KeyRange(long table, int level, MemorySegment firstKey, MemorySegment lastKey) {}
