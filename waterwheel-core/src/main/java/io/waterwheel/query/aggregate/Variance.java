package io.waterwheel.query.aggregate;

import io.waterwheel.schema.FieldType;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

    /**
     * What these sums say, or null: nearest to the exact value.
     *
     * @param count number of values
     * @param sum of the values
     * @param squares sum of their squares
     */
    static @Nullable Double of(long count, Dyadic sum, Dyadic squares, boolean sample, boolean root) {
        long divisor = sample ? count - 1 : count;
        if (divisor < 1) {
            return null;
        }
        // (n S2 - S1^2) / (n d): not negative, by Cauchy and Schwarz, because nothing was rounded before.
        return squares.times(count).minus(sum.squared()).quotient(count, divisor, root);
    }
}
