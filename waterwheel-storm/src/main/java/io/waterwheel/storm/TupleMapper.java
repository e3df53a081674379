package io.waterwheel.storm;

import io.waterwheel.schema.Field;
import java.io.Serializable;
import java.util.List;
import org.apache.storm.tuple.Tuple;
import org.jspecify.annotations.Nullable;

/** Makes the values of a stream's fields from a tuple of Storm. Travels to the workers with the bolt. */
@FunctionalInterface
public interface TupleMapper extends Serializable {
    /** Takes the values of the tuple's fields that have the names of the stream's; those it lacks are null. */
    TupleMapper BY_NAME = (tuple, fields) -> {
        @Nullable Object[] values = new @Nullable Object[fields.size()];
        for (int f = 0; f < values.length; f++) {
            String name = fields.get(f).name();
            values[f] = tuple.contains(name) ? tuple.getValueByField(name) : null;
        }
        return values;
    };

    /**
     * The values of one row.
     *
     * @param fields of the stream, in whose order the values are
     * @return values as {@code io.waterwheel.client.Appender.append} takes them
     * @throws IllegalArgumentException when the tuple is no row of the stream: it fails
     */
    @Nullable
    Object[] values(Tuple tuple, List<Field> fields);
}
