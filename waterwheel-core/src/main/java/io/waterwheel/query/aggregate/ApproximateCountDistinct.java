package io.waterwheel.query.aggregate;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.DistinctSketch;
import java.util.List;

/** The number of different values: exact while a {@link DistinctSketch} holds their hashes, an estimate above. */
final class ApproximateCountDistinct extends CountFunction {
    @Override
    public String name() {
        return "approx_count_distinct";
    }

    @Override
    public AggregateState state(List<Argument> arguments, String about) {
        return new DistinctSketch(arguments.get(0).type());
    }
}
