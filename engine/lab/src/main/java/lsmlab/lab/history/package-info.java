// SPDX-License-Identifier: Apache-2.0

/** What clients wrote and read while nodes failed, and whether that keeps a promise. */
package lsmlab.lab.history;
