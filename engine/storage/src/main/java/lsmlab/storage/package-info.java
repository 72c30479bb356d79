// SPDX-License-Identifier: Apache-2.0

/**
 * A log-structured merge tree in one directory. {@link lsmlab.storage.Engine} is the façade; start reading there.
 *
 * <p>Write path: {@code Engine.put} → {@code Memtable} → (full) {@code Tree.frozen} → {@code TableWriter} → {@code Tree.flushed}.
 * Read path: {@code Engine.get} → {@code Tree.find} → {@code Table.find}. No dependency beyond the JDK.
 */
package lsmlab.storage;
