package io.waterwheel.benchmark.dimensions;

import io.waterwheel.query.KeyRange;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The rows of a set in memory, in blocks, and answers by a look at each of them. */
final class Rows {
    /** What a look at every row finds. */
    record Found(long rows, double aggregate) {}

    /** One bound range of a field, its bounds as numbers or text. */
    private record Test(
            int field,
            @Nullable Comparable<?> low,
            @Nullable Comparable<?> high) {}

    private final Schema schema;
    private final List<TupleBlock> blocks = new ArrayList<>();
    private long count;

    /** @param schema in whose layout every field but the time has a column */
    Rows(Schema schema) {
        this.schema = schema;
    }

    Schema schema() {
        return schema;
    }

    List<TupleBlock> blocks() {
        return blocks;
    }

    long count() {
        return count;
    }

    /** Takes a block as it is; it must not be used again. */
    void add(TupleBlock block) {
        blocks.add(block);
        count += block.size();
    }

    /** Takes a copy. */
    void addCopy(TupleBlock block) {
        add(converted(block, block.layout(), null));
    }

    /**
     * The rows for a stream of another key.
     *
     * @param random draws keys where the key is the field {@code random}, which the rows lack; else null
     */
    List<TupleBlock> of(Schema other, @Nullable SplittableRandom random) {
        RowLayout layout = RowLayout.of(other);
        List<TupleBlock> all = new ArrayList<>(blocks.size());
        blocks.forEach(block -> all.add(converted(block, layout, random)));
        return all;
    }

    private static TupleBlock converted(TupleBlock from, RowLayout layout, @Nullable SplittableRandom random) {
        int rows = from.size();
        TupleBlock to = new TupleBlock(layout, rows);
        System.arraycopy(from.times(), 0, to.times(), 0, rows);
        if (layout.nullMaskColumn() >= 0) {
            copy(from, from.layout().nullMaskColumn(), to, layout.nullMaskColumn());
        }
        List<Field> fields = layout.fields();
        for (int f = 0; f < fields.size(); f++) {
            int source = f < from.layout().fields().size() ? from.layout().columnOf(f) : RowLayout.KEY;
            int column = layout.columnOf(f);
            if (column >= 0) {
                copy(from, source, to, column);
            } else if (column == RowLayout.KEY) {
                for (int row = 0; row < rows; row++) {
                    to.keys()[row] = random != null
                            ? random.nextLong()
                            : ((Number) Objects.requireNonNull(from.value(f, row))).longValue();
                }
            }
        }
        to.ensureArena(from.arenaSize());
        System.arraycopy(from.arena(), 0, to.arena(), 0, from.arenaSize());
        to.setArenaSize(from.arenaSize());
        to.setSize(rows);
        return to;
    }

    private static void copy(TupleBlock from, int source, TupleBlock to, int column) {
        int width = to.layout().width(column);
        System.arraycopy(from.column(source), 0, to.column(column), 0, from.size() * width);
    }

    /** Looks at every row. */
    Found look(Question question) {
        List<Test> tests = new ArrayList<>();
        for (KeyRange range : question.ranges()) {
            int field = schema.indexOf(Objects.requireNonNull(range.field()));
            tests.add(new Test(field, bound(field, range.low()), bound(field, range.high())));
        }
        int aggregated = schema.indexOf(question.aggregated());
        boolean greatest = question.aggregate().startsWith("max");
        long rows = 0;
        long values = 0;
        double sum = 0;
        double most = Double.NEGATIVE_INFINITY;
        for (TupleBlock block : blocks) {
            for (int row = 0; row < block.size(); row++) {
                if (!matches(question, tests, block, row)) {
                    continue;
                }
                rows++;
                if (block.value(aggregated, row) instanceof Number number) {
                    values++;
                    sum += number.doubleValue();
                    most = Math.max(most, number.doubleValue());
                }
            }
        }
        double of = question.aggregate().startsWith("count")
                ? values
                : values == 0 ? Double.NaN : greatest ? most : sum / values;
        return new Found(rows, of);
    }

    private @Nullable Comparable<?> bound(int field, @Nullable String text) {
        if (text == null) {
            return null;
        }
        return switch (schema.fields().get(field).type().physical()) {
            case FLOAT32, FLOAT64 -> Double.valueOf(text);
            case INT32, INT64 -> Long.valueOf(text);
            default -> text;
        };
    }

    private static boolean matches(Question question, List<Test> tests, TupleBlock block, int row) {
        if (!question.times().contains(block.times()[row])) {
            return false;
        }
        for (Test test : tests) {
            Object value = fast(block, test.field(), row);
            if (value == null
                    || (test.low() != null && compare(value, test.low()) < 0)
                    || (test.high() != null && compare(value, test.high()) > 0)) {
                return false;
            }
        }
        return true;
    }

    /** Whole numbers as longs. */
    private static @Nullable Object fast(TupleBlock block, int field, int row) {
        Object value = block.value(field, row);
        return value instanceof Integer whole ? Long.valueOf(whole) : value;
    }

    @SuppressWarnings("unchecked") // bound gives what fast gives
    private static int compare(Object value, Comparable<?> bound) {
        return -((Comparable<Object>) bound).compareTo(value);
    }

    /** A value as a bound is written; null where there is none. */
    static @Nullable String text(TupleBlock block, int field, int row) {
        Object value = block.value(field, row);
        return value == null ? null : value.toString();
    }
}
