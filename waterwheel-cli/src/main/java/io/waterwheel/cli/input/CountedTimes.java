package io.waterwheel.cli.input;

import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Times of rows that are sent, in fields whose numbers count another unit than the one that is kept: a number of that
 * unit, such as an answer has, would be a time of a far year. Only for rows on their way in: what is in a topic is read
 * as it is. One thread.
 */
public final class CountedTimes {
    private static final long FIRST_SECOND =
            Instant.parse("0000-01-01T00:00:00Z").getEpochSecond();
    private static final long LAST_SECOND =
            Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();

    private final List<Field> fields;
    /** Indexes of those that count another unit. */
    private final List<Integer> counted = new ArrayList<>();

    public CountedTimes(Schema schema) {
        fields = schema.fields();
        for (int f = 0; f < fields.size(); f++) {
            Field field = fields.get(f);
            if (field.type().isTimestamp() && field.unit() != field.type().resolution()) {
                counted.add(f);
            }
        }
    }

    /**
     * Looks at the rows from one on.
     *
     * @throws RejectedRecordException when a time is of no year from 0 to 9999
     */
    public void check(TupleBlock rows, int first) throws RejectedRecordException {
        for (int f : counted) {
            for (int row = first; row < rows.size(); row++) {
                if (rows.value(f, row) instanceof Long units) {
                    check(fields.get(f), units);
                }
            }
        }
    }

    private static void check(Field field, long units) throws RejectedRecordException {
        TimestampUnit kept = field.type().resolution();
        Instant time = kept.instant(units);
        if (time.getEpochSecond() >= FIRST_SECOND && time.getEpochSecond() <= LAST_SECOND) {
            return;
        }
        BigDecimal count = BigDecimal.valueOf(units)
                .multiply(BigDecimal.valueOf(kept.nanos()))
                .divide(BigDecimal.valueOf(field.unit().nanos()));
        throw new RejectedRecordException(field.name() + ": expected " + name(field.unit())
                + " since 1970, the unit in the schema, of the years 0 to 9999, got " + count.toPlainString()
                + ", which is " + time + "; answers in CSV and JSON count " + name(kept));
    }

    private static String name(TimestampUnit unit) {
        return unit.name().toLowerCase(Locale.ROOT);
    }
}
