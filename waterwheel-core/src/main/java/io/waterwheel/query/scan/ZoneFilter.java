package io.waterwheel.query.scan;

import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.key.KeyCodec;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.condition.Conditions;
import io.waterwheel.query.condition.ConjunctSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which leaves of a chunk a condition rules out, and for which it is true of every row, by the zones and indexes of
 * single fields: the terms of its outermost AND that compare a field with constants, and those of an OR that do. One
 * thread.
 */
final class ZoneFilter implements ConjunctSink {
    /** Of longer lists only the range is looked at. */
    private static final int MOST_VALUES = 64;

    private static final long NOT_A_NUMBER = OrderedBits.of(Double.NaN);

    /**
     * What is known of one term.
     *
     * @param field that the term is about, or {@link ScanTally#NO_FIELD} where it is about several
     * @param zone whether a row of the leaf may match by the zones; false is certain
     * @param mayMatch the same by zones and indexes; where it says no and {@code zone} does not, an index ruled the
     *     leaf out
     * @param by which kind of index did
     * @param holds whether every row of the leaf matches; true is certain
     */
    private record Test(int field, OfLeaf zone, OfLeaf mayMatch, Supplier<PruneReason> by, OfLeaf holds) {}

    private static final OfLeaf ALWAYS = leaf -> true;
    private static final OfLeaf NEVER = leaf -> false;

    private final ChunkDirectory directory;
    private final RowLayout layout;
    private final IndexedFields indexes;
    private final SearchBudget budget;
    private final List<Test> tests = new ArrayList<>();
    /** Whether the tests say all that the condition says. */
    private boolean whole = true;

    // Why the last leaf was pruned that was.
    private PruneReason prunedBy = PruneReason.ZONE;
    private int prunedField = ScanTally.NO_FIELD;

    /** @param where a compiled condition, or null for none */
    ZoneFilter(@Nullable ColumnNode where, ChunkDirectory directory) {
        this(where, directory, new SearchBudget());
    }

    private ZoneFilter(@Nullable ColumnNode where, ChunkDirectory directory, SearchBudget budget) {
        this.budget = budget;
        this.directory = directory;
        this.layout = directory.layout();
        this.indexes = new IndexedFields(directory);
        if (where != null) {
            Conditions.conjuncts(where, this);
        }
    }

    /** Whether no row of the leaf can match; true is certain, and {@link #reason} and {@link #field} say why. */
    boolean prunes(int leaf) {
        for (Test test : tests) {
            if (!test.zone.test(leaf)) {
                prunedBy = PruneReason.ZONE;
                prunedField = test.field;
                return true;
            }
        }
        for (Test test : tests) {
            if (!test.mayMatch.test(leaf)) {
                prunedBy = test.by.get();
                prunedField = test.field;
                return true;
            }
        }
        return false;
    }

    /** Why the leaf was pruned that {@link #prunes} was asked for last. */
    PruneReason reason() {
        return prunedBy;
    }

    /** Index of the field whose zone or filter did, or {@link ScanTally#NO_FIELD} where several did together. */
    int field() {
        return prunedField;
    }

    /** Whether a row of the leaf may match by the zones alone; false is certain. */
    private boolean zonesMayMatch(int leaf) {
        for (Test test : tests) {
            if (!test.zone.test(leaf)) {
                return false;
            }
        }
        return true;
    }

    /** The field that all tests are about, or {@link ScanTally#NO_FIELD}. */
    private int onlyField() {
        int only = tests.isEmpty() ? ScanTally.NO_FIELD : tests.get(0).field;
        for (Test test : tests) {
            only = test.field == only ? only : ScanTally.NO_FIELD;
        }
        return only;
    }

    /** Whether every row of the leaf matches; true is certain. */
    boolean holds(int leaf) {
        for (int t = 0; whole && t < tests.size(); t++) {
            if (!tests.get(t).holds.test(leaf)) {
                return false;
            }
        }
        return whole;
    }

    @Override
    public void within(int column, long low, long high) {
        int field = field(column);
        if (field < 0) {
            withinOrder(column, low, high);
            return;
        }
        boolean floating = isFloating(field);
        boolean withNaN = floating && low <= NOT_A_NUMBER && high >= NOT_A_NUMBER;
        tests.add(new Test(
                field,
                leaf -> low <= high
                        && ((withNaN && (!directory.isZoned(field) || directory.nans(leaf, field) > 0))
                                || directory.mayHold(leaf, field, low, high)),
                indexes.within(
                        field, low, high, low == high ? leaf -> directory.filterMayHold(leaf, field, low) : ALWAYS),
                () -> indexes.reason(field),
                leaf -> directory.isZoned(field)
                        && directory.nulls(leaf, field) == 0
                        && (withNaN || !floating || directory.nans(leaf, field) == 0)
                        && low <= directory.low(leaf, field)
                        && directory.high(leaf, field) <= high));
    }

