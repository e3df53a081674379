package io.waterwheel.query.exec;

import io.waterwheel.model.Field;
import io.waterwheel.model.FieldType;
import io.waterwheel.model.RowLayout;
import io.waterwheel.query.exec.column.RowView;
import java.util.ArrayList;
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

    GatherLatest(RowLayout stored, int[] fields, int perKey) {
        this.stored = stored;
        this.fields = fields;
        this.perKey = perKey;
        this.answer = RowLayout.ofFields(fields(stored, fields));
        List<Field> kept = new ArrayList<>(answer.fields());
        kept.add(new Field("key", FieldType.LONG, false));
        kept.add(new Field("time", FieldType.LONG, false));
        this.part = RowLayout.ofFields(kept);
        this.sources = java.util.Arrays.copyOf(fields, fields.length + 2);
        sources[fields.length] = RowCopy.KEY;
        sources[fields.length + 1] = RowCopy.TIME;
        int[] by = new int[fields.length + 2];
        boolean[] descending = new boolean[by.length];
        by[0] = fields.length;
        by[1] = fields.length + 1;
        descending[1] = true;
        for (int f = 0; f < fields.length; f++) {
            by[f + 2] = f;
        }
        this.order = new RowOrder(part, by, descending);
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
        for (int field = 0; field < stored.fields().size(); field++) {
            if (stored.columnOf(field) == RowLayout.TIME) {
                needed.set(field);
            }
        }
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
