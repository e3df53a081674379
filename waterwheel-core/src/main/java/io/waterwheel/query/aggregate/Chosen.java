package io.waterwheel.query.aggregate;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.ChosenValue;
import java.util.List;

/**
 * The value of the tuple in which another value is least, or greatest: {@code arg_min(value, by)}; or in which the time
 * is, {@code first(value)}. Tuples where either is null are left out. Of several that are equal in what they are chosen
 * by it is the least value, so that the answer does not depend on where tuples lie.
 */
final class Chosen extends OneOfTheValues {
    private final String name;
    private final boolean greatest;
    private final boolean byTime;

    Chosen(String name, boolean greatest, boolean byTime) {
        this.name = name;
        this.greatest = greatest;
        this.byTime = byTime;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Parameter> parameters() {
        return byTime ? List.of(Parameter.VALUE) : List.of(Parameter.VALUE, Parameter.BY);
    }

    @Override
    public boolean byTime() {
        return byTime;
    }

    @Override
    public AggregateState state(List<Argument> arguments, String about) {
        return new ChosenValue(arguments.get(0).type(), arguments.get(1).type(), greatest);
    }
}
