package io.waterwheel.query.function;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.expression.CalendarUnit;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.TimestampUnit;
import java.time.DateTimeException;
import java.time.ZoneId;

/**
 * DATE_TRUNC and DATE_PART: the beginning of the hour, day, month that a time lies in, or its number, by the clock of a
 * zone.
 */
final class CalendarNode extends ColumnNode {
    private static final long SLOW = 300;

    private final Expression text;
    private final ColumnNode time;
    private final CalendarUnit unit;
    private final boolean part;
    private final TimestampUnit resolution;
    private final CalendarSpan last;
    /** For all times of that span. */
    private long answer;

    /** @param part whether the number is asked for, not the beginning */
    CalendarNode(Expression text, ColumnNode time, CalendarUnit unit, ZoneId zone, boolean part) {
        super(part ? ValueType.INTEGER : time.type());
        this.text = text;
        this.time = time;
        this.unit = unit;
        this.part = part;
        this.resolution = time.type().fieldType().resolution();
        this.last = new CalendarSpan(resolution, zone);
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        time.evaluate(view, selected, count);
        out.nullsOf(time.values(), selected, count, view);
        long[] times = time.values().longs;
        long[] result = out.ownLongs(view);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (out.isNull(row)) {
                continue;
            }
            long value = times[row];
            if (!last.has(value)) {
                view.workspace().spend(SLOW);
                look(value);
            }
            result[row] = answer;
        }
        time.release(view);
    }

    private void look(long value) {
        CalendarUnit.Span span = last.look(unit, value);
        try {
            answer = part ? span.number() : resolution.units(span.begin());
        } catch (DateTimeException e) {
            throw new WaterwheelException(
                    ErrorCode.INTEGER_OVERFLOW,
                    "expression: " + text + ": the " + unit.text() + " of " + value
                            + " begins before the first time of the field's unit; exclude such rows before",
                    e);
        }
    }
}
