// SPDX-License-Identifier: Apache-2.0
/**
 * A log-structured merge store, without dependencies beyond the JDK. A program needs {@link lsmlab.storage.Engine}, and
 * {@link lsmlab.storage.options.Options} to open one:
 *
 * {@snippet :
 * byte[] key = "greeting".getBytes();
 * try (Engine engine = Engine.open(Path.of("store"), Options.defaults().withWal(Wal.SYNC))) {
 *     engine.put(key, "hello".getBytes());
 *     System.out.println(new String(engine.get(key)));
 *     engine.delete(key);
 *     System.out.println(engine.get(key));
 *     System.out.println(engine.stats().writes().puts());
 * }
 * }
 *
 * <p>The packages, a layer each; none names one above it:
 * <ul>
 * <li>{@code lsmlab.storage}: the engine, and the threads that flush, merge and recover;
 * <li>{@code tree}: what the store holds now, how it is replaced, when the old may go;
 * <li>{@code table}: a sorted file is written, opened, searched; {@code memtable}: the newest entries;
 * <li>{@code commit}: writes, their groups, their log; {@code compaction}: runs of tables, and which to merge;
 * <li>{@code disk}: files; {@code format}: their names and bytes; {@code keys}: their order, walking and look-up;
 * <li>{@code options}: what a store is opened with; {@code entries}: what it gives back; {@code stats}: what it reports, counted in
 *     {@code counters};
 * <li>{@code system}: threads and system calls.
 * </ul>
 */
package lsmlab.storage;