    /** Of the key or the time: leaves outside its range are left out already. */
    private void withinOrder(int column, long low, long high) {
        tests.add(new Test(
                ScanTally.NO_FIELD,
                ALWAYS,
                ALWAYS,
                () -> PruneReason.ZONE,
                column == RowLayout.KEY
                        ? leaf -> low <= directory.lowKey(leaf) && directory.highKey(leaf) <= high
                        : leaf -> low <= directory.fromTime(leaf) && directory.toTime(leaf) <= high));
    }

    @Override
    public void among(int column, long[] values) {
        if (values.length == 1) {
            within(column, values[0], values[0]);
            return;
        }
        whole = false;
        int field = field(column);
        if (field < 0 || values.length == 0) {
            return;
        }
        IndexedFields.Named named = dictionary -> DictionaryLeaves.among(dictionary, values);
        if (values.length > MOST_VALUES) {
            long low = values[0];
            long high = values[values.length - 1];
            within(column, low, high);
            ruleOut(field, ALWAYS, indexes.test(field, named, ALWAYS));
            return;
        }
        ruleOut(
                field,
                leaf -> {
                    for (long value : values) {
                        if (directory.zoneMayHold(leaf, field, value)) {
                            return true;
                        }
                    }
                    return false;
                },
                indexes.test(field, named, leaf -> {
                    for (long value : values) {
                        if (directory.mayHold(leaf, field, value)) {
                            return true;
                        }
                    }
                    return false;
                }));
    }

    @Override
    public void withinBytes(int column, byte @Nullable [] low, byte @Nullable [] high) {
        int field = field(column);
        if (field < 0) {
            return;
        }
        if (low != null && Arrays.equals(low, high)) {
            long code = KeyCodec.ofBytes(low, 0, low.length);
            ruleOut(
                    field,
                    leaf -> directory.mayHold(leaf, field, code, code),
                    indexes.test(
                            field,
                            dictionary -> DictionaryLeaves.within(dictionary, low, low),
                            leaf -> directory.filterMayHold(leaf, field, low, 0, low.length)));
            ruleOutByText(field, indexes.containing(field, new byte[][] {low}, budget));
            return;
        }
        long lowCode = low == null ? Long.MIN_VALUE : KeyCodec.ofBytes(low, 0, low.length);
        long highCode = high == null ? Long.MAX_VALUE : KeyCodec.ofBytes(high, 0, high.length);
        ruleOut(field, leaf -> directory.mayHold(leaf, field, lowCode, highCode), indexes.within(field, low, high));
    }

    @Override
    public void amongBytes(int column, byte[][] values) {
        int field = field(column);
        if (field < 0) {
            return;
        }
        IndexedFields.Named named = dictionary -> DictionaryLeaves.among(dictionary, values);
        if (values.length > MOST_VALUES) {
            withinBytes(column, values[0], values[values.length - 1]);
            ruleOut(field, ALWAYS, indexes.test(field, named, ALWAYS));
            return;
        }
        long[] codes = new long[values.length];
        for (int i = 0; i < codes.length; i++) {
            codes[i] = KeyCodec.ofBytes(values[i], 0, values[i].length);
        }
        ruleOut(
                field,
                leaf -> {
                    for (long code : codes) {
                        if (directory.mayHold(leaf, field, code, code)) {
                            return true;
                        }
                    }
                    return false;
                },
                indexes.test(field, named, leaf -> {
                    for (byte[] value : values) {
                        if (directory.mayHold(leaf, field, value, 0, value.length)) {
                            return true;
                        }
                    }
                    return false;
                }));
        ruleOutByText(field, indexes.containingAny(field, values, budget));
    }

    @Override
    public void withinAnyBytes(int column, byte[][] lows, byte[] @Nullable [] ends) {
        int field = field(column);
        if (field < 0) {
            return;
        }
        long[] lowCodes = new long[lows.length];
        long[] highCodes = new long[lows.length];
        for (int range = 0; range < lows.length; range++) {
            byte[] end = ends[range];
            lowCodes[range] = KeyCodec.ofBytes(lows[range], 0, lows[range].length);
            highCodes[range] = end == null ? Long.MAX_VALUE : KeyCodec.ofBytes(end, 0, end.length);
        }
        OfLeaf zone = leaf -> {
            if (!directory.isZoned(field)) {
                return true;
            }
            // The first range that does not end before the leaf's least value; codes of several may be the same.
            long least = directory.low(leaf, field);
            int first = 0;
            int from = highCodes.length;
            while (first < from) {
                int middle = (first + from) >>> 1;
                if (highCodes[middle] < least) {
                    first = middle + 1;
                } else {
                    from = middle;
                }
            }
            return first < lowCodes.length && directory.mayHold(leaf, field, lowCodes[first], highCodes[first]);
        };
        ruleOut(
                field,
                zone,
                indexes.test(field, dictionary -> DictionaryLeaves.withinAny(dictionary, lows, ends), ALWAYS));
    }

