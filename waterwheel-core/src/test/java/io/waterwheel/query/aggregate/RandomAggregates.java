package io.waterwheel.query.aggregate;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.aggregate.AggregateFunction.Parameter;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Aggregates of random fields, as each function takes them. */
public final class RandomAggregates {
    private final Random random;
    private final List<Field> fields;

    public RandomAggregates(Random random, List<Field> fields) {
        this.random = random;
        this.fields = fields;
    }

    /** Any of all functions, of any field; of a field that the function does not take, its count. */
    public Aggregate any(String name) {
        AggregateFunction function = AggregateFunctions.all()
                .get(random.nextInt(AggregateFunctions.all().size()));
        if (function.ofRows() && random.nextBoolean()) {
            return new Aggregate(function, List.of(), filter(), name);
        }
        Field field = field();
        return of(function.takes(ValueType.of(field.type())) ? function : AggregateFunctions.of("count"), field, name);
    }

    /** This function of this field. */
    public Aggregate of(AggregateFunction function, Field field, String name) {
        List<Expression> arguments = new ArrayList<>();
        for (Parameter parameter : function.parameters()) {
            arguments.add(
                    switch (parameter) {
                        case VALUE -> new Expression.FieldValue(field.name());
                        case BY -> new Expression.FieldValue(field().name());
                        case FRACTION ->
                            random.nextInt(3) == 0
                                    ? new Expression.Whole(random.nextInt(2))
                                    : new Expression.Decimal(random.nextInt(101) / 100.0);
                    });
        }
        return new Aggregate(function, arguments, filter(), name);
    }

    private Field field() {
        return fields.get(random.nextInt(fields.size()));
    }

    private @Nullable Expression filter() {
        return random.nextInt(3) > 0
                ? null
                : new Expression.IsNull(new Expression.FieldValue(field().name()), random.nextInt(4) > 0);
    }
}
