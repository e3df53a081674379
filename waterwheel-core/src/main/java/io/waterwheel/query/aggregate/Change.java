package io.waterwheel.query.aggregate;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.ChangedNumber;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.TimestampUnit;
import java.util.List;

/**
 * How far a number comes from the first tuple to the last, by time: {@code delta(x)} is {@code last(x) - first(x)}, and
 * {@code rate(x)} is that a second, null where all have one time.
 */
final class Change extends NumericFunction {
    private final boolean aSecond;

    Change(String name, boolean aSecond) {
        super(name);
        this.aSecond = aSecond;
    }

    @Override
    public boolean byTime() {
        return true;
    }

    @Override
    public FieldType answerType(List<Argument> arguments) {
        return ofIntegers(arguments) && !aSecond ? FieldType.LONG : FieldType.DOUBLE;
    }

    @Override
    public AggregateState state(List<Argument> arguments, String about) {
        Argument time = arguments.get(1);
        return new ChangedNumber(
                about,
                arguments.get(0).type(),
                time.type(),
                aSecond
                        ? TimestampUnit.SECONDS.nanos()
                                / time.fieldType().resolution().nanos()
                        : 0);
    }
}
