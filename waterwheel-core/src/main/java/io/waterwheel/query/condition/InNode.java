package io.waterwheel.query.condition;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.FieldNode;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import io.waterwheel.query.expression.ValueType;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** IN with constants: numbers are asked of a set, texts are found by binary search. */
final class InNode extends ColumnNode {
    private final DictionaryTruth truths = new DictionaryTruth();
    private final ColumnNode operand;
    /** Sorted; of doubles their {@link OrderedBits}. Empty for text and bytes. */
    private final long[] numbers;

    /** Made when it is first asked: of most chunks zones leave nothing. */
    private @Nullable NumberSet set;

    /** Sorted; empty for all but text and bytes. */
    private final byte[][] texts;

    private final boolean nullListed;
    private final boolean negated;

    /**
     * @param constants Long, Double, Instant or byte[]; a value of another numeric type than the operand's is compared
     *     exactly
     */
    InNode(ColumnNode operand, List<Object> constants, boolean nullListed, boolean negated) {
        super(ValueType.BOOLEAN);
        this.operand = operand;
        this.nullListed = nullListed;
        this.negated = negated;
        if (operand.type().variable()) {
            numbers = new long[0];
            texts = constants.stream().map(byte[].class::cast).toArray(byte[][]::new);
            Arrays.sort(texts, Arrays::compareUnsigned);
        } else {
            texts = new byte[0][];
            long[] found = new long[constants.size()];
            int count = 0;
            for (Object constant : constants) {
                if (constant instanceof Long whole && operand.type() == ValueType.INTEGER) {
                    found[count++] = whole;
                    continue;
                }
                Bounds bounds = equal(operand.type(), constant);
                if (bounds.low() == bounds.high()) {
                    found[count++] = bounds.low();
                }
            }
            numbers = Arrays.copyOf(found, count);
            Arrays.sort(numbers);
        }
    }

    private static Bounds equal(ValueType type, Object constant) {
        Relation equal = Relation.EQUAL;
        boolean doubleField = type == ValueType.DOUBLE;
        if (constant instanceof Instant moment) {
            return Bounds.of(equal, type.fieldType().resolution(), moment);
        }
        if (doubleField) {
            return constant instanceof Long whole
                    ? Bounds.ofDoubles(equal, whole)
                    : Bounds.ofDoubles(equal, (Double) constant);
        }
        return constant instanceof Long whole ? Bounds.of(equal, whole) : Bounds.of(equal, (Double) constant);
    }

    void conjunct(ConjunctSink sink) {
        if (negated || !(operand instanceof FieldNode field)) {
            sink.other(this);
        } else if (!operand.type().variable()) {
            sink.among(field.column(), numbers.clone());
        } else {
            if (texts.length > 0) {
                sink.amongBytes(field.column(), texts.clone());
            }
            sink.other(this);
        }
    }

    /** The field whose values it lists; null when it does something else. */
    @Nullable
    FieldNode listed() {
        return !negated && operand instanceof FieldNode field ? field : null;
    }

    /** Whether its operand is a field. */
    boolean isOfField() {
        return operand instanceof FieldNode;
    }

    /** Sorted; of a field of numbers. */
    long[] numbers() {
        return numbers;
    }

    /** Sorted; of a field of text or bytes. */
    byte[][] texts() {
        return texts;
    }

    /** A field's numbers are asked of the set, and their truths are not written down. */
    @Override
    public int keep(RowView view, int[] selected, int count) {
        if (!(operand instanceof FieldNode field)
                || operand.type() == ValueType.DOUBLE
                || operand.type().variable()
                || (nullListed && negated)) {
            return super.keep(view, selected, count);
        }
        view.workspace().spend(count);
        long[] bits = set().bits();
        if (bits.length > 0 && field.isWhole()) {
            return field.keepAmong(view, selected, count, set().least(), bits, negated);
        }
        operand.evaluate(view, selected, count);
        Values values = operand.values();
        int kept = set().keep(values.longs, values.anyNull ? values.nulls : null, selected, count, negated);
        operand.release(view);
        return kept;
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        operand.evaluate(view, selected, count);
        Values values = operand.values();
        long[] truth = out.ownLongs(view);
        boolean doubles = operand.type() == ValueType.DOUBLE;
        boolean variable = operand.type().variable();
        out.nullsOf(values, selected, count, view);
        boolean coded = variable
                && truths.fill(
                        values, view, selected, count, truth, reference -> hasText(values, reference) != negated);
        for (int i = 0; i < count && !coded; i++) {
            int row = selected[i];
            if (out.isNull(row)) {
                continue;
            }
            boolean found;
            if (variable) {
                view.workspace().spend(16);
                found = hasText(values, values.longs[row]);
            } else {
                found = set().has(doubles ? OrderedBits.of(values.doubles[row]) : values.longs[row]);
            }
            truth[row] = found != negated ? 1 : 0;
        }
        if (nullListed) {
            // What equals no value might equal the one that is not known.
            boolean[] nulls = out.ownNulls(view);
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                boolean unknown = values.isNull(row) || (truth[row] == 1) == negated;
                nulls[row] = unknown;
            }
            out.anyNull = true;
        }
        operand.release(view);
    }

    private NumberSet set() {
        NumberSet made = set;
        if (made == null) {
            made = new NumberSet(numbers);
            set = made;
        }
        return made;
    }

    private boolean hasText(Values values, long reference) {
        int low = 0;
        int high = texts.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int compared = values.compareBytes(reference, texts[middle]);
            if (compared == 0) {
                return true;
            } else if (compared < 0) {
                high = middle - 1;
            } else {
                low = middle + 1;
            }
        }
        return false;
    }
}
