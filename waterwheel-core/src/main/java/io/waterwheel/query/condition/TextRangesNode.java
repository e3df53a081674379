package io.waterwheel.query.condition;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.FieldNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whether a text lies in one of many ranges, found by binary search: an OR of ranges of one field. */
final class TextRangesNode extends ColumnNode {
    /** Fewer are tried one after the other. */
    private static final int FEWEST = 16;

    /**
     * Texts or bytes from one up to another.
     *
     * @param low the least of them
     * @param end the least that is above all of them, or null where there is no end
     */
    @SuppressWarnings("ArrayRecordComponent") // not compared as a whole
    record Range(byte[] low, byte @Nullable [] end) {
        static final Range ALL = new Range(new byte[0], null);

        private Range and(Range other) {
            byte[] first = Arrays.compareUnsigned(low, other.low) >= 0 ? low : other.low;
            boolean otherEnds = end == null || (other.end != null && Arrays.compareUnsigned(other.end, end) < 0);
            return new Range(first, otherEnds ? other.end : end);
        }

        private boolean isEmpty() {
            return end != null && Arrays.compareUnsigned(low, end) >= 0;
        }
    }

    private final DictionaryTruth truths = new DictionaryTruth();
    private final FieldNode field;
    /** Of ranges that are sorted and apart, the least texts. */
    private final byte[][] lows;

    /** The ends of these; of the last one, null where it has none. */
    private final byte[] @Nullable [] ends;

    private TextRangesNode(FieldNode field, List<Range> ranges) {
        super(ValueType.BOOLEAN);
        this.field = field;
        List<Range> sorted = new ArrayList<>(ranges);
        sorted.removeIf(Range::isEmpty);
        sorted.sort(Comparator.comparing(Range::low, Arrays::compareUnsigned));
        List<Range> apart = new ArrayList<>();
        for (Range range : sorted) {
            Range last = apart.isEmpty() ? null : apart.get(apart.size() - 1);
            byte[] end = last == null ? null : last.end();
            if (last == null || (end != null && Arrays.compareUnsigned(range.low(), end) > 0)) {
                apart.add(range);
            } else if (end != null && (range.end() == null || Arrays.compareUnsigned(range.end(), end) > 0)) {
                apart.set(apart.size() - 1, new Range(last.low(), range.end()));
            }
        }
        lows = apart.stream().map(Range::low).toArray(byte[][]::new);
        ends = apart.stream().map(Range::end).toArray(byte[][]::new);
    }

    /** The terms of an OR, those that are ranges of the same text in one node where they are many. */
    static ColumnNode[] joined(ColumnNode[] terms) {
        if (terms.length < FEWEST) {
            return terms;
        }
        // A field has one node.
        Map<FieldNode, List<ColumnNode>> fields = new LinkedHashMap<>();
        Map<FieldNode, List<Range>> ranges = new LinkedHashMap<>();
        for (ColumnNode term : terms) {
            FieldNode field = field(term);
            Range range = field == null ? null : range(term, field);
            if (field != null && range != null) {
                fields.computeIfAbsent(field, any -> new ArrayList<>()).add(term);
                ranges.computeIfAbsent(field, any -> new ArrayList<>()).add(range);
            }
        }
        List<ColumnNode> joined = new ArrayList<>(Arrays.asList(terms));
        fields.forEach((field, of) -> {
            if (of.size() >= FEWEST) {
                // Where the first of them was: it decides no later than they did.
                joined.set(joined.indexOf(of.get(0)), new TextRangesNode(field, ranges.getOrDefault(field, List.of())));
                joined.removeAll(new HashSet<>(of));
            }
        });
        return joined.toArray(ColumnNode[]::new);
    }

    /** The field that a term may be a range of. */
    private static @Nullable FieldNode field(ColumnNode term) {
        ColumnNode first = term instanceof LogicNode logic && logic.and() ? logic.terms()[0] : term;
        return first instanceof CompareNode compare ? compare.comparedText() : null;
    }

    /** The range of the field that the term is, or null when it is something else. */
    private static @Nullable Range range(ColumnNode term, FieldNode field) {
        if (term instanceof CompareNode compare) {
            return compare.comparedText() == field ? compare.range() : null;
        } else if (!(term instanceof LogicNode logic) || !logic.and()) {
            return null;
        } else {
            Range all = Range.ALL;
            for (ColumnNode part : logic.terms()) {
                Range one = range(part, field);
                if (one == null) {
                    return null;
                }
                all = all.and(one);
            }
            return all;
        }
    }

    void conjunct(ConjunctSink sink) {
        if (lows.length > 0) {
            sink.withinAnyBytes(field.column(), lows.clone(), ends.clone());
        }
        sink.other(this);
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        field.evaluate(view, selected, count);
        Values values = field.values();
        long[] truth = out.ownLongs(view);
        out.nullsOf(values, selected, count, view);
        if (!truths.fill(values, view, selected, count, truth, reference -> holds(values, reference, view))) {
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                truth[row] = !out.isNull(row) && holds(values, values.longs[row], view) ? 1 : 0;
            }
        }
        field.release(view);
    }

    private boolean holds(Values values, long reference, RowView view) {
        view.workspace().spend(16 + TupleBlock.referenceLength(reference));
        int low = 0;
        int high = lows.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (values.compareBytes(reference, lows[middle]) < 0) {
                high = middle - 1;
            } else {
                low = middle + 1;
            }
        }
        if (high < 0) {
            return false;
        }
        byte[] end = ends[high];
        return end == null || values.compareBytes(reference, end) < 0;
    }
}
