package io.waterwheel.query.rows;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The newest rows of each key, when more than one may stay. The block's last two fields are key and time; its order is
 * by key, by the text that the key is made from when there is one, then newest first. Rows older than the last that
 * stays of their key are not even copied.
 */
public final class LatestRows extends BoundedRows {
    private static final TupleBlock NO_ROWS = new TupleBlock(RowLayout.ofFields(List.of()), 0);

    /**
     * Text or bytes of which the key is only the beginning: these tell keys apart.
     *
     * @param field the field of the block
     * @param source the same, in terms of the source of the rows
     */
    public record Text(int field, ColumnNode source) {}

    private final int perKey;
    private final int every;
    private final int keyField;
    private final int timeField;
    private final @Nullable Text text;
    private final byte @Nullable [] onlyText;
    /** By key that has its number of rows: the time of the last of them. */
    private final LongTable oldest;
    /** The same by text. */
    private final TextTimes oldestOfText;

    /** The rows of the block that are the last of their text, which has its number of rows. */
    private int[] lastOfText = {};

    private int lastCount;
    private int[] candidates = {};

    /**
     * None yet.
     *
     * @param every of the rows of a key that stay, the first of each number of rows is for the answer
     * @param onlyText the only text that can match, or null when there may be others
     */
    public LatestRows(
            RowCopy copy,
            RowOrder order,
            int perKey,
            int every,
            @Nullable Text text,
            byte @Nullable [] onlyText,
            Workspace workspace) {
        super(copy, order, workspace);
        this.oldest = new LongTable(workspace.memory());
        this.onlyText = onlyText;
        this.perKey = perKey;
        this.every = every;
        this.keyField = copy.layout().fields().size() - 2;
        this.timeField = keyField + 1;
        this.text = text;
        this.oldestOfText = new TextTimes(
                text == null ? NO_ROWS : block(),
                text == null ? 0 : copy.layout().columnOf(text.field()),
                column(timeField),
                workspace.memory());
    }

    private int column(int field) {
        return block().layout().columnOf(field);
    }

    @Override
    void add(RowView view, int[] selected, int count) {
        candidates = workspace().renewed(candidates, count);
        int kept = text == null ? perhapsNew(view, selected, count) : perhapsNew(text, view, selected, count);
        if (kept > 0) {
            keep(view, candidates, kept);
        }
    }

