// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.table;

import lsmlab.storage.format.Format;
import lsmlab.storage.keys.Cursor;

/** Goes through the entries of a table from one of them on. */
final class TableCursor extends Cursor {
    private static final long SHORT_SCAN_BYTES = 64 << 10;
    private static final long READ_AHEAD_BYTES = 2 << 20;

    private final TableFile file;
    private long askFrom = -1; // a block that ends behind this has others asked for; -1: no block is open yet
    private long asked; // up to here
    private long block;
    private int index;
    private int count = -1; // of the block's entries; -1: no block is open yet
    private long start;
    private long tagsAt;
    private long entry;

    TableCursor(TableFile file, long block, int index) {
        this.file = file;
        this.block = block;
        this.index = index;
        this.bytes = file.bytes;
    }

    @Override
    public boolean next() {
        if (count < 0) {
            open();
        }
        while (index == count) {
            if (++block == file.blocks) {
                block--;
                return false;
            }
            index = 0;
            open();
        }
        long head = file.head(entry);
        index++;
        long end = index == count ? tagsAt : start + file.offset(tagsAt, count, index);
        keyAt = entry + Format.varintBytes(head);
        keyLength = (int) (head >>> 1);
        tombstone = (head & 1) == 1;
        setPrefix();
        valueAt = keyAt + keyLength;
        valueLength = (int) (end - valueAt);
        entry = end;
        return true;
    }

    private void open() {
        count = -1; // if the block is damaged, so it is when asked again
        readAhead(file.blockStart(block), file.blockEnd(block));
        start = file.check(block);
        count = file.entriesOf(block);
        tagsAt = TableFile.tagsAt(file.blockEnd(block), count);
        entry = index < count ? start + file.offset(tagsAt, count, index) : tagsAt;
    }

    /** A short scan reads what it touches; a longer one has the next one to two megabytes read while it works, and a long block is asked for as a whole. */
    private void readAhead(long from, long to) {
        if (askFrom < 0) {
            askFrom = from + SHORT_SCAN_BYTES;
        }
        if (to > askFrom) {
            long end = Math.max(to, from + READ_AHEAD_BYTES);
            file.readBytesAhead(Math.max(from, asked), end);
            asked = end;
            askFrom = from + READ_AHEAD_BYTES / 2;
        }
    }
}
