// SPDX-License-Identifier: Apache-2.0

/** What the reader expects before it is measured, and how good that was. */
package lsmlab.lab.predict;