    private int perhapsNew(RowView view, int[] selected, int count) {
        if (oldest.size() == 0) {
            System.arraycopy(selected, 0, candidates, 0, count);
            return count;
        }
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            candidates[kept] = row;
            kept += view.times[row] >= oldest.get(view.keys[row], Long.MIN_VALUE) ? 1 : 0;
        }
        return kept;
    }

    private int perhapsNew(Text of, RowView view, int[] selected, int count) {
        if (oldestOfText.size() == 0) {
            System.arraycopy(selected, 0, candidates, 0, count);
            return count;
        }
        of.source().evaluate(view, selected, count);
        Values texts = of.source().values();
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            long reference = texts.longs[row];
            long last = oldestOfText.get(
                    texts.slab(reference),
                    texts.offset(reference),
                    TupleBlock.referenceLength(reference),
                    Long.MIN_VALUE);
            candidates[kept] = row;
            kept += view.times[row] >= last ? 1 : 0;
        }
        return kept;
    }

    @Override
    void compacted() {
        if (text != null) {
            oldestOfText.set(block(), lastOfText, lastCount);
        }
    }

    /** A view of a part, whose keys and times are its last fields. */
    @Override
    RowView view(TupleBlock part) {
        RowView view = RowView.of(part, workspace());
        view.keys = longs(part, column(keyField));
        view.times = longs(part, column(timeField));
        return view;
    }

    @Override
    int cut(int[] sorted, int count) {
        byte[] keys = block().column(column(keyField));
        byte[] times = block().column(column(timeField));
        lastCount = 0;
        int staying = 0;
        int ofKey = 0;
        int previous = -1;
        for (int i = 0; i < count; i++) {
            int row = sorted[i];
            ofKey = previous >= 0 && sameKey(keys, previous, row) ? ofKey + 1 : 1;
            previous = row;
            if (ofKey == perKey) {
                noteLast(staying, LittleEndian.getLong(keys, row * 8), LittleEndian.getLong(times, row * 8));
            }
            if (ofKey <= perKey) {
                sorted[staying++] = row;
            }
        }
        if (staying > ResultSpec.MAX_KEPT_ROWS) {
            throw new WaterwheelException(
                    ErrorCode.RESULT_TOO_LARGE,
                    "query: latest " + perKey + " of each key are more than " + ResultSpec.MAX_KEPT_ROWS + " tuples; "
                            + remedy());
        }
        return staying;
    }

    @Override
    boolean isByKey() {
        return true;
    }

    @Override
    int sortedBelow(long below) {
        byte[] keys = block().column(column(keyField));
        int settled = block().size();
        while (settled > 0 && LittleEndian.getLong(keys, (settled - 1) * 8) >= below) {
            settled--;
        }
        return settled;
    }

    @Override
    void dropped() {
        oldest.clear();
        if (text != null) {
            oldestOfText.set(block(), lastOfText, 0);
        }
    }

    @Override
    int page(int[] sorted, int count) {
        if (every == 1) {
            return count;
        }
        byte[] keys = block().column(column(keyField));
        int kept = 0;
        int ofKey = 0;
        int previous = -1;
        for (int i = 0; i < count; i++) {
            int row = sorted[i];
            ofKey = previous >= 0 && sameKey(keys, previous, row) ? ofKey + 1 : 0;
            previous = row;
            if (ofKey % every == 0) {
                sorted[kept++] = row;
            }
        }
        return kept;
    }

    private boolean sameKey(byte[] keys, int left, int right) {
        if (LittleEndian.getLong(keys, left * 8) != LittleEndian.getLong(keys, right * 8)) {
            return false;
        }
        if (text == null) {
            return true;
        }
        return TupleBlock.compareBytes(block(), left, block(), right, column(text.field())) == 0;
    }

    /** Notes that a key has all its rows, the last of which will be the row at this place of the block. */
    private void noteLast(int place, long key, long time) {
        if (text == null) {
            oldest.put(key, time);
            return;
        }
        if (lastCount == lastOfText.length) {
            int more = Math.max(64, lastCount * 2) - lastCount;
            workspace().memory().reserve(4L * more);
            lastOfText = Arrays.copyOf(lastOfText, lastCount + more);
        }
        lastOfText[lastCount++] = place;
    }

    @Override
    String remedy() {
        return "ask for fewer of each, or for fewer keys";
    }

    @Override
    long settledBefore(List<KeyInterval> keys) {
        compact();
        if (text != null) {
            // Any number of texts may share a key, so only one that was named can be told to have all its rows.
            return onlyText == null ? Long.MIN_VALUE : oldestOfText.get(onlyText, 0, onlyText.length, Long.MIN_VALUE);
        }
        return PartialMerge.areFew(keys)
                ? PartialMerge.leastTime(keys, key -> oldest.get(key, Long.MIN_VALUE))
                : Long.MIN_VALUE;
    }

    /** Keys that are too many to look at each, or unknown, never do. */
    @Override
    boolean canSettle(List<KeyInterval> keys) {
        return text == null ? PartialMerge.areFew(keys) : onlyText != null;
    }

    private static long[] longs(TupleBlock rows, int column) {
        byte[] bytes = rows.column(column);
        long[] longs = new long[rows.size()];
        for (int i = 0; i < longs.length; i++) {
            longs[i] = LittleEndian.getLong(bytes, i * 8);
        }
        return longs;
    }
}
