package io.waterwheel.query.result;

import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.newest.NewestMerge;
import io.waterwheel.query.newest.NewestRows;
import io.waterwheel.query.rows.LatestRows;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.rows.RowOrder;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The newest rows of each key. A part has the fields of the answer, then those that it is ordered by besides, then the
 * key, then the time, both as longs.
 */
final class GatherLatest extends Gather {
    private static final Field KEY = new Field("key", FieldType.LONG, false);
    private static final Field TIME = new Field("time", FieldType.LONG, false);

    private final RowLayout stored;
    private final RowLayout answer;
    private final RowLayout part;
    /** Stored fields by field of a part, the last two of which are no field. */
    private final int[] sources;

    private final RowOrder order;
    private final int perKey;
    private final int every;
    /** The field of a part whose value the key is only the beginning of, or -1. */
    private final int textField;

    private final byte @Nullable [] onlyText;

    /**
     * @param every of the newest of each key, the first of each number of rows is for the answer
     * @param timeField index of the field that the tuples' times are made from
     * @param textField index of the text or bytes that the keys are the beginnings of, or -1
     * @param onlyText the only value of that field that can match, or null when there may be others
     */
    GatherLatest(
            RowLayout stored,
            int[] fields,
            int perKey,
            int every,
            int timeField,
            int textField,
            byte @Nullable [] onlyText) {
        this.stored = stored;
        this.perKey = perKey;
        this.every = every;
        this.onlyText = onlyText;
        this.answer = layout(fields(stored, fields));
        List<Integer> kept = new ArrayList<>(fields.length + 4);
        for (int field : fields) {
            kept.add(field);
        }
        this.textField = textField < 0 ? -1 : place(kept, textField);
        // Times are milliseconds: of a finer field the rest decides too.
        int finer = stored.columnOf(timeField) == RowLayout.TIME ? -1 : place(kept, timeField);
        List<Field> partFields = new ArrayList<>(fields(stored, array(kept)));
        partFields.add(KEY);
        partFields.add(TIME);
        this.part = layout(partFields);
        int key = kept.size();
        kept.add(RowCopy.KEY);
        kept.add(RowCopy.TIME);
        this.sources = array(kept);
        List<Integer> by = new ArrayList<>(List.of(key));
        if (this.textField >= 0) {
            by.add(this.textField);
        }
        int newestFrom = by.size();
        by.add(key + 1);
        if (finer >= 0) {
            by.add(finer);
        }
        int newestTo = by.size();
        for (int f = 0; f < fields.length; f++) {
            by.add(f);
        }
        boolean[] descending = new boolean[by.size()];
        Arrays.fill(descending, newestFrom, newestTo, true);
        this.order = new RowOrder(part, array(by), descending);
    }

    private static int[] array(List<Integer> numbers) {
        int[] array = new int[numbers.size()];
        for (int i = 0; i < array.length; i++) {
            array[i] = numbers.get(i);
        }
        return array;
    }

    /** Where the field is among those kept; adds it when it is not. */
    private static int place(List<Integer> kept, int field) {
        if (!kept.contains(field)) {
            kept.add(field);
        }
        return kept.indexOf(field);
    }

    @Override
    public List<Field> fields() {
        return answer.fields();
    }

    @Override
    public RowLayout partLayout() {
        return part;
    }

    @Override
    public void needs(BitSet needed) {
        for (int f = 0; f < sources.length - 2; f++) {
            needed.set(sources[f]);
        }
    }

    @Override
    public boolean readsNewestFirst() {
        return true;
    }

    @Override
    public boolean needsTimes() {
        return true;
    }

    @Override
    public boolean needsKeys() {
        return true;
    }

    private LatestRows.@Nullable Text text(RowLayout from, int[] fields) {
        return textField < 0
                ? null
                : new LatestRows.Text(textField, new ExpressionCompiler(from).field(fields[textField]));
    }

    private LatestRows latest(RowLayout from, int[] fields, Workspace workspace) {
        return new LatestRows(
                new RowCopy(from, fields, part), order, perKey, every, text(from, fields), onlyText, workspace);
    }

    @Override
    public RowCollector collector(RowSink sink, Workspace workspace) {
        return perKey == 1
                ? new NewestRows(new RowCopy(stored, sources, part), order, text(stored, sources), workspace)
                        .collector(sink)
                : latest(stored, sources, workspace).collector(sink);
    }

    @Override
    public PartialMerge merge(Workspace workspace) {
        return perKey == 1
                ? new NewestMerge(part, answer, order, textField, onlyText, workspace)
                : latest(part, RowCopy.identity(part), workspace).merge(answer);
    }
}
