// SPDX-License-Identifier: Apache-2.0

/**
 * An open-loop HTTP load generator with wrk2's flags, Lua scripts and text output. It knows nothing of the store. The packages, a layer each;
 * none names one above it:
 *
 * <ul>
 * <li>{@code lsmlab.load}: the command line;
 * <li>{@code rounds}: several targets in turns, how they compare, and where their knees are;
 * <li>{@code run}: one measurement, from set-up to result;
 * <li>{@code send}: an event loop a thread, each with its connections; {@code script}: what the requests are; {@code plan}: what is due, and when;
 * <li>{@code count}: what is counted; {@code result}: what was found, pure data; {@code report}: how it is printed;
 * <li>{@code estimate}: centres and thresholds with their intervals; {@code machine}: what the machine does meanwhile.
 * </ul>
 */
package lsmlab.load;
