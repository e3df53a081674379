package io.waterwheel.query.exec;

import io.waterwheel.catalog.StreamInfo;
import io.waterwheel.key.Area;
import io.waterwheel.key.KeyIntervals;
import io.waterwheel.key.ZOrder;
import io.waterwheel.model.Field;
import io.waterwheel.model.KeyInterval;
import io.waterwheel.model.KeySpec;
import io.waterwheel.model.Schema;
import io.waterwheel.model.Shape;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.query.Query;
import java.util.ArrayList;
import java.util.List;

/**
 * A query in terms of its stream's schema: names looked up, the shape turned into key intervals.
 *
 * @param fields of the answer, in order
 * @param keys sorted and disjoint; what lies outside cannot match
 * @param spec what a scan looks for
 */
public record ResolvedQuery(Query query, StreamInfo stream, List<Field> fields, List<KeyInterval> keys, ScanSpec spec) {
    /**
     * Most intervals that cover a shape: enough that the exact test on positions throws away little, few enough to be
     * tested on every row.
     */
    private static final int INTERVALS = 64;

    /**
     * Looks everything up.
     *
     * @throws WaterwheelException of kind USER when the query asks for what the stream has not
     */
    public static ResolvedQuery of(Query query, StreamInfo stream) {
        Schema schema = stream.schema();
        List<Field> fields = new ArrayList<>();
        List<Integer> indexes = new ArrayList<>();
        if (query.count()) {
            // A count needs no field.
        } else if (query.select().isEmpty()) {
            for (int f = 0; f < schema.fields().size(); f++) {
                fields.add(schema.fields().get(f));
                indexes.add(f);
            }
        } else {
            for (String name : query.select()) {
                int index = schema.indexOf(name);
                if (index < 0) {
                    throw new WaterwheelException(
                            WaterwheelException.Kind.USER,
                            "NO_SUCH_FIELD",
                            "stream " + stream.name() + " has no field '" + name + "'; it has "
                                    + schema.fields().stream().map(Field::name).toList());
                }
                fields.add(schema.fields().get(index));
                indexes.add(index);
            }
        }
        for (int partition : query.atLeast().keySet()) {
            if (partition < 0 || partition >= stream.partitions()) {
                throw new WaterwheelException(
                        WaterwheelException.Kind.USER,
                        "NO_SUCH_PARTITION",
                        "stream " + stream.name() + " has partitions 0 to " + (stream.partitions() - 1) + ", not "
                                + partition);
            }
        }
        List<KeyInterval> keys = query.keys().isEmpty() ? List.of(KeyInterval.ALL) : KeyIntervals.merged(query.keys());
        Shape shape = query.shape();
        ScanSpec.AreaTest test = null;
        if (shape != null) {
            if (!(schema.key() instanceof KeySpec.Position position)) {
                throw new WaterwheelException(
                        WaterwheelException.Kind.USER,
                        "NO_POSITION",
                        "stream " + stream.name() + " has no position for a key; a shape cannot be asked for");
            }
            Area area = Area.of(shape);
            keys = KeyIntervals.intersection(keys, area.intervals(new ZOrder(position.domain()), INTERVALS));
            test = new ScanSpec.AreaTest(
                    area, schema.indexOf(position.longitude()), schema.indexOf(position.latitude()));
        }
        ScanSpec spec = new ScanSpec(
                keys,
                query.times(),
                test,
                indexes.stream().mapToInt(Integer::intValue).toArray(),
                query.count(),
                query.count() ? Query.NO_LIMIT : query.limit());
        return new ResolvedQuery(query, stream, List.copyOf(fields), keys, spec);
    }
}
