package io.waterwheel.query.aggregate;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.DoubleMoments;
import io.waterwheel.query.aggregate.state.WholeMoments;
import io.waterwheel.schema.FieldType;
import java.util.List;

/**
 * Variance or standard deviation, of a population (divided by n) or of a sample (by n - 1; null of one value), as SQL's
 * VAR_POP, VAR_SAMP, STDDEV_POP and STDDEV_SAMP. A double: computed exactly, rounded once.
 */
final class Variance extends NumericFunction {
    private final boolean sample;
    private final boolean root;

    Variance(String name, boolean sample, boolean root) {
        super(name);
        this.sample = sample;
        this.root = root;
    }

    @Override
    public FieldType answerType(List<Argument> arguments) {
        return FieldType.DOUBLE;
    }

    @Override
    public AggregateState state(List<Argument> arguments, String about) {
        return ofIntegers(arguments) ? new WholeMoments(sample, root) : new DoubleMoments(sample, root);
    }
}
