package io.waterwheel.query.exec;

import io.waterwheel.catalog.StreamInfo;
import io.waterwheel.key.BoxIntervals;
import io.waterwheel.key.ZOrder;
import io.waterwheel.model.Box;
import io.waterwheel.model.Field;
import io.waterwheel.model.KeyInterval;
import io.waterwheel.model.KeySpec;
import io.waterwheel.model.Schema;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.query.Query;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A query in terms of its stream's schema: names looked up, the box turned into key intervals.
 *
 * @param fields of the answer, in order
 * @param keys sorted and disjoint; what lies outside cannot match
 * @param spec what a scan looks for
 */
public record ResolvedQuery(Query query, StreamInfo stream, List<Field> fields, List<KeyInterval> keys, ScanSpec spec) {
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
        List<KeyInterval> keys = query.keys().isEmpty() ? List.of(KeyInterval.ALL) : merged(query.keys());
        Box box = query.box();
        ScanSpec.BoxTest test = null;
        if (box != null) {
            if (!(schema.key() instanceof KeySpec.Position position)) {
                throw new WaterwheelException(
                        WaterwheelException.Kind.USER,
                        "NO_POSITION",
                        "stream " + stream.name() + " has no position for a key; a box cannot be asked for");
            }
            keys = intersection(keys, BoxIntervals.of(box, new ZOrder(position.domain())));
            test = new ScanSpec.BoxTest(box, schema.indexOf(position.longitude()), schema.indexOf(position.latitude()));
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

    /** The same keys as sorted, disjoint, not even touching intervals. */
    static List<KeyInterval> merged(List<KeyInterval> intervals) {
        List<KeyInterval> sorted = new ArrayList<>(intervals);
        sorted.sort(Comparator.comparingLong(KeyInterval::low));
        List<KeyInterval> merged = new ArrayList<>();
        for (KeyInterval next : sorted) {
            int last = merged.size() - 1;
            if (last >= 0
                    && (merged.get(last).high() == Long.MAX_VALUE
                            || next.low() <= merged.get(last).high() + 1)) {
                merged.set(last, merged.get(last).span(next));
            } else {
                merged.add(next);
            }
        }
        return List.copyOf(merged);
    }

    /** Keys that lie in both lists; each sorted and disjoint. */
    static List<KeyInterval> intersection(List<KeyInterval> left, List<KeyInterval> right) {
        List<KeyInterval> both = new ArrayList<>();
        int l = 0;
        int r = 0;
        while (l < left.size() && r < right.size()) {
            KeyInterval a = left.get(l);
            KeyInterval b = right.get(r);
            if (a.overlaps(b)) {
                both.add(new KeyInterval(Math.max(a.low(), b.low()), Math.min(a.high(), b.high())));
            }
            if (a.high() < b.high()) {
                l++;
            } else {
                r++;
            }
        }
        return List.copyOf(both);
    }
}
