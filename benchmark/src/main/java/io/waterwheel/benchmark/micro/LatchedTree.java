package io.waterwheel.benchmark.micro;

import io.waterwheel.tuple.TupleBlock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The concurrent B+ tree that [Wang 2018] compares with: latch coupling after [Bayer 1977], their second protocol:
 * writers go down with read latches and a write latch on the leaf alone, and only when that leaf must be split begin
 * anew with write latches, letting go of all above a node that has room. Rows of a leaf are sorted by key, as a B+
 * tree's are.
 */
@SuppressWarnings("LockNotBeforeTry") // coupled: a latch is let go of when the next one is held
final class LatchedTree implements TupleIndex {
    private static final int FANOUT = 64;
    private static final int LEAF_ROWS = 64;

    private static final class Node {
        final ReentrantReadWriteLock latch = new ReentrantReadWriteLock();
        final @Nullable PlainLeaf rows;
        final long[] bounds = new long[FANOUT];
        final @Nullable Node[] children;
        int count;

        @Nullable
        Node next;

        Node(boolean leaf) {
            rows = leaf ? new PlainLeaf(LEAF_ROWS) : null;
            children = new Node[leaf ? 0 : FANOUT];
        }

        boolean full() {
            return rows != null ? rows.size == LEAF_ROWS : count == FANOUT;
        }

        /** Place of the child for a key: bounds[i] is the least key of child i, for i above 0. */
        int childOf(long key) {
            int low = 1;
            int high = count;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (bounds[middle] <= key) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low - 1;
        }

        @SuppressWarnings("NullAway") // children below count are there
        Node child(int at) {
            return children[at];
        }
    }

    /** Guards the reference to the root. */
    private final ReentrantReadWriteLock rootLatch = new ReentrantReadWriteLock();

    private Node root = new Node(true);

    @Override
    public void insert(TupleBlock block) {
        for (int row = 0; row < block.size(); row++) {
            if (!tryLeaf(block, row)) {
                split(block, row);
            }
        }
    }

    /** The usual case: only the leaf changes. */
    private boolean tryLeaf(TupleBlock block, int row) {
        long key = block.keys()[row];
        rootLatch.readLock().lock();
        Node node = root;
        latch(node);
        rootLatch.readLock().unlock();
        while (node.rows == null) {
            Node child = node.child(node.childOf(key));
            latch(child);
            node.latch.readLock().unlock();
            node = child;
        }
        boolean room = !node.full();
        if (room) {
            put(node.rows, block, row);
        }
        node.latch.writeLock().unlock();
        return room;
    }

    private static void latch(Node node) {
        if (node.rows == null) {
            node.latch.readLock().lock();
        } else {
            node.latch.writeLock().lock();
        }
    }

    private static void put(PlainLeaf rows, TupleBlock block, int row) {
        long key = block.keys()[row];
        int low = 0;
        int high = rows.size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (rows.keys[middle] <= key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        rows.move(low, rows.size - low, rows, low + 1);
        rows.set(low, block, row);
        rows.size++;
    }

    /** Goes down with write latches on every node that a split may reach, and splits full ones on the way. */
    private void split(TupleBlock block, int row) {
        long key = block.keys()[row];
        rootLatch.writeLock().lock();
        root.latch.writeLock().lock();
        if (root.full()) {
            Node above = new Node(false);
            above.children[0] = root;
            above.count = 1;
            above.latch.writeLock().lock();
            divide(above, 0);
            root.latch.writeLock().unlock();
            root = above;
        }
        Node node = root;
        rootLatch.writeLock().unlock();
        while (node.rows == null) {
            int at = node.childOf(key);
            Node child = node.child(at);
            child.latch.writeLock().lock();
            if (child.full()) {
                // A full node is divided while its parent, which has room, is held.
                divide(node, at);
                child.latch.writeLock().unlock();
                child = node.child(node.childOf(key));
                child.latch.writeLock().lock();
            }
            node.latch.writeLock().unlock();
            node = child;
        }
        put(node.rows, block, row);
        node.latch.writeLock().unlock();
    }

    private static void divide(Node parent, int at) {
        Node left = parent.child(at);
        Node right = new Node(left.rows != null);
        long bound;
        if (left.rows != null && right.rows != null) {
            // Rows of one key stay together where they can: keys of taxis are hardly ever equal.
            int half = LEAF_ROWS / 2;
            left.rows.move(half, LEAF_ROWS - half, right.rows, 0);
            right.rows.size = LEAF_ROWS - half;
            left.rows.size = half;
            bound = right.rows.keys[0];
            right.next = left.next;
            left.next = right;
        } else {
            int half = FANOUT / 2;
            System.arraycopy(left.children, half, right.children, 0, FANOUT - half);
            System.arraycopy(left.bounds, half, right.bounds, 0, FANOUT - half);
            right.count = FANOUT - half;
            left.count = half;
            bound = right.bounds[0];
        }
        System.arraycopy(parent.children, at + 1, parent.children, at + 2, parent.count - at - 1);
        System.arraycopy(parent.bounds, at + 1, parent.bounds, at + 2, parent.count - at - 1);
        parent.children[at + 1] = right;
        parent.bounds[at + 1] = bound;
        parent.count++;
    }

    @Override
    public long count(long lowKey, long highKey, long fromTime, long toTime) {
        rootLatch.readLock().lock();
        Node node = root;
        node.latch.readLock().lock();
        rootLatch.readLock().unlock();
        // To the left of equal keys, which a division may have parted.
        long target = lowKey == Long.MIN_VALUE ? lowKey : lowKey - 1;
        while (node.rows == null) {
            Node child = node.child(node.childOf(target));
            child.latch.readLock().lock();
            node.latch.readLock().unlock();
            node = child;
        }
        long count = 0;
        while (true) {
            PlainLeaf rows = node.rows;
            if (rows == null) {
                throw new IllegalStateException("an inner node among the leaves");
            }
            count += PlainLeaf.count(rows.keys, rows.times, rows.size, lowKey, highKey, fromTime, toTime);
            Node next = rows.size > 0 && rows.keys[rows.size - 1] > highKey ? null : node.next;
            if (next == null) {
                node.latch.readLock().unlock();
                return count;
            }
            next.latch.readLock().lock();
            node.latch.readLock().unlock();
            node = next;
        }
    }

    @Override
    public void discard() {}
}
