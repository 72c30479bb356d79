// SPDX-License-Identifier: Apache-2.0
/**
 * A log-structured merge store, without dependencies beyond the JDK. Where to read:
 *
 * <ul>
 * <li>a read: {@link lsmlab.storage.Engine#get}, {@code Tree.find}, {@code Memtable.find} and {@code Table.find}; {@code Lookup} carries
 *     the key and the answer, {@code Readers} lend the {@code Reader} that holds it;
 * <li>a write: {@link lsmlab.storage.Engine#put}, {@code CommitQueue}, {@code WritePath}, {@code WriteAheadLog}, {@code Memtable.put};
 * <li>in the background: {@code Flusher}, {@code Compactor} with {@link lsmlab.storage.CompactionPolicy}, both through {@code Tables} and
 *     {@code TableWriter};
 * <li>what replaces what, and when the old may go: {@code Tree}, {@code Versions}, {@code Publisher}, {@code Reclaimer};
 * <li>the way back after a crash: {@code Recovery}, {@code Manifest}, {@code LogReader};
 * <li>the bytes: {@code Format}; the disk: {@code Disk}.
 * </ul>
 */
package lsmlab.storage;
