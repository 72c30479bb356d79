// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.http;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.atomic.LongAdder;
import lsmlab.server.session.Failures;
import lsmlab.server.session.LsmSession;
import lsmlab.server.wire.Refused;

/** The ranges that are being answered, each with a scan and a buffer of its own; when there are too many the oldest is ended. */
public final class OpenRanges {
    private static final int SHOWN = 10;

    private final int limit;
    private final SequencedSet<RangeStream> open = new LinkedHashSet<>(); // GUARDED BY this; oldest first
    private final LongAdder ended = new LongAdder();
    private final LongAdder failed = new LongAdder();

    OpenRanges(int limit) {
        this.limit = limit;
    }

    RangeStream open(RangeStream.Records records, boolean keepAlive, LsmSession session) {
        RangeStream range = null;
        try {
            range = new RangeStream(records, keepAlive, session, this);
            for (RangeStream oldest : add(range)) {
                ended.increment();
                oldest.end();
            }
            range.fill();
            return range;
        } catch (RuntimeException | Error e) { // a table is damaged, or there is no memory
            try (records) {
                closed(range);
            }
            throw e;
        }
    }

    /** Returns those that must end. */
    private synchronized List<RangeStream> add(RangeStream range) {
        open.add(range);
        List<RangeStream> tooMany = new ArrayList<>();
        while (open.size() > limit) {
            tooMany.add(open.removeFirst());
        }
        return tooMany;
    }

    synchronized void closed(RangeStream range) {
        open.remove(range);
    }

    /** Called for a range that can't go on, though part of it is sent. */
    void failed(Throwable failure) {
        boolean isEnded = failure instanceof Refused e && e.status == 503; // by the store, which counts it
        boolean isClosed = failure instanceof IllegalStateException; // the memory that it showed, as the store closes
        if (!isEnded && !isClosed) {
            failed.increment();
            Failures.report(failure);
        }
    }

    /** The oldest open ranges, oldest first: the client of each and the seconds since it began. */
    public synchronized List<Map<String, Object>> oldest() {
        long now = System.nanoTime();
        return open.stream().limit(SHOWN).map(range -> Map.<String, Object>of("client", range.client(), "seconds", (now - range.beganNanos()) / 1e9)).toList();
    }

    public synchronized int count() {
        return open.size();
    }

    public int limit() {
        return limit;
    }

    /** Those that were ended to make room for newer ones. */
    public long ended() {
        return ended.sum();
    }

    /** Those that ended early because of damage or a lack of memory. */
    public long failed() {
        return failed.sum();
    }
}
