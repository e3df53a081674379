package io.waterwheel.index;

import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TupleBlock;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tuples of one stream since its last flush, divided by key into {@link Leaves} along a {@link Template} that was
 * learnt beforehand, so that no node is ever split. One thread inserts; any number of threads read at the same time;
 * neither takes a lock. When a leaf has grown beyond its share by more than {@link Skewness} tolerates, the template is
 * rebuilt: the tuples are copied into new leaves aside, which then take the place of the old ones. That is done in
 * steps, one an insertion, while the tree takes tuples and is read as before: first the bounds are found, then
 * {@link #STEP_TUPLES} are copied at a time.
 *
 * <p>A rebuild waits until the tree has grown by half since the last one, until it holds {@link #LEARN_TUPLES}, until
 * no reader is left in the leaves that the last one replaced, and while the pool lacks the room; so a tree holds its
 * tuples twice at most, and rebuilds at most {@code 1 + log(tuples / LEARN_TUPLES) / log(1.5)} times: 9 at 466,000
 * tuples, whatever the keys. A leaf that could be divided holds at most a share and the threshold's excess, or, while a
 * rebuild waits or is under way, what has arrived since too. One that is under way is given up when the pool is used
 * up, and when the tree takes no more tuples.
 *
 * <p>Memory goes back to the pool when the owner has called {@link #discard} and the last reader its {@link #release}.
 * A reader calls {@link #tryRetain} first and goes on only if it returned true; for each scan it takes the leaves by
 * {@link #pin} and gives them back by {@link #unpin}.
 *
 * <p>Owner: the indexer's thread: {@link #insert}, {@link #discard}. Readers: any thread, between tryRetain and
 * release. Published by: leaf sizes (see {@link Leaves}); new leaves by a volatile write, when all rows are in them;
 * the tree's own numbers by release after the leaf sizes of the same rows.
 */
public final class TemplateTree {
    /** A tree of fewer tuples is not judged: its leaves' sizes say too little. */
    public static final int LEARN_TUPLES = 16 * 1024;
    /** Leaves that a template should have; more where hot keys have their own, fewer where keys are few. */
    public static final int LEAVES = 256;

    /** Tuples that a rebuild copies before it lets the next insertion go on; figures: benchmark/RESULTS.md. */
    static final int STEP_TUPLES = 8 * 1024;

    /** What is remembered of variable values takes at most this part of the tuples' bytes, but for a few KiB. */
    private static final int SHARED_PART = 16;

    /** Tuples between two judgements: little beside their insertion. */
    private static final int JUDGE_TUPLES = 1024;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Width of the mini-ranges of time that a tree begins with: 64 ms; leaves widen them as they need. */
    static final int SKETCH_SHIFT = 6;

    private final RowLayout layout;
    private final KeyDimensions dimensions;
    private final PagePool pool;
    private final int wantedLeaves;
    private final Arena arena;
    /** Where column c begins in a page. */
    private final int[] pageOffsets;
    /** The null bit of the field in column c, or -1. */
    private final int[] nullBits;
    /** By column, for those of variable width; writer only. */
    private final @Nullable SharedValues[] shared;

    /** How many they are. */
    private final int texts;

    private final RowPlacement places = new RowPlacement();
    private volatile Leaves leaves;
    /** The leaves before the last rebuild, while readers may still be in them. Writer only. */
    private @Nullable Leaves replaced;

    /** The rebuild under way. Writer only, and the thread that takes the memory back after it. */
    private @Nullable Rebuilding rebuilding;

    /** The last rebuild, until it is asked for. Writer only. */
    private @Nullable Rebuilt rebuilt;

    /** Tuples at the next judgement. Writer only. */
    private long judgeAt = LEARN_TUPLES;

    /** Writer only. */
    private int rebuilds;

    private long variableBytes;

    private volatile long tuples;
    private volatile long bytes;
    private volatile long usedBytes;
    private volatile long minKey = Long.MAX_VALUE;
    private volatile long maxKey = Long.MIN_VALUE;
    private volatile long minTime = Long.MAX_VALUE;
    private volatile long maxTime = Long.MIN_VALUE;

    /**
     * A rebuild that has come to its end.
     *
     * @param tuples in the tree then
     * @param leaves of the new template
     * @param before skewness that it began with: how much the largest leaf that can be divided exceeds an even share
     * @param after skewness that it ended with
     * @param longestNanos that an insertion was held up for it, on the clock
     * @param longestCpuNanos that the inserting thread worked for it in one insertion; what the clock has more, other
     *     threads and the garbage collector had
     */
    public record Rebuilt(
            long tuples, int leaves, double before, double after, long longestNanos, long longestCpuNanos) {}

    /** New leaves that take over when they hold all rows of the old ones. */
    private static final class Rebuilding {
        final TemplateRebuild scratch;
        final Leaves fresh;
        final int wantedLeaves;
        final double before;
        long longestNanos;
        long longestCpuNanos;

        Rebuilding(TemplateRebuild scratch, Leaves fresh, int wantedLeaves, double before) {
            this.scratch = scratch;
            this.fresh = fresh;
            this.wantedLeaves = wantedLeaves;
            this.before = before;
        }

        void heldUpSince(long nanos, long cpuNanos) {
            longestNanos = Math.max(longestNanos, System.nanoTime() - nanos);
            longestCpuNanos = Math.max(longestCpuNanos, THREADS.getCurrentThreadCpuTime() - cpuNanos);
        }
    }

    private final TreeLife life = new TreeLife(this::recycle);

    /**
     * An empty tree.
     *
     * @param layout a stored layout
     */
    public TemplateTree(RowLayout layout, Template template, PagePool pool) {
        this(layout, template, pool, LEAVES);
    }

    /**
     * An empty tree whose leaves know the least and the greatest cell of each dimension.
     *
     * @param layout a stored layout
     * @param dimensions of its keys
     */
    public TemplateTree(RowLayout layout, KeyDimensions dimensions, Template template, PagePool pool) {
        this(layout, dimensions, template, pool, LEAVES);
    }

    /**
     * An empty tree that has another number of leaves when it is rebuilt.
     *
     * @param layout a stored layout
     * @param wantedLeaves number of leaves that should share the tuples, at least 1
     */
    public TemplateTree(RowLayout layout, Template template, PagePool pool, int wantedLeaves) {
        this(layout, KeyDimensions.NONE, template, pool, wantedLeaves);
    }

    private TemplateTree(
            RowLayout layout, KeyDimensions dimensions, Template template, PagePool pool, int wantedLeaves) {
        if (!layout.keyed()) {
            throw new IllegalArgumentException("a tree holds stored tuples: its layout must have a key and a time");
        }
        this.wantedLeaves = wantedLeaves;
        this.layout = layout;
        this.dimensions = dimensions;
        this.pool = pool;
        this.arena = new Arena(pool);
        this.leaves = new Leaves(template, dimensions, pool, layout.payloadWidth(), SKETCH_SHIFT);
        this.pageOffsets = pageOffsets(layout);
        this.nullBits = nullBits(layout);
        this.shared = new SharedValues[pageOffsets.length];
        int variable = 0;
        for (int c = 0; c < shared.length; c++) {
            shared[c] = layout.variable(c) ? new SharedValues(arena) : null;
            variable += layout.variable(c) ? 1 : 0;
        }
        this.texts = variable;
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
        if (life.isDiscarded()) {
            throw new IllegalStateException("insert into a discarded tree");
        }
        Leaves into = leaves;
        long[] keys = block.keys();
        long[] times = block.times();
        for (int from = fromRow; from < toRow; from += RowPlacement.ROWS) {
            int count = Math.min(RowPlacement.ROWS, toRow - from);
            into.place(keys, times, from, count, places);
            for (int c = 0; c < pageOffsets.length; c++) {
                int width = layout.width(c);
                SharedValues values = shared[c];
                if (values != null) {
                    copyVariable(block, c, from, count, values);
                } else {
                    places.copyColumn(block.column(c), from * width, width, pageOffsets[c], count);
                }
            }
            widen(keys, times, from, count);
            into.publish(count, places);
        }
        publish(tuples + Math.max(0, toRow - fromRow));
        if (rebuilding != null) {
            continueRebuild(rebuilding, Math.max(STEP_TUPLES, 4L * (toRow - fromRow)));
        } else if (tuples >= judgeAt) {
            judge();
        }
    }

    /** Copies values into the arena. What a column holds where its field is null is not looked at. */
    private void copyVariable(TupleBlock block, int column, int from, int count, SharedValues values) {
        byte[] source = block.column(column);
        byte[] blockArena = block.arena();
        int nullBit = nullBits[column];
        int base = pageOffsets[column];
        long sum = 0;
        for (int i = 0; i < count; i++) {
            long stored = 0;
            if (nullBit < 0 || ((block.nullMask(from + i) >>> nullBit) & 1) == 0) {
                long reference = LittleEndian.getLong(source, (from + i) * 8);
                int length = TupleBlock.referenceLength(reference);
                stored = values.add(blockArena, TupleBlock.referenceOffset(reference), length);
                sum += length;
            }
            LittleEndian.putLong(places.page[i].payload(), base + places.slot[i] * 8, stored);
        }
        variableBytes += sum;
        values.endBatch(count, bytes / SHARED_PART / texts);
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
        if (old != null && old.gone()) {
            replaced = null;
            old = null;
        }
        long pages = leaves.pagesTaken() + (old == null ? 0L : old.pagesTaken());
        if (rebuilding != null) {
            pages += rebuilding.fresh.pagesTaken();
        }
        usedBytes = pages * Page.bytes(layout.payloadWidth()) + (long) arena.slabsTaken() * PagePool.SLAB_COST;
        bytes = allTuples * layout.rowWidth() + variableBytes;
        tuples = allTuples;
    }

    /** Rebuilds when the template no longer fits and a rebuild may be. */
    private void judge() {
        judgeAt = tuples + JUDGE_TUPLES;
        if (replaced != null || skewness() <= tolerated() || !roomForRebuild()) {
            return;
        }
        begin(wantedLeaves);
    }

    /** How much the largest leaf that can be divided exceeds an even share, in shares. Writer only. */
    double skewness() {
        return skewness(wantedLeaves);
    }

    private double skewness(int ofLeaves) {
        return Skewness.largest(leaves) * (double) ofLeaves / tuples - 1;
    }

    /** The skewness beyond which the template is rebuilt. Writer only. */
    double tolerated() {
        Template template = leaves.template();
        return Skewness.threshold(
                template.leaves(), (double) tuples / wantedLeaves, (double) template.learntFrom() / wantedLeaves);
    }

    /** An eighth of the pool is for pages that are not full; beyond the rest nothing more is granted to anybody. */
    private boolean isRoomFor(long bytes) {
        return pool.usedBytes() + bytes <= pool.maxBytes() - pool.maxBytes() / 8;
    }

    private boolean roomForRebuild() {
        // As many pages as the tuples fill, and one that is not full for each leaf.
        long pages = tuples / Page.ROWS + 2L * wantedLeaves;
        return isRoomFor(pages * Page.bytes(layout.payloadWidth()));
    }

    /**
     * Divides the tuples evenly, at once: builds new leaves aside and swaps them in; readers carry on in the old ones.
     * Happens by itself; public to be measured. Does nothing while readers are left in the leaves that the last one
     * replaced. For the thread that inserts.
     *
     * @param leavesWanted number of leaves that should share the tuples
     */
    public void rebuild(int leavesWanted) {
        Leaves before = replaced;
        if (before != null && !before.gone()) {
            return;
        }
        giveUpRebuild();
        continueRebuild(begin(leavesWanted), Long.MAX_VALUE);
    }

    private Rebuilding begin(int leavesWanted) {
        long since = System.nanoTime();
        long cpuSince = THREADS.getCurrentThreadCpuTime();
        TemplateRebuild scratch = pool.takeRebuild();
        Template template = scratch.divide(leaves, tuples, leavesWanted);
        scratch.begin(leaves);
        Leaves fresh = new Leaves(template, dimensions, pool, layout.payloadWidth(), leaves.sketchShift());
        Rebuilding begun = new Rebuilding(scratch, fresh, leavesWanted, skewness(leavesWanted));
        rebuilding = begun;
        begun.heldUpSince(since, cpuSince);
        return begun;
    }

    private void continueRebuild(Rebuilding now, long rows) {
        long since = System.nanoTime();
        long cpuSince = THREADS.getCurrentThreadCpuTime();
        Leaves old = leaves;
        if (!isRoomFor(0)) {
            giveUpRebuild();
        } else if (now.scratch.copy(old, now.fresh, layout, rows)) {
            pool.giveRebuild(now.scratch);
            rebuilding = null;
            leaves = now.fresh;
            replaced = old;
            old.unpin();
            rebuilds++;
            judgeAt = tuples + tuples / 2;
            now.heldUpSince(since, cpuSince);
            rebuilt = new Rebuilt(
                    tuples,
                    leaves.template().leaves(),
                    now.before,
                    skewness(now.wantedLeaves),
                    now.longestNanos,
                    now.longestCpuNanos);
        } else {
            now.heldUpSince(since, cpuSince);
        }
        publish(tuples);
    }

    /**
     * Gives up a rebuild that is under way: for a tree that takes no more tuples, whose memory is needed elsewhere. For
     * the thread that inserts.
     */
    public void giveUpRebuild() {
        Rebuilding now = rebuilding;
        if (now != null) {
            rebuilding = null;
            now.fresh.revoke();
            pool.giveRebuild(now.scratch);
            judgeAt = tuples + tuples / 2;
            publish(tuples);
        }
    }

    /** Forgets what only insertions need, for a tree that takes no more tuples. For the thread that inserts. */
    public void endInsertions() {
        giveUpRebuild();
        for (SharedValues values : shared) {
            if (values != null) {
                values.forget();
            }
        }
    }

    public RowLayout layout() {
        return layout;
    }

    /** The template in force. */
    public Template template() {
        return leaves.template();
    }

    /** Times that the template was rebuilt; for the thread that inserts. */
    public int rebuilds() {
        return rebuilds;
    }

    /** Whether one is under way; for the thread that inserts. */
    boolean isRebuilding() {
        return rebuilding != null;
    }

    /** The last of them since this was asked, null when there was none; for the thread that inserts. */
    public @Nullable Rebuilt takeRebuilt() {
        Rebuilt taken = rebuilt;
        rebuilt = null;
        return taken;
    }

    /**
     * Takes the leaves for one scan, which holds every tuple published before; under a lease. While they are pinned
     * their memory stays, whatever takes their place; what is inserted after that is not in them.
     */
    public Leaves pin() {
        while (true) {
            Leaves now = leaves;
            if (now.tryPin()) {
                return now;
            }
            // They have been replaced just now.
        }
    }

    /** Gives back leaves that {@link #pin} gave. */
    public void unpin(Leaves pinned) {
        pinned.unpin();
    }

    /** The leaves, for the thread that inserts. */
    Leaves leaves() {
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
        return life.tryRetain();
    }

    /** Ends a lease that {@link #tryRetain} gave. */
    public void release() {
        life.release();
    }

    /** Ends the tree: its memory goes back to the pool when the last reader has released it. Idempotent. */
    public void discard() {
        life.discard();
    }

    /** Whether its owner has ended it. */
    public boolean isDiscarded() {
        return life.isDiscarded();
    }

    /**
     * Ends the tree for readers too: its memory goes back to the pool as soon as no reader is {@link #enter inside}, so
     * one that waits for a slow client holds none (protocol rule 13). Idempotent; by the owner, for a tree that it has
     * discarded.
     */
    public void revoke() {
        life.revoke();
    }

    /** Whether the memory has gone back to the pool. */
    public boolean isReclaimed() {
        return life.isReclaimed();
    }

    /**
     * Lets a reader with a lease look at the memory until it calls {@link #exit}; it must not wait for anybody in
     * between.
     *
     * @return false when the tree was revoked: nothing of it may be looked at now, leaves pinned before neither
     */
    public boolean enter() {
        return life.enter();
    }

    /** Ends what {@link #enter} began. */
    public void exit() {
        life.exit();
    }

    private void recycle() {
        Leaves gone = leaves;
        // A reader without a lease now finds nothing, rather than another tree's tuples.
        leaves = new Leaves(Template.single(), dimensions, pool, layout.payloadWidth(), SKETCH_SHIFT);
        gone.revoke();
        Leaves before = replaced;
        if (before != null) {
            before.revoke();
        }
        Rebuilding now = rebuilding;
        if (now != null) {
            now.fresh.revoke();
        }
        arena.recycle();
    }
}
