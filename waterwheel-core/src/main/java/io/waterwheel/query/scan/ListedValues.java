package io.waterwheel.query.scan;

import io.waterwheel.chunk.LeafDictionary;
import io.waterwheel.query.aggregate.state.LeafValues;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import java.util.BitSet;

/** Those of a dictionary. */
final class ListedValues implements LeafValues {
    private static final int NANOS_OF_VALUE = 20;

    private final LeafDictionary dictionary;
    private final ValueType type;
    /** Leaves of the chunk. */
    private final int leaves;

    private final BitSet scratch = new BitSet();
    private BitSet wanted = new BitSet();
    /** Whether all leaves are wanted: then each value is in one. */
    private boolean all;

    ListedValues(LeafDictionary dictionary, ValueType type, int leaves) {
        this.dictionary = dictionary;
        this.type = type;
        this.leaves = leaves;
    }

    @Override
    public int size() {
        return dictionary.size();
    }

    @Override
    public void of(BitSet some) {
        wanted = some;
        all = some.cardinality() == leaves;
    }

    @Override
    public boolean has(int value) {
        if (all) {
            return true;
        }
        scratch.clear();
        dictionary.leaves(value, value + 1, scratch);
        return scratch.intersects(wanted);
    }

    @Override
    public long nanos(int from, int to) {
        long values = (long) to - from;
        return all
                ? NANOS_OF_VALUE * values
                : values * (NANOS_OF_VALUE + leaves / Long.SIZE) + dictionary.setBits(from, to);
    }

    @Override
    public void begin(Values values, int rows) {
        values.anyNull = false;
        if (type == ValueType.DOUBLE) {
            values.doubles = new double[rows];
        } else {
            values.longs = new long[rows];
        }
        if (dictionary.variable()) {
            values.slabs = new byte[][] {dictionary.texts()};
        }
    }

    @Override
    public void copy(int value, Values to, int row) {
        if (dictionary.variable()) {
            to.longs[row] = dictionary.reference(value);
        } else if (type == ValueType.DOUBLE) {
            to.doubles[row] = OrderedBits.toDouble(dictionary.code(value));
        } else {
            to.longs[row] = dictionary.code(value);
        }
    }
}
