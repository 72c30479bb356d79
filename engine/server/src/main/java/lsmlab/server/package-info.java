// SPDX-License-Identifier: Apache-2.0

/**
 * The store over HTTP, on one-nio's sockets and selectors. Where to read:
 *
 * <ul>
 * <li>a request: {@code LsmSession}, which reads with {@code RequestReader} into its {@code Request}; {@code LsmServer.handle}; {@code Workers} take
 *     the {@code Handling}; {@code LsmServer.process}; {@code Entities}; the session is the {@code Exchange} that takes the {@code Answer};
 * <li>one node: {@code LocalEntities} over a {@code Store}; a range: {@code RangeStream};
 * <li>a cluster: {@code Coordinator}, with {@code Sharding}, {@code AckFrom}, {@code Peers}, {@code Quorum}, {@code VersionedStore} and {@code Clock};
 * <li>start and stop: {@link lsmlab.server.Main}, whose flags make a {@code NodeConfig}, and {@code Node};
 * <li>what it reports: {@code ServerStats}, {@code Metrics}, {@code RequestEvent}, {@code Failures}.
 * </ul>
 */
package lsmlab.server;
