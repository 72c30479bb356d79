// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.disk;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import lsmlab.storage.options.DeviceModel;
import lsmlab.storage.stats.Stats;

/**
 * Charges time for what a disk would have done ({@link DeviceModel}): a page that is not in the modelled cache is transferred, after a
 * seek unless it is the page before or follows it. One request at a time, as a disk with one head. It is the one place of the engine
 * that waits on purpose. The page to evict is random, from the model's seed; pages of tables that are gone are evicted like others.
 */
public final class ModelledDevice {
    public static final int PAGE_BYTES = 4096;
    /** Below it a thread can't be parked precisely. */
    private static final long SHORTEST_PARK_NANOS = 100_000;

    private final DeviceModel model;
    private final Map<Long, Integer> slotOfPage = new HashMap<>();
    private final long[] pages; // in the cache, by slot
    private final Random random;

    // GUARDED BY this
    private long lastPage = -1;
    private long freeAtNanos = Long.MIN_VALUE;
    private long pagesAsked;
    private long pagesTransferred;
    private long seeks;
    private long chargedNanos;

    public ModelledDevice(DeviceModel model) {
        this.model = model;
        pages = new long[Math.toIntExact(model.cacheBytes() / PAGE_BYTES)];
        random = new Random(model.seed());
    }

    /** Waits as long as the model takes to bring these bytes of a table into its cache. */
    public void read(long table, long at, long length) {
        await(transferred(table, at, length, false));
    }

    /** Waits as long as the model takes to write these bytes; they are in its cache afterwards. */
    public void write(long table, long at, long length) {
        await(transferred(table, at, length, true));
    }

    /** Waits as long as the model takes for a sync of the log. */
    public void sync() {
        if (model.syncMicros() > 0) {
            await(synced());
        }
    }

    private synchronized long synced() {
        freeAtNanos = Math.max(System.nanoTime(), freeAtNanos) + model.syncMicros() * 1_000;
        chargedNanos += model.syncMicros() * 1_000;
        return freeAtNanos;
    }

    /** When the bytes have been transferred; now, if none need to be. */
    private synchronized long transferred(long table, long at, long length, boolean write) {
        long nanos = 0;
        for (long page = at / PAGE_BYTES; page <= (at + length - 1) / PAGE_BYTES; page++) {
            nanos += charge(table << 32 | page, write);
        }
        long now = System.nanoTime();
        if (nanos == 0) {
            return now;
        }
        chargedNanos += nanos;
        freeAtNanos = Math.max(now, freeAtNanos) + nanos;
        return freeAtNanos;
    }

    private long charge(long page, boolean write) {
        pagesAsked++;
        boolean known = slotOfPage.containsKey(page);
        if (known && !write) {
            return 0;
        }
        if (!known && pages.length > 0) {
            cache(page);
        }
        pagesTransferred++;
        if (pagesTransferred <= model.freePages()) {
            return 0;
        }
        long nanos = (long) (PAGE_BYTES * 1e9 / model.bytesPerSecond());
        if (page != lastPage && page != lastPage + 1) {
            seeks++;
            nanos += model.seekMicros() * 1_000;
        }
        lastPage = page;
        return nanos;
    }

    private void cache(long page) {
        int slot = slotOfPage.size();
        if (slot == pages.length) {
            slot = random.nextInt(pages.length);
            slotOfPage.remove(pages[slot]);
        }
        pages[slot] = page;
        slotOfPage.put(page, slot);
    }

    private static void await(long untilNanos) {
        for (long left = untilNanos - System.nanoTime(); left > 0; left = untilNanos - System.nanoTime()) {
            if (left > SHORTEST_PARK_NANOS) {
                LockSupport.parkNanos(left - SHORTEST_PARK_NANOS);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    public synchronized Stats.Device stats() {
        return new Stats.Device(pagesAsked, pagesTransferred, seeks, chargedNanos);
    }
}
