package io.waterwheel.query.exec;

import io.waterwheel.key.Area;
import io.waterwheel.model.Field;
import io.waterwheel.model.KeyInterval;
import io.waterwheel.model.RowLayout;
import io.waterwheel.model.TimeInterval;
import io.waterwheel.query.Query;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to look for in one tree or chunk. A tuple matches when its key lies in an interval, its time in the time
 * interval, and its position in the area.
 *
 * @param keys sorted, disjoint; when there is none, nothing matches
 * @param times closed
 * @param area the exact test on the position, or null
 * @param fields indexes of the fields of the answer, in order; not used when counting
 * @param count whether tuples are only counted; the limit does not apply then
 * @param limit most tuples to deliver, at least 0; {@link Query#NO_LIMIT} for all
 */
@SuppressWarnings("ArrayRecordComponent") // copied once a scan; never compared
public record ScanSpec(
        List<KeyInterval> keys,
        TimeInterval times,
        @Nullable AreaTest area,
        int[] fields,
        boolean count,
        long limit) {
    /**
     * A position must lie in the area.
     *
     * @param longitudeField index of a double field
     * @param latitudeField index of a double field
     */
    public record AreaTest(Area area, int longitudeField, int latitudeField) {}

    public ScanSpec {
        keys = List.copyOf(keys);
        fields = fields.clone();
        for (int i = 1; i < keys.size(); i++) {
            if (keys.get(i - 1).high() >= keys.get(i).low()) {
                throw new IllegalArgumentException("scan: expected sorted disjoint key intervals, got "
                        + keys.get(i - 1) + " before " + keys.get(i));
            }
        }
        if (limit < 0) {
            throw new IllegalArgumentException("scan: limit must not be negative, got " + limit);
        }
    }

    /** All tuples with all fields. */
    public static ScanSpec all(RowLayout layout) {
        int[] fields = new int[layout.fields().size()];
        for (int f = 0; f < fields.length; f++) {
            fields[f] = f;
        }
        return new ScanSpec(List.of(KeyInterval.ALL), TimeInterval.ALL, null, fields, false, Query.NO_LIMIT);
    }

    /** The layout of the answer's rows for tuples of this stored layout. */
    public RowLayout resultLayout(RowLayout stored) {
        List<Field> result = new ArrayList<>(fields.length);
        for (int field : fields) {
            result.add(stored.fields().get(field));
        }
        return RowLayout.ofFields(result);
    }
}
