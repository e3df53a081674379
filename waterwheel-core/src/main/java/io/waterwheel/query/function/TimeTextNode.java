package io.waterwheel.query.function;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.expression.CalendarUnit;
import io.waterwheel.query.expression.TimeFormat;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.TupleBlock;
import java.time.ZoneId;

/**
 * FORMAT_TIME: times as text, by the clock of a zone. Rows that follow each other mostly lie in one day, minute or
 * second, within which their texts are the same.
 */
final class TimeTextNode extends ColumnNode {
    private static final long SLOW = 500;

    private final ColumnNode time;
    private final TimeFormat format;
    private final ZoneId zone;
    private final TimestampUnit resolution;
    private final CalendarSpan last;
    /** Of all times of that span. */
    private byte[] text = {};

    TimeTextNode(ColumnNode time, TimeFormat format, ZoneId zone) {
        super(ValueType.STRING);
        this.time = time;
        this.format = format;
        this.zone = zone;
        this.resolution = time.type().fieldType().resolution();
        this.last = new CalendarSpan(resolution, zone);
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
            boolean same = last.has(value);
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
        CalendarUnit unit = format.within();
        if (unit == null) {
            last.only(value);
        } else {
            CalendarUnit.Span unused = last.look(unit, value);
        }
        text = format.text(resolution.instant(value).atZone(zone)).getBytes(UTF_8);
    }
}
