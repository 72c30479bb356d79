// SPDX-License-Identifier: Apache-2.0
/**
 * Where the time of each request goes. A {@link lsmlab.server.trace.RequestTrace} takes the times at which a connection's request passes its stages, a
 * {@link lsmlab.server.trace.RequestLog} keeps those of the last requests, and {@link lsmlab.server.trace.ProcessEvents} knows when the whole process, or one of
 * its threads, could not go on. All of it is off unless {@code --trace-requests} asks for it.
 */
package lsmlab.server.trace;
