// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.send;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import lsmlab.load.count.Tally;
import lsmlab.load.plan.Arrivals;
import lsmlab.load.plan.ClosedLoop;
import lsmlab.load.plan.Settings;
import lsmlab.load.script.Scripts;

/** One thread of load on several targets, one at a time. Its connections to all of them stay open from slice to slice. */
public final class SliceWorker extends Thread {
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final int index;
    private final Settings settings;
    private final Loop loop = new Loop();
    private final List<Target> targets = new ArrayList<>();
    private volatile boolean stopAsked;
    private Order order; // GUARDED BY this; not begun; null: none
    private Order current; // GUARDED BY this; null: none
    private Throwable failure; // GUARDED BY this; null while the thread can take orders

    /**
     * What this thread has of a target.
     *
     * @param between counts what happens between slices, which nobody reads
     */
    private record Target(Sender sender, List<Connection> connections, Tally between) {
        void count(Tally tally, long startNanos, long endNanos) {
            sender.count(tally, tally, startNanos, endNanos);
        }
    }

    /**
     * A slice of load. Times are {@link System#nanoTime}.
     *
     * @param arrivals when requests are due
     * @param giveUpNanos how long responses are waited for that are missing at the end
     */
    private record Order(int target, Arrivals arrivals, Tally tally, long startNanos, long endNanos, long giveUpNanos, CompletableFuture<Tally> done) {}

    /**
     * @param settings of the first target; threads and connections are the same for all
     * @param scripts of each target
     */
    public SliceWorker(int index, List<Settings> settings, List<Scripts> scripts) throws IOException {
        super("load-" + index);
        this.index = index;
        this.settings = settings.getFirst();
        setDaemon(true);
        for (int i = 0; i < settings.size(); i++) {
            Sender sender = new Sender(settings.get(i), scripts.get(i).of(index), scripts.get(i).pipelineDepth(), null, null);
            Target target = new Target(sender, new ArrayList<>(), new Tally(1, this.settings.counting().accepted()));
            target.count(target.between(), 0, 0);
            for (int c = 0; c < this.settings.connectionsOf(index); c++) {
                Connection connection = new Connection(loop, sender, scripts.get(i).address(index));
                connection.follow(new ClosedLoop(0), 0); // only connects
                connection.connectAt(System.nanoTime());
                target.connections().add(connection);
            }
            targets.add(target);
        }
    }

    /**
     * Loads a target for a while; ends with what was counted, once all responses are there or are waited for no more. One slice at a time.
     *
     * @param tally empty; to make one takes time, which a slice has not
     */
    public CompletableFuture<Tally> load(int target, Arrivals arrivals, Tally tally, long startNanos, long endNanos, long giveUpNanos) {
        Order next = new Order(target, arrivals, tally, startNanos, endNanos, giveUpNanos, new CompletableFuture<>());
        synchronized (this) {
            if (failure == null) {
                order = next;
            } else {
                next.done().completeExceptionally(failure);
            }
        }
        loop.wake();
        return next.done();
    }

    @Override
    public void run() {
        Throwable end = new CancellationException();
        try {
            loop.begin();
            while (!stopAsked) {
                Order next = nextOrder();
                if (next != null) {
                    next.done().complete(slice(next));
                } else {
                    loop.select(loop.callDue(System.nanoTime()) + IDLE_NANOS);
                }
            }
        } catch (RuntimeException | IOException | Error e) {
            end = e;
        } finally {
            end(end);
        }
    }

    private synchronized Order nextOrder() {
        current = order;
        order = null;
        return current;
    }

    private void end(Throwable why) {
        synchronized (this) {
            failure = why;
            for (Order left : new Order[] {current, order}) {
                if (left != null) {
                    left.done().completeExceptionally(why);
                }
            }
        }
        targets.forEach(target -> target.connections().forEach(Connection::close));
        loop.close();
    }

    private Tally slice(Order order) throws IOException {
        ThreadCost before = ThreadCost.now();
        Target target = targets.get(order.target());
        Tally tally = order.tally();
        target.count(tally, order.startNanos(), order.endNanos());
        for (int i = 0; i < target.connections().size(); i++) {
            // Threads take turns, so that requests of all connections come evenly.
            target.connections().get(i).follow(order.arrivals().of(i * settings.threads() + index, settings.connections(), order.startNanos()), order.endNanos());
        }
        long checkAt = 0;
        long now = System.nanoTime();
        while (!stopAsked && (now < order.endNanos() || now < order.giveUpNanos() && isBusy(target))) {
            now = loop.callDue(now);
            if (now >= checkAt) {
                for (int i = 0; i < target.connections().size(); i++) {
                    target.connections().get(i).checkTimeout(now);
                }
                checkAt = now + CHECK_NANOS;
            }
            loop.select(Math.min(checkAt, now < order.endNanos() ? order.endNanos() : order.giveUpNanos()));
            now = System.nanoTime();
        }
        if (stopAsked) {
            throw new CancellationException();
        }
        for (Connection connection : target.connections()) {
            tally.planned += connection.schedule().isOpen() ? connection.schedule().planned(order.endNanos()) : connection.requests();
            connection.addUnfinished(tally, order.endNanos(), now);
            connection.abandon(now);
        }
        target.count(target.between(), 0, 0);
        ThreadCost.now().since(before).addTo(tally);
        return tally;
    }

    private static boolean isBusy(Target target) {
        for (int i = 0; i < target.connections().size(); i++) {
            if (target.connections().get(i).isBusy()) {
                return true;
            }
        }
        return false;
    }

    /** Ends the thread soon; any thread may ask. */
    public void askToStop() {
        stopAsked = true;
        loop.wake();
    }
}