    @Override
    public void contains(int column, byte[] prefix, byte[][] parts) {
        int field = field(column);
        if (field < 0) {
            return;
        }
        if (parts.length > 0 && directory.dictionary(field) != null) {
            // Of a prefix alone the range of values tells.
            ruleOut(
                    field,
                    ALWAYS,
                    indexes.test(
                            field,
                            dictionary -> DictionaryLeaves.containing(dictionary, prefix, parts, budget),
                            ALWAYS));
        }
        byte[][] all = Arrays.copyOf(parts, parts.length + 1);
        all[parts.length] = prefix;
        ruleOutByText(field, indexes.containing(field, all, budget));
    }

    @Override
    public void isNull(int column, boolean negated, ColumnNode term) {
        int field = field(column);
        if (field < 0) {
            // The key and the time of a row are always there.
            OfLeaf always = negated ? ALWAYS : NEVER;
            tests.add(new Test(ScanTally.NO_FIELD, always, always, () -> PruneReason.ZONE, always));
            return;
        }
        tests.add(new Test(
                field,
                leaf -> !directory.isZoned(field)
                        || (negated
                                ? directory.nulls(leaf, field) < directory.rows(leaf)
                                : directory.nulls(leaf, field) > 0),
                ALWAYS,
                () -> PruneReason.ZONE,
                leaf -> directory.isZoned(field)
                        && directory.nulls(leaf, field) == (negated ? 0 : directory.rows(leaf))));
    }

    @Override
    public void other(ColumnNode term) {
        List<ColumnNode> terms = Conditions.alternatives(term);
        if (terms.isEmpty() || terms.size() > MOST_VALUES) {
            whole = false;
            return;
        }
        List<ZoneFilter> alternatives = new ArrayList<>();
        for (ColumnNode alternative : terms) {
            alternatives.add(new ZoneFilter(alternative, directory, budget));
        }
        int only = alternatives.get(0).onlyField();
        for (ZoneFilter alternative : alternatives) {
            only = alternative.onlyField() == only ? only : ScanTally.NO_FIELD;
        }
        tests.add(new Test(
                only,
                leaf -> {
                    for (ZoneFilter alternative : alternatives) {
                        if (alternative.zonesMayMatch(leaf)) {
                            return true;
                        }
                    }
                    return false;
                },
                leaf -> {
                    for (ZoneFilter alternative : alternatives) {
                        if (!alternative.prunes(leaf)) {
                            return true;
                        }
                    }
                    return false;
                },
                () -> lastReason(alternatives),
                leaf -> {
                    for (ZoneFilter alternative : alternatives) {
                        if (alternative.holds(leaf)) {
                            return true;
                        }
                    }
                    return false;
                }));
    }

    /** Why all alternatives ruled the leaf out that was asked for last: what was looked at last. */
    private static PruneReason lastReason(List<ZoneFilter> alternatives) {
        PruneReason last = PruneReason.ZONE;
        for (ZoneFilter alternative : alternatives) {
            last = alternative.prunedBy.compareTo(last) > 0 ? alternative.prunedBy : last;
        }
        return last;
    }

    /** Of a term that leaves can only be ruled out by. */
    private void ruleOut(int field, OfLeaf zone, OfLeaf index) {
        tests.add(new Test(field, zone, index, () -> indexes.reason(field), NEVER));
    }

    /** Of a field that may have no text index: null. */
    private void ruleOutByText(int field, @Nullable OfLeaf index) {
        if (index != null) {
            tests.add(new Test(field, ALWAYS, index, () -> PruneReason.TEXT, NEVER));
        }
    }

    /** The field of a payload column; -1 for the key and the time. */
    private int field(int column) {
        List<Field> fields = layout.fields();
        for (int field = 0; column >= 0 && field < fields.size(); field++) {
            if (layout.columnOf(field) == column) {
                return field;
            }
        }
        return -1;
    }

    private boolean isFloating(int field) {
        PhysicalType type = layout.fields().get(field).type().physical();
        return type == PhysicalType.FLOAT64 || type == PhysicalType.FLOAT32;
    }
}
