package io.waterwheel.index;

import io.waterwheel.index.Leaves.Places;
import io.waterwheel.model.LittleEndian;
import io.waterwheel.model.Region;
import io.waterwheel.model.RowLayout;
import io.waterwheel.model.TupleBlock;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The tuples of one stream since its last flush, divided by key into {@link Leaves} along a {@link Template} that was
 * learnt beforehand, so that no node is ever split. One thread inserts; any number of threads read at the same time;
 * neither takes a lock. The first tree of a stream begins with one leaf and learns its template from its own first
 * {@link #LEARN_TUPLES} tuples.
 *
 * <p>Memory goes back to the pool when the owner has called {@link #discard} and the last reader its {@link #release}.
 * A reader calls {@link #tryRetain} first, and reads only if it returned true.
 *
 * <p>Owner: the indexer's thread: {@link #insert}, {@link #discard}. Readers: any thread, between tryRetain and
 * release. Published by: leaf sizes (see {@link Leaves}); the leaves by a volatile write when they are learnt anew; the
 * tree's own numbers by release after the leaf sizes of the same rows.
 */
public final class TemplateTree {
    /** A tree with one leaf learns its template when it holds this many tuples. */
    public static final int LEARN_TUPLES = 16 * 1024;
    /** Leaves of a template that is learnt, if the keys can be divided so far. See docs/decisions. */
    public static final int LEAVES = 256;

    private final RowLayout layout;
    private final PagePool pool;
    private final Arena arena;
    /** Where column c begins in a page. */
    private final int[] pageOffsets;
    /** The null bit of the field in column c, or -1. */
    private final int[] nullBits;

    private final Places places = new Places();
    private volatile Leaves leaves;
    /** The leaves before the template was learnt: readers may still be in them. */
    private volatile @Nullable Leaves replaced;

    private boolean learnt;
    private long variableBytes;

    private volatile long tuples;
    private volatile long bytes;
    private volatile long usedBytes;
    private volatile long minKey = Long.MAX_VALUE;
    private volatile long maxKey = Long.MIN_VALUE;
    private volatile long minTime = Long.MAX_VALUE;
    private volatile long maxTime = Long.MIN_VALUE;

    /** The owner, until it discards, and the readers. */
    private final AtomicInteger holders = new AtomicInteger(1);

    private final AtomicBoolean discarded = new AtomicBoolean();

    /**
     * An empty tree.
     *
     * @param layout a stored layout
     */
    public TemplateTree(RowLayout layout, Template template, PagePool pool) {
        if (!layout.keyed()) {
            throw new IllegalArgumentException("a tree holds stored tuples: its layout must have a key and a time");
        }
        this.layout = layout;
        this.pool = pool;
        this.arena = new Arena(pool);
        this.leaves = new Leaves(template, pool, layout.payloadWidth());
        this.learnt = template.leaves() > 1;
        this.pageOffsets = pageOffsets(layout);
        this.nullBits = nullBits(layout);
    }

    /** Where each column begins in {@link Page#payload}. */
    public static int[] pageOffsets(RowLayout layout) {
        int[] offsets = new int[layout.columns()];
        int offset = 0;
        for (int c = 0; c < offsets.length; c++) {
            offsets[c] = offset;
            offset += layout.width(c) * Page.ROWS;
        }
        return offsets;
    }

    /**
     * Inserts rows [fromRow, toRow) of a block; its arrays are copied, not kept. When this returns, readers see the
     * rows. Allocates nothing but lists of pages as leaves grow, and storage that the pool has none of.
     */
    public void insert(TupleBlock block, int fromRow, int toRow) {
        if (discarded.get()) {
            throw new IllegalStateException("insert into a discarded tree");
        }
        Leaves into = leaves;
        long[] keys = block.keys();
        long[] times = block.times();
        for (int from = fromRow; from < toRow; from += Places.ROWS) {
            int count = Math.min(Places.ROWS, toRow - from);
            into.place(keys, times, from, count, places);
            for (int c = 0; c < pageOffsets.length; c++) {
                int width = layout.width(c);
                if (layout.variable(c)) {
                    copyVariable(block, c, from, count);
                } else {
                    Leaves.copyColumn(block.column(c), from * width, width, pageOffsets[c], count, places);
                }
            }
            widen(keys, times, from, count);
            into.publish(count, places);
        }
        publish(tuples + Math.max(0, toRow - fromRow));
        if (!learnt && tuples >= LEARN_TUPLES) {
            learn();
        }
    }

    /** Copies values into the arena. What a column holds where its field is null is not looked at. */
    private void copyVariable(TupleBlock block, int column, int from, int count) {
        byte[] source = block.column(column);
        int nullBit = nullBits[column];
        for (int i = 0; i < count; i++) {
            long reference = LittleEndian.getLong(source, (from + i) * 8);
            int length = TupleBlock.referenceLength(reference);
            long stored = 0;
            if (nullBit < 0 || ((block.nullMask(from + i) >>> nullBit) & 1) == 0) {
                stored = arena.add(block.arena(), TupleBlock.referenceOffset(reference), length);
                variableBytes += length;
            }
            LittleEndian.putLong(places.page[i].payload(), pageOffsets[column] + places.slot[i] * 8, stored);
        }
    }

    private static int[] nullBits(RowLayout layout) {
        int[] bits = new int[layout.columns()];
        Arrays.fill(bits, -1);
        for (int field = 0; field < layout.fields().size(); field++) {
            if (layout.columnOf(field) >= 0) {
                bits[layout.columnOf(field)] = layout.nullBit(field);
            }
        }
        return bits;
    }

    private void widen(long[] keys, long[] times, int from, int count) {
        long lowKey = minKey;
        long highKey = maxKey;
        long fromTime = minTime;
        long toTime = maxTime;
        for (int i = from; i < from + count; i++) {
            lowKey = Math.min(lowKey, keys[i]);
            highKey = Math.max(highKey, keys[i]);
            fromTime = Math.min(fromTime, times[i]);
            toTime = Math.max(toTime, times[i]);
        }
        minKey = lowKey;
        maxKey = highKey;
        minTime = fromTime;
        maxTime = toTime;
    }

    private void publish(long allTuples) {
        Leaves old = replaced;
        long pages = leaves.pagesTaken() + (old == null ? 0L : old.pagesTaken());
        usedBytes = pages * Page.bytes(layout.payloadWidth()) + (long) arena.slabsTaken() * PagePool.SLAB_COST;
        bytes = allTuples * layout.rowWidth() + variableBytes;
        tuples = allTuples;
    }

    /**
     * Divides the keys seen so far, builds new leaves aside and swaps them in. Once a tree: a bad guess lasts one tree.
     */
    private void learn() {
        learnt = true;
        Leaves old = leaves;
        int size = old.size(0);
        long[] keys = new long[size];
        for (int row = 0; row < size; row += Page.ROWS) {
            System.arraycopy(old.pages(0)[row >>> Page.SHIFT].keys(), 0, keys, row, Math.min(Page.ROWS, size - row));
        }
        Arrays.sort(keys);
        Template template = Template.divide(keys, size, LEAVES);
        if (template.leaves() == 1) {
            return;
        }
        Leaves fresh = new Leaves(template, pool, layout.payloadWidth());
        for (int row = 0; row < size; row += Page.ROWS) {
            Page page = old.pages(0)[row >>> Page.SHIFT];
            int count = Math.min(Page.ROWS, size - row);
            fresh.place(page.keys(), page.times(), 0, count, places);
            for (int c = 0; c < pageOffsets.length; c++) {
                Leaves.copyColumn(page.payload(), pageOffsets[c], layout.width(c), pageOffsets[c], count, places);
            }
            fresh.publish(count, places);
        }
        replaced = old;
        leaves = fresh;
        publish(tuples);
    }

    public RowLayout layout() {
        return layout;
    }

    /** The template in force. */
    public Template template() {
        return leaves.template();
    }

    /** The leaves, to be read under a lease; take them once a scan. Empty when the memory has gone back to the pool. */
    public Leaves leaves() {
        return leaves;
    }

    /**
     * The slabs that variable columns refer to, to be read under a lease, after the sizes of leaves: a reference's
     * offset, unsigned, divided by {@link PagePool#SLAB_BYTES} is the slab, the rest the offset in it. The reference of
     * an empty value is 0 and refers to no slab.
     */
    public byte[][] slabs() {
        return arena.slabs();
    }

    /** Tuples inserted; all of them are visible in the leaves. */
    public long tuples() {
        return tuples;
    }

    /** Bytes of the tuples inserted, as {@link TupleBlock#bytes} counts. */
    public long bytes() {
        return bytes;
    }

    /** Bytes of the pool that the tree holds. */
    public long usedBytes() {
        return usedBytes;
    }

    /** A region that holds every tuple visible now (perhaps a little more while rows arrive), or null when empty. */
    public @Nullable Region region() {
        if (tuples() == 0) {
            return null;
        }
        return Region.of(minKey, maxKey, minTime, maxTime);
    }

    /** Whether every tuple visible now lies in the region; true for an empty tree. Allocates nothing. */
    public boolean isWithin(Region region) {
        return tuples == 0
                || (minKey >= region.keys().low()
                        && maxKey <= region.keys().high()
                        && minTime >= region.times().from()
                        && maxTime <= region.times().to());
    }

    /** Takes a reader's lease; false when the tree has been discarded and its memory is gone or going. */
    public boolean tryRetain() {
        int now = holders.get();
        while (now > 0) {
            if (holders.compareAndSet(now, now + 1)) {
                return true;
            }
            now = holders.get();
        }
        return false;
    }

    /** Ends a lease that {@link #tryRetain} gave. */
    public void release() {
        int left = holders.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("a tree was released more often than retained");
        }
        if (left == 0) {
            recycle();
        }
    }

    /** Ends the tree: its memory goes back to the pool when the last reader has released it. Idempotent. */
    public void discard() {
        if (discarded.compareAndSet(false, true)) {
            release();
        }
    }

    private void recycle() {
        Leaves gone = leaves;
        Leaves old = replaced;
        // Whoever reads without a lease now finds nothing, rather than another tree's tuples.
        leaves = new Leaves(Template.single(), pool, layout.payloadWidth());
        replaced = null;
        gone.recycle();
        if (old != null) {
            old.recycle();
        }
        arena.recycle();
    }
}
