package io.waterwheel.query.condition;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.FieldNode;
import java.util.Arrays;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What an OR says of one field when all its terms name values that it may have: the same as IN. One thread. */
final class Alternatives {
    private @Nullable FieldNode field;
    private final TreeSet<Long> numbers = new TreeSet<>();
    private final TreeSet<byte[]> texts = new TreeSet<>(Arrays::compareUnsigned);

    /** Tells the sink of the values; false when the terms are others. */
    boolean conjunct(LogicNode logic, ConjunctSink sink) {
        if (logic.and()) {
            return false;
        }
        for (ColumnNode term : logic.terms()) {
            if (!take(term)) {
                return false;
            }
        }
        FieldNode of = field;
        if (of == null) {
            return false;
        } else if (!of.type().variable()) {
            sink.among(of.column(), numbers.stream().mapToLong(Long::longValue).toArray());
            return true;
        } else if (!texts.isEmpty()) {
            sink.amongBytes(of.column(), texts.toArray(byte[][]::new));
        }
        sink.other(logic);
        return true;
    }

    private boolean take(ColumnNode term) {
        FieldNode named = null;
        if (term instanceof FieldBounds test
                && !test.bounds().outside()
                && test.bounds().low() >= test.bounds().high()) {
            named = test.field();
            if (test.bounds().low() == test.bounds().high()) {
                numbers.add(test.bounds().low());
            }
        } else if (term instanceof InNode in) {
            named = in.listed();
            Arrays.stream(in.numbers()).forEach(numbers::add);
            texts.addAll(Arrays.asList(in.texts()));
        } else if (term instanceof CompareNode compare && compare.equated() != null) {
            named = compare.equated();
            texts.add(compare.text());
        }
        boolean same = named != null && (field == null || field == named);
        field = named;
        return same;
    }
}
