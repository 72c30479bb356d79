// SPDX-License-Identifier: Apache-2.0
/** A store for learning, which works from the first day and whose parts students replace; not the lab's engine, and used by nothing of it. */
package lsmlab.storage.assembled;
