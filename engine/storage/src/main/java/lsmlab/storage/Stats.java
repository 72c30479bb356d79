// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

/**
 * The engine's counters since it was opened, and its shape now.
 *
 * @param shape {@link Engine#shape()}
 * @param userBytes keys and values of puts and deletes
 * @param tablesAsked tables searched by gets, all gets together
 * @param tablesPruned tables that gets skipped
 * @param probes keys compared inside tables by gets
 * @param flushedBytes length of the tables written by flushes
 * @param stalls writes that waited for a flush
 */
public record Stats(
        String shape,
        long puts,
        long deletes,
        long userBytes,
        long gets,
        long tablesAsked,
        long tablesPruned,
        long probes,
        long flushes,
        long flushedBytes,
        long flushNanos,
        long stalls,
        long stallNanos,
        long longestStallNanos,
        int tables,
        long tableBytes,
        long memtableBytes) {}
