// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.options;

/**
 * A disk that this machine does not have, for stores that its page cache would swallow. What is measured with it is modelled.
 *
 * @param seekMicros time before a transfer that neither repeats the one before nor continues it, in microseconds
 * @param bytesPerSecond speed of transfers
 * @param cacheBytes size of the modelled page cache
 * @param freePages how many transfers cost nothing at first; they warm the cache, which would take hours at a disk's speed
 * @param syncMicros what a sync of the log takes on top of the real disk's
 * @param seed of the choice of the page to evict; the same operations with the same seed cost the same
 */
public record DeviceModel(long seekMicros, long bytesPerSecond, long cacheBytes, long freePages, long syncMicros, long seed) {
    public DeviceModel {
        if (seekMicros < 0 || syncMicros < 0 || bytesPerSecond < 1 || cacheBytes < 0 || freePages < 0) {
            throw new IllegalArgumentException("a device needs a seek time and a sync time of 0 or more, 1 byte/s or more, a cache of 0 bytes or more, 0 free pages or more");
        }
    }
}
