// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The core workloads of YCSB by their letters (Cooper et al., Benchmarking Cloud Serving Systems with YCSB, 2010), on records that are there already. Keys are drawn as YCSB draws them:
 * by Zipf's law with the exponent 0.99 and spread over all records; D reads the newest most.
 */
enum Ycsb {
    /** Half reads, half updates. */
    A(50, 50, 0, 0, 0),
    B(95, 5, 0, 0, 0),
    C(100, 0, 0, 0, 0),
    /** Reads of the newest, and inserts. */
    D(95, 0, 5, 0, 0),
    /** Scans of 1 to 100 records, and inserts. */
    E(0, 0, 5, 95, 0),
    /** Reads, and updates of what was just read. */
    F(50, 0, 0, 0, 50);

    private static final int LONGEST_SCAN = 100;

    private final int reads;
    private final int updates;
    private final int inserts;
    private final int scans;

    Ycsb(int reads, int updates, int inserts, int scans, int readsWithUpdate) {
        assert reads + updates + inserts + scans + readsWithUpdate == 100;
        this.reads = reads;
        this.updates = updates;
        this.inserts = inserts;
        this.scans = scans;
    }

    /** The draws of one thread. */
    final class Client {
        private final Store store;
        private final Data data;
        private final AtomicLong records;
        private final Zipf zipf;
        private final SplittableRandom random;

        /** @param records that are there; those that are inserted come after them */
        Client(Store store, Data data, AtomicLong records, Zipf zipf, long seed) {
            this.store = store;
            this.data = data;
            this.records = records;
            this.zipf = zipf;
            random = new SplittableRandom(seed);
        }

        /** @param value to write with, and where to read to */
        void next(byte[] value, Value into) throws Exception {
            int draw = random.nextInt(100);
            if (draw < reads) {
                read(existing(), into);
            } else if (draw < reads + updates) {
                long record = existing();
                store.put(data.key(record), data.value(record, value));
            } else if (draw < reads + updates + inserts) {
                long record = records.getAndIncrement();
                store.put(data.key(record), data.value(record, value));
            } else if (draw < reads + updates + inserts + scans) {
                store.scan(data.key(existing()), 1 + random.nextInt(LONGEST_SCAN), into);
            } else {
                long record = existing();
                read(record, into);
                store.put(data.key(record), data.value(record, value));
            }
        }

        /** An insert may be on its way still, so what is not found is no failure. */
        private void read(long record, Value into) throws Exception {
            store.get(data.key(record), into);
        }

        /** Twice through the permutation: once, and the popular records would be those that were written first. */
        private long existing() {
            long rank = zipf.next(random);
            return Ycsb.this == D ? Math.max(0, records.get() - 1 - rank) : data.shuffled(data.shuffled(rank) % zipf.count);
        }
    }

    /** Ranks from 0 on, by Zipf's law (Gray et al., Quickly Generating Billion-Record Synthetic Databases, 1994). */
    static final class Zipf {
        private static final double EXPONENT = 0.99;

        private final long count;
        private final double sum;
        private final double alpha = 1 / (1 - EXPONENT);
        private final double eta;

        Zipf(long count) {
            this.count = count;
            double total = 0;
            for (long i = 1; i <= count; i++) {
                total += Math.pow(i, -EXPONENT);
            }
            sum = total;
            eta = (1 - Math.pow(2.0 / count, 1 - EXPONENT)) / (1 - (1 + Math.pow(0.5, EXPONENT)) / sum);
        }

        long next(SplittableRandom random) {
            double u = random.nextDouble();
            double scaled = u * sum;
            if (scaled < 1) {
                return 0;
            }
            return scaled < 1 + Math.pow(0.5, EXPONENT) ? 1 : Math.min(count - 1, (long) (count * Math.pow(eta * u - eta + 1, alpha)));
        }
    }
}
