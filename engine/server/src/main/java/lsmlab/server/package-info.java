// SPDX-License-Identifier: Apache-2.0

/**
 * The store over HTTP, on one-nio's sockets and selectors. The packages, a layer each; none names one above it:
 *
 * <ul>
 * <li>{@code lsmlab.server}: start and stop; {@code cli}: flags become a configuration; {@code config}: what a node is started with;
 * <li>{@code stats}: {@code /v0/stats} and {@code /metrics}; {@code extension}: a class from outside;
 * <li>{@code cluster}: several nodes; {@code store}: the engine behind the contract;
 * <li>{@code http}: the server, routes and ranges; {@code session}: a connection, its request and its answer;
 * <li>{@code workers}: who runs a request; {@code wire}: bytes to a request, an answer to bytes;
 * <li>{@code values}: what options are made of.
 * </ul>
 */
package lsmlab.server;
