// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra.nodes;

import java.io.IOException;
import java.util.List;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** A connection to a node's management interface, opened when it is needed. */
final class Jmx implements AutoCloseable {
    /** The longest that a flush or a merge of the lab's table takes; and after it a frozen node is given up. */
    private static final int ANSWER_MILLIS = 60_000;

    static {
        for (String limit : List.of("responseTimeout", "handshakeTimeout")) {
            System.setProperty("sun.rmi.transport.tcp." + limit, Integer.toString(ANSWER_MILLIS)); // without it a call waits for ever
        }
    }

    private final int port;
    private JMXConnector connection;

    Jmx(int port) {
        this.port = port;
    }

    synchronized MBeanServerConnection node() throws IOException {
        if (connection == null) {
            connection = JMXConnectorFactory.connect(new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:%d/jmxrmi".formatted(port)));
        }
        return connection.getMBeanServerConnection();
    }

    /** Writes the memtable of the lab's table to disk. */
    void flush() throws IOException {
        order("forceKeyspaceFlush", List.of("lab", new String[] {"entity"}), "java.lang.String", "[Ljava.lang.String;");
    }

    /** Merges all SSTables of the lab's table, as its compaction strategy says. */
    void compact() throws IOException {
        order("forceKeyspaceCompaction", List.of(false, "lab", new String[] {"entity"}), "boolean", "java.lang.String", "[Ljava.lang.String;");
    }

    private void order(String operation, List<Object> arguments, String... types) throws IOException {
        try {
            node().invoke(new ObjectName("org.apache.cassandra.db:type=StorageService"), operation, arguments.toArray(), types);
        } catch (JMException e) {
            throw new IOException(operation + ": " + e.getMessage(), e);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    @Override
    public synchronized void close() {
        if (connection != null) {
            JMXConnector closed = connection;
            connection = null;
            Thread.startVirtualThread(() -> { // WHY in another thread: it says goodbye, and a frozen node does not answer
                try {
                    closed.close();
                } catch (IOException e) {
                    // the node has ended
                }
            });
        }
    }
}
