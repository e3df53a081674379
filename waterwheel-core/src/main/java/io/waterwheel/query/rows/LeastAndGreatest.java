package io.waterwheel.query.rows;

import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.TupleBlock;
import org.jspecify.annotations.Nullable;

/** Of each step of time the row with the least value and the one with the greatest, of equal ones the first. */
public final class LeastAndGreatest implements Downsampler {
    private final TimestampUnit unit;
    private final TimeSteps steps;
    private final PickedRows picked;

    private long step;
    /** Rows of the step so far; null blocks when there are none. */
    private @Nullable TupleBlock low;

    private int lowRow;
    private long least;
    private @Nullable TupleBlock high;
    private int highRow;
    private long greatest;
    /** Whether the least came before the greatest. */
    private boolean lowFirst;

    /** @param unit of the times that it is told */
    public LeastAndGreatest(TimestampUnit unit, TimeSteps steps, PickedRows picked) {
        this.unit = unit;
        this.steps = steps;
        this.picked = picked;
    }

    @Override
    public void add(TupleBlock rows, int row, long time, long value, double number) {
        long at = steps.step(unit.toMillis(time));
        if (low != null && at != step) {
            end();
        }
        if (low == null || value < least) {
            lowFirst = false;
            low = rows;
            lowRow = row;
            least = value;
        }
        if (high == null || value > greatest) {
            lowFirst = true;
            high = rows;
            highRow = row;
            greatest = value;
        }
        step = at;
    }

    @Override
    public void end() {
        TupleBlock one = low;
        TupleBlock other = high;
        if (one == null || other == null) {
            return;
        }
        if (one == other && lowRow == highRow) {
            picked.add(one, lowRow);
        } else if (lowFirst) {
            picked.add(one, lowRow);
            picked.add(other, highRow);
        } else {
            picked.add(other, highRow);
            picked.add(one, lowRow);
        }
        low = null;
        high = null;
    }
}
