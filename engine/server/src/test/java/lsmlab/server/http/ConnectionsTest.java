// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import one.nio.net.Selector;
import one.nio.net.Session;
import org.junit.jupiter.api.Test;

class ConnectionsTest {
    /** Only counts. */
    private static final class Counting extends Selector {
        private final List<Session> sessions = new ArrayList<>();

        @Override
        public int size() {
            return sessions.size();
        }

        @Override
        public void register(Session session) {
            sessions.add(session);
        }

        @Override
        public void unregister(Session session) {
            sessions.remove(session);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}

        @Override
        public void enable(Session session) {}

        @Override
        public void disable(Session session) {}

        @Override
        public void listen(Session session, int events) {}

        @Override
        public Iterator<Session> iterator() {
            return sessions.iterator();
        }

        @Override
        public Iterator<Session> select() {
            return Collections.emptyIterator();
        }

        @Override
        public long lastWakeupTime() {
            return 0;
        }
    }

    @Test
    void selectorsShareConnectionsEvenlyAndInTurn() {
        List<Selector> selectors = List.of(new Counting(), new Counting(), new Counting());
        Connections connections = new Connections(null, 100);
        List<Selector> chosen = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            Selector selector = connections.selector(selectors);
            selector.register(null);
            chosen.add(selector);
        }
        assertEquals(List.of(3, 3, 3), selectors.stream().map(Selector::size).toList());
        assertSame(chosen.get(0), chosen.get(3), "in turn: connections that are opened together are shared evenly, too");
        selectors.get(1).unregister(null);
        assertSame(selectors.get(1), connections.selector(selectors), "who has fewest is next");
        assertSame(selectors.getFirst(), connections.selector(selectors.subList(0, 1)));
    }
}
