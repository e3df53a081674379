package io.waterwheel.query.exec;

import io.waterwheel.model.Field;
import io.waterwheel.model.FieldType;
import io.waterwheel.model.RowLayout;
import io.waterwheel.query.exec.column.RowView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** The newest rows of each key. A part has the fields of the answer, then the key, then the time, both as longs. */
final class GatherLatest extends Gather {
    private final RowLayout stored;
    private final RowLayout answer;
    private final RowLayout part;
    private final int[] fields;
    private final int[] sources;
    private final RowOrder order;
    private final int perKey;

    /** @param timeField index of the field that the tuples' times are made from */
    GatherLatest(RowLayout stored, int[] fields, int perKey, int timeField) {
        this.stored = stored;
        this.perKey = perKey;
        this.answer = layout(fields(stored, fields));
        // Times are milliseconds: of a finer field the rest decides too.
        boolean finer = stored.columnOf(timeField) != RowLayout.TIME;
        this.fields = finer ? Arrays.copyOf(fields, fields.length + 1) : fields;
        if (finer) {
            this.fields[fields.length] = timeField;
        }
        int kept = this.fields.length;
        List<Field> part = new ArrayList<>(fields(stored, this.fields));
        part.add(new Field("key", FieldType.LONG, false));
        part.add(new Field("time", FieldType.LONG, false));
        this.part = layout(part);
        this.sources = Arrays.copyOf(this.fields, kept + 2);
        sources[kept] = RowCopy.KEY;
        sources[kept + 1] = RowCopy.TIME;
        int[] by = new int[kept + 2];
        boolean[] descending = new boolean[by.length];
        by[0] = kept;
        by[1] = kept + 1;
        descending[1] = true;
        int at = 2;
        if (finer) {
            by[at] = kept - 1;
            descending[at++] = true;
        }
        for (int f = 0; f < fields.length; f++) {
            by[at++] = f;
        }
        this.order = new RowOrder(this.part, by, descending);
    }

    @Override
    List<Field> fields() {
        return answer.fields();
    }

    @Override
    RowLayout partLayout() {
        return part;
    }

    @Override
    void needs(BitSet needed) {
        for (int field : fields) {
            needed.set(field);
        }
    }

    @Override
    boolean needsTimes() {
        return true;
    }

    @Override
    boolean needsKeys() {
        return true;
    }

    @Override
    Collector collector(RowSink sink) {
        LatestRows rows = new LatestRows(new RowCopy(stored, sources, part), order, perKey);
        return new Collector() {
            @Override
            void add(RowView view, int[] selected, int count) {
                found(count);
                rows.add(view, view.keys, view.times, selected, count);
            }

            @Override
            void finish() {
                rows.emit(part, sink);
            }
        };
    }

    @Override
    PartsMerge merge() {
        LatestRows rows = new LatestRows(new RowCopy(part, RowCopy.identity(part), part), order, perKey);
        return rows.merge(
                answer, (view, block, all) -> rows.add(view, rows.keys(block), rows.times(block), all, all.length));
    }
}
