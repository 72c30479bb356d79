// SPDX-License-Identifier: Apache-2.0

/** The store over HTTP, on one-nio: {@link lsmlab.server.Main} starts it, {@link lsmlab.server.LsmServer} answers. */
package lsmlab.server;
