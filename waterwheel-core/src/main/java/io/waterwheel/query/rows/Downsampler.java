package io.waterwheel.query.rows;

import io.waterwheel.tuple.TupleBlock;

/**
 * Chooses rows of one series after the other. It is shown those that can be plotted, in the order of their times. One
 * thread.
 */
public interface Downsampler {
    /**
     * Takes a row.
     *
     * @param rows a block that stays as it is
     * @param time in the units of the time's field
     * @param ordered a number that is greater for a greater value
     * @param value what is plotted, finite
     */
    void add(TupleBlock rows, int row, long time, long ordered, double value);

    /** The series ended: hands over the rest of what is chosen of it. */
    void end();
}
