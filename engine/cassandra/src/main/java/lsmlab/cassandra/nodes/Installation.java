// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra.nodes;

import java.nio.file.Path;
import java.util.List;

/**
 * What nodes run with.
 *
 * @param java of version 17 or 11: Cassandra 5 does not run on newer ones
 * @param libraries folder of Cassandra's jars
 * @param options of the JVM, besides those that each node has
 */
public record Installation(Path java, Path libraries, List<String> options) {}
