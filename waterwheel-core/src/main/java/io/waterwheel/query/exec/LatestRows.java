package io.waterwheel.query.exec;

import io.waterwheel.model.KeyInterval;
import io.waterwheel.model.LittleEndian;
import io.waterwheel.model.TupleBlock;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.query.Result;
import io.waterwheel.query.exec.column.RowView;
import java.util.List;

/**
 * The newest rows of each key. The block's last two fields are key and time; its order is by key, then newest first.
 * Rows older than the last that stays of their key are not even copied.
 */
final class LatestRows extends KeptRows {
    /** Keys that are looked up one by one, to tell whether older chunks can be left unread. */
    private static final long MOST_KEYS = 1000;

    private final int perKey;
    private final int keyField;
    private final int timeField;
    /** By key that has its number of rows: the time of the last of them. */
    private final LongTable oldest = new LongTable();

    private int[] candidates = {};

    LatestRows(RowCopy copy, RowOrder order, int perKey) {
        super(copy, order);
        this.perKey = perKey;
        this.keyField = copy.layout().fields().size() - 2;
        this.timeField = keyField + 1;
    }

    /** Takes rows whose keys and times are given by row number. */
    void add(RowView view, long[] keys, long[] times, int[] selected, int count) {
        if (oldest.size() == 0) {
            keep(view, selected, count);
            return;
        }
        if (candidates.length < count) {
            candidates = new int[count];
        }
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            candidates[kept] = row;
            kept += times[row] >= oldest.get(keys[row], Long.MIN_VALUE) ? 1 : 0;
        }
        if (kept > 0) {
            keep(view, candidates, kept);
        }
    }

    /** Keys of the rows of a block of this layout. */
    long[] keys(TupleBlock rows) {
        return longs(rows, keyField);
    }

    /** Times of the rows of a block of this layout. */
    long[] times(TupleBlock rows) {
        return longs(rows, timeField);
    }

    private static long[] longs(TupleBlock rows, int field) {
        byte[] column = rows.column(rows.layout().columnOf(field));
        long[] longs = new long[rows.size()];
        for (int i = 0; i < longs.length; i++) {
            longs[i] = LittleEndian.getLong(column, i * 8);
        }
        return longs;
    }

    @Override
    int cut(int[] sorted, int count) {
        byte[] keys = block().column(block().layout().columnOf(keyField));
        byte[] times = block().column(block().layout().columnOf(timeField));
        int staying = 0;
        int ofKey = 0;
        long last = 0;
        for (int i = 0; i < count; i++) {
            int row = sorted[i];
            long key = LittleEndian.getLong(keys, row * 8);
            ofKey = i > 0 && last == key ? ofKey + 1 : 1;
            last = key;
            if (ofKey <= perKey) {
                sorted[staying++] = row;
            }
            if (ofKey == perKey) {
                oldest.put(key, LittleEndian.getLong(times, row * 8));
            }
        }
        if (staying > Result.MAX_KEPT_ROWS) {
            throw new WaterwheelException(
                    WaterwheelException.Kind.USER,
                    "RESULT_TOO_LARGE",
                    "query: latest " + perKey + " of each key are more than " + Result.MAX_KEPT_ROWS + " tuples; "
                            + remedy());
        }
        return staying;
    }

    @Override
    String remedy() {
        return "ask for fewer of each, or for fewer keys";
    }

    @Override
    long settledBefore(List<KeyInterval> keys) {
        compact();
        long settled = Long.MAX_VALUE;
        long asked = 0;
        for (KeyInterval interval : keys) {
            long width = interval.high() - interval.low();
            if (width < 0 || width >= MOST_KEYS - asked) {
                return Long.MIN_VALUE;
            }
            asked += width + 1;
            for (long key = interval.low(); key - interval.low() <= width && settled > Long.MIN_VALUE; key++) {
                settled = Math.min(settled, oldest.get(key, Long.MIN_VALUE));
            }
        }
        return settled;
    }
}
