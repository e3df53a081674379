package io.waterwheel.query.rows;

import io.waterwheel.query.column.Workspace;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Largest triangle three buckets [Steinarsson 2013]. The rows between the first and the last are divided into equal
 * shares; of each share that row is chosen which makes the largest triangle with the one chosen before and the mean of
 * the next share, of equal ones the first. Holds the rows of one series.
 */
public final class LargestTriangles implements Downsampler {
    private static final int FEWEST = 1024;
    /** Of a row: where it is, its time and its value. */
    private static final long ROW_BYTES = 24;

    private final int points;
    private final PickedRows picked;
    private final Workspace workspace;

    private final List<TupleBlock> blocks = new ArrayList<>();
    private long blockBytes;
    /** The number of the block, and the row in it. */
    private long[] places = {};

    private double[] x = {};
    private double[] y = {};
    private int count;
    private long firstTime;

    /** @param points most rows of a series, at least 2 */
    public LargestTriangles(int points, PickedRows picked, Workspace workspace) {
        this.points = points;
        this.picked = picked;
        this.workspace = workspace;
    }

    @Override
    public void add(TupleBlock rows, int row, long time, long ordered, double value) {
        if (blocks.isEmpty() || blocks.get(blocks.size() - 1) != rows) {
            workspace.memory().reserve(rows.allocatedBytes());
            blockBytes += rows.allocatedBytes();
            blocks.add(rows);
        }
        if (count == places.length) {
            int more = Math.max(FEWEST, count + (count >>> 1));
            // While they grow both are there, the old arrays and the new.
            workspace.memory().reserve(ROW_BYTES * more);
            places = Arrays.copyOf(places, more);
            x = Arrays.copyOf(x, more);
            y = Arrays.copyOf(y, more);
            workspace.memory().release(ROW_BYTES * count);
        }
        if (count == 0) {
            firstTime = time;
        }
        places[count] = (blocks.size() - 1L) << 32 | row;
        x[count] = NumberColumn.apart(firstTime, time);
        y[count] = value;
        count++;
    }

    @Override
    public void end() {
        if (count <= points) {
            for (int i = 0; i < count; i++) {
                pick(i);
            }
        } else {
            choose();
        }
        picked.flush();
        blocks.clear();
        workspace.memory().release(blockBytes);
        blockBytes = 0;
        count = 0;
    }

    private void pick(int i) {
        picked.add(blocks.get((int) (places[i] >>> 32)), (int) places[i]);
    }

    /** The first row of a share; share 0 comes behind the first row of all. */
    private int share(int number) {
        return (int) Math.min(count, (long) number * (count - 2) / (points - 2) + 1);
    }

    private void choose() {
        int chosen = 0;
        pick(0);
        for (int bucket = 0; bucket < points - 2; bucket++) {
            int from = share(bucket);
            int to = share(bucket + 1);
            int end = share(bucket + 2);
            double meanX = 0;
            double meanY = 0;
            for (int i = to; i < end; i++) {
                meanX += x[i];
                meanY += y[i];
            }
            meanX /= end - to;
            meanY /= end - to;
            int largest = from;
            double area = -1;
            for (int i = from; i < to; i++) {
                double twice =
                        Math.abs((x[chosen] - meanX) * (y[i] - y[chosen]) - (x[chosen] - x[i]) * (meanY - y[chosen]));
                if (twice > area) {
                    area = twice;
                    largest = i;
                }
            }
            workspace.spend(end - (long) from);
            chosen = largest;
            pick(chosen);
        }
        pick(count - 1);
    }
}
