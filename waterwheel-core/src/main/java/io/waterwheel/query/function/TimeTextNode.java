package io.waterwheel.query.function;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.expression.CalendarUnit;
import io.waterwheel.query.expression.TimeFormat;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.TupleBlock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;

/**
 * FORMAT_TIME: times as text, by the clock of a zone. Rows that follow each other mostly lie in one day, minute or
 * second, within which their texts are the same: it is remembered from when to when, and such rows share it.
 */
final class TimeTextNode extends ColumnNode {
    private static final long SLOW = 500;

    private final ColumnNode time;
    private final TimeFormat format;
    private final ZoneId zone;
    private final TimestampUnit resolution;

    /* The text of times from (included) to (not). */
    private long from;
    private long to;
    private byte[] text = {};

    TimeTextNode(ColumnNode time, TimeFormat format, ZoneId zone) {
        super(ValueType.STRING);
        this.time = time;
        this.format = format;
        this.zone = zone;
        this.resolution = time.type().fieldType().resolution();
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        time.evaluate(view, selected, count);
        out.nullsOf(time.values(), selected, count, view);
        long[] times = time.values().longs;
        long[] result = out.ownLongs(view);
        out.ownBytes(view, 0);
        int filled = 0;
        // Nothing of this block is written yet.
        long reference = -1;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (out.isNull(row)) {
                continue;
            }
            long value = times[row];
            boolean same = value >= from && value < to;
            if (!same || reference < 0) {
                if (!same) {
                    view.workspace().spend(SLOW);
                    look(value);
                }
                System.arraycopy(text, 0, out.moreBytes(view, filled, text.length), filled, text.length);
                reference = TupleBlock.reference(filled, text.length);
                filled += text.length;
            }
            result[row] = reference;
        }
        time.release(view);
    }

    private void look(long value) {
        Instant instant = resolution.instant(value);
        CalendarUnit unit = format.within();
        if (unit == null) {
            from = value;
            to = value == Long.MAX_VALUE ? value : value + 1;
        } else {
            CalendarUnit.Span span = unit.around(instant, zone);
            from = units(span.from(), Long.MIN_VALUE);
            to = units(span.to(), Long.MAX_VALUE);
        }
        text = format.text(instant.atZone(zone)).getBytes(UTF_8);
    }

    /** Where a span begins or ends: all do at a whole second. */
    private long units(Instant instant, long beyond) {
        try {
            return resolution.units(instant);
        } catch (DateTimeException e) {
            return beyond;
        }
    }
}
