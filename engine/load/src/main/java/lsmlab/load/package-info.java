// SPDX-License-Identifier: Apache-2.0

/**
 * An open-loop HTTP load generator with wrk2's flags, Lua scripts and text output. It knows nothing of the store.
 *
 * <p>{@link lsmlab.load.Main} reads the command line, {@link lsmlab.load.LoadRun} runs it: an event loop a thread
 * ({@code Worker}), each with its connections ({@code Connection}), each on its own schedule. {@link lsmlab.load.LoadResult} is
 * what a run found; {@code TextReport} prints it as wrk2 does.
 */
package lsmlab.load;
