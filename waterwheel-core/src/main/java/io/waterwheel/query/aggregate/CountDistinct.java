package io.waterwheel.query.aggregate;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.DistinctValues;
import java.util.List;

/** The exact number of different values; all of them are held. Also written {@code count(DISTINCT value)}. */
final class CountDistinct extends CountFunction {
    @Override
    public String name() {
        return "count_distinct";
    }

    @Override
    public AggregateState state(List<Argument> arguments, String about) {
        return new DistinctValues(arguments.get(0).type());
    }
}
