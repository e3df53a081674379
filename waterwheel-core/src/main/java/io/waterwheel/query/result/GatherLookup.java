package io.waterwheel.query.result;

import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.rows.LookupRows;
import io.waterwheel.query.rows.LookupSlots;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.rows.RowOrder;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The row of each pair of a key and a time. A part has the fields of the answer, then the time when it is none of them,
 * then the slot of the row ({@link LookupSlots}).
 */
final class GatherLookup extends Gather {
    private final RowLayout stored;
    private final LookupSlots slots;
    private final boolean newestFirst;
    private final RowLayout answer;
    private final RowLayout part;
    /** Stored fields by field of a part, the last of which is no field. */
    private final int[] sources;

    private final int answerFields;
    private final int timeField;
    /** The stored field whose value the key is only the beginning of, or -1. */
    private final int textField;

    private final int timePlace;
    private final RowOrder order;

    GatherLookup(ResultSpec.Lookup wanted, RowLayout stored, Schema schema, LookupSlots slots) {
        this.stored = stored;
        this.slots = slots;
        this.newestFirst = wanted.asOf();
        this.timeField = schema.indexOf(schema.timeField());
        int key = schema.keyField();
        this.textField = stored.fields().get(key).type().variable() ? key : -1;
        int[] fields = indexes(wanted.select(), new ExpressionTypes(stored.fields()), stored);
        this.answerFields = fields.length;
        List<Integer> kept = new ArrayList<>();
        for (int field : fields) {
            kept.add(field);
        }
        if (!kept.contains(timeField)) {
            kept.add(timeField);
        }
        this.timePlace = kept.indexOf(timeField);
        List<Field> partFields = new ArrayList<>(
                fields(stored, kept.stream().mapToInt(Integer::intValue).toArray()));
        partFields.add(new Field("slot", FieldType.LONG, false));
        this.part = layout(partFields);
        int slot = kept.size();
        kept.add(RowCopy.SLOT);
        this.sources = kept.stream().mapToInt(Integer::intValue).toArray();
        int[] by = new int[2 + answerFields];
        by[0] = slot;
        by[1] = timePlace;
        for (int f = 0; f < answerFields; f++) {
            by[2 + f] = f;
        }
        boolean[] descending = new boolean[by.length];
        descending[1] = true;
        this.order = new RowOrder(part, by, descending);
        List<Field> answered = new ArrayList<>(List.of(
                new Field(ResultSpec.Lookup.PAIR, FieldType.LONG, false),
                new Field(ResultSpec.Lookup.FOUND, FieldType.BOOLEAN, false)));
        for (Field field : fields(stored, fields)) {
            answered.add(new Field(field.name(), field.type(), true));
        }
        this.answer = layout(answered);
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
        for (int f = 0; f < sources.length - 1; f++) {
            needed.set(sources[f]);
        }
        if (textField >= 0) {
            needed.set(textField);
        }
    }

    @Override
    public boolean needsTimes() {
        return true;
    }

    @Override
    public boolean needsKeys() {
        return true;
    }

    @Override
    public boolean readsNewestFirst() {
        return newestFirst;
    }

    @Override
    public RowCollector collector(RowSink sink, Workspace workspace) {
        ExpressionCompiler compiler = new ExpressionCompiler(stored);
        LookupRows.Source source =
                new LookupRows.Source(compiler.field(timeField), textField < 0 ? null : compiler.field(textField));
        return new LookupRows(new RowCopy(stored, sources, part), order, slots, timePlace, source, workspace)
                .collector(sink);
    }

    @Override
    public PartialMerge merge(Workspace workspace) {
        PartialMerge rows = new LookupRows(
                        new RowCopy(part, RowCopy.identity(part), part), order, slots, timePlace, null, workspace)
                .merge(part);
        return new PartialMerge() {
            @Override
            public boolean accept(TupleBlock block, RowSink sink) {
                return rows.accept(block, sink);
            }

            @Override
            public long settledBefore(List<KeyInterval> keys) {
                return rows.settledBefore(keys);
            }

            @Override
            public boolean canSettle(List<KeyInterval> keys) {
                return rows.canSettle(keys);
            }

            @Override
            public long finish(RowSink sink) {
                PairRows pairs = new PairRows(slots, part, answerFields, answer, workspace);
                rows.finish(pairs);
                return pairs.handOut(sink);
            }
        };
    }
}
