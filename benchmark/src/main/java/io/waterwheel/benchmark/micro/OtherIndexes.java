package io.waterwheel.benchmark.micro;

import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.TreeMap;

/** The floor and the simpler baselines of the insertion benchmark. One thread. */
final class OtherIndexes {
    private OtherIndexes() {}

    /** The same columns, appended in the order of arrival: what any index costs on top is its own. */
    static final class Appended implements TupleIndex {
        private final TupleBlock rows;

        Appended(int tuples) {
            rows = new TupleBlock(TaxiBlocks.LAYOUT, tuples);
        }

        @Override
        public void insert(TupleBlock block) {
            int at = rows.size();
            int count = block.size();
            System.arraycopy(block.keys(), 0, rows.keys(), at, count);
            System.arraycopy(block.times(), 0, rows.times(), at, count);
            for (int c = 0; c < TaxiBlocks.LAYOUT.columns(); c++) {
                int width = TaxiBlocks.LAYOUT.width(c);
                System.arraycopy(block.column(c), 0, rows.column(c), at * width, count * width);
            }
            rows.setSize(at + count);
        }

        @Override
        public long count(long lowKey, long highKey, long fromTime, long toTime) {
            return PlainLeaf.count(rows.keys(), rows.times(), rows.size(), lowKey, highKey, fromTime, toTime);
        }

        @Override
        public void discard() {
            rows.clear();
        }
    }

    /**
     * Bulk loading: keeps tuples as they come and builds a B+ tree of all of them, sorted, when it is full or asked.
     */
    static final class BulkLoaded implements TupleIndex {
        private static final int LEAF_ROWS = 64;

        private final TupleBlock rows;
        private final Appended appended;
        private final int tuples;
        private PlainLeaf[] leaves = {};

        BulkLoaded(int tuples) {
            this.tuples = tuples;
            this.appended = new Appended(tuples);
            this.rows = appended.rows;
        }

        @Override
        public void insert(TupleBlock block) {
            appended.insert(block);
            if (rows.size() == tuples) {
                load();
            }
        }

        private void load() {
            // The row's number in the low bits would cost key bits: a sort of boxed numbers is what Java offers.
            Integer[] order = new Integer[rows.size()];
            Arrays.setAll(order, i -> i);
            long[] keys = rows.keys();
            Arrays.sort(order, (a, b) -> Long.compare(keys[a], keys[b]));
            leaves = new PlainLeaf[(order.length + LEAF_ROWS - 1) / LEAF_ROWS];
            for (int i = 0; i < order.length; i++) {
                if (i % LEAF_ROWS == 0) {
                    leaves[i / LEAF_ROWS] = new PlainLeaf(LEAF_ROWS);
                }
                leaves[i / LEAF_ROWS].set(i % LEAF_ROWS, rows, order[i]);
                leaves[i / LEAF_ROWS].size++;
            }
        }

        @Override
        public long count(long lowKey, long highKey, long fromTime, long toTime) {
            if (leaves.length == 0) {
                return appended.count(lowKey, highKey, fromTime, toTime);
            }
            long count = 0;
            for (PlainLeaf leaf : leaves) {
                if (leaf.keys[0] <= highKey && leaf.keys[leaf.size - 1] >= lowKey) {
                    count += PlainLeaf.count(leaf.keys, leaf.times, leaf.size, lowKey, highKey, fromTime, toTime);
                }
            }
            return count;
        }

        @Override
        public void discard() {}
    }

    /** A red-black tree of objects. */
    static final class Objects implements TupleIndex {
        private record KeyAndNumber(long key, long number) implements Comparable<KeyAndNumber> {
            @Override
            public int compareTo(KeyAndNumber other) {
                int byKey = Long.compare(key, other.key);
                return byKey != 0 ? byKey : Long.compare(number, other.number);
            }
        }

        private final TreeMap<KeyAndNumber, PlainLeaf> rows = new TreeMap<>();
        private long number;

        @Override
        public void insert(TupleBlock block) {
            for (int row = 0; row < block.size(); row++) {
                PlainLeaf tuple = new PlainLeaf(1);
                tuple.set(0, block, row);
                rows.put(new KeyAndNumber(tuple.keys[0], number++), tuple);
            }
        }

        @Override
        public long count(long lowKey, long highKey, long fromTime, long toTime) {
            return rows
                    .subMap(new KeyAndNumber(lowKey, 0), true, new KeyAndNumber(highKey, Long.MAX_VALUE), true)
                    .values()
                    .stream()
                    .filter(tuple -> tuple.times[0] >= fromTime && tuple.times[0] <= toTime)
                    .count();
        }

        @Override
        public void discard() {}
    }
}
