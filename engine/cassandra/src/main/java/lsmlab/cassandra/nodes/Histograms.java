// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra.nodes;

import java.io.IOException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/** Sums of Cassandra's histograms, which show counts by size: sizes are 0 to 8, and then each is a fifth larger than the one before. */
final class Histograms {
    /** The SSTables that its gets searched, all together. */
    static final String NAME = "tablesAsked";
    static final String BEAN = "SSTablesPerReadHistogram";
    private static final double STEP = 1.2;

    private Histograms() {}

    static long tablesAsked(MBeanServerConnection node, ObjectName bean) throws IOException, JMException {
        return sum((long[]) node.invoke(bean, "values", null, null));
    }

    /** @param counts by size; exact while no get searches more than 8 tables */
    static long sum(long[] counts) {
        long sum = 0;
        long size = 0;
        for (long count : counts) {
            sum += count * size;
            size = Math.max(size + 1, Math.round(size * STEP));
        }
        return sum;
    }
}
