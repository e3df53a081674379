package io.waterwheel.ingest.indexer;

import io.waterwheel.index.FreshView;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The trees that an indexer fills between two seals ([Wang 2018], section III-D): the main tree with tuples of about
 * now, one of late tuples, one of those ahead of the clock. They are sealed together and become one flush of up to
 * three chunks, so that one straggler does not stretch the time interval of the chunk that everybody asks for.
 *
 * <p>The main tree's bounds: from the event-time high-water mark at the generation's start, less
 * {@link IndexerSettings#lateMillis}; to the clock, plus {@link IndexerSettings#aheadMillis}. Tuples ahead do not move
 * the mark, or one bad clock would make everything late. A generation that takes more late tuples than others has
 * learnt that the stream's time has stepped back: the next one's mark is that of the late ones.
 *
 * <p>Where a tuple is placed is a matter of speed only: every tree is in the view, in reports and in the flush. So the
 * clock may be wrong, and a replay, whose blocks and clock differ, may place a tuple elsewhere.
 *
 * <p>Owner: the indexer's thread.
 */
final class TreeGroup {
    /** Of chunks in their flush, and of trees here; late and ahead exist once there is such a tuple. */
    static final int MAIN = 0;

    private static final int LATE = 1;
    private static final int AHEAD = 2;
    private static final int KINDS = 3;

    /** No tuple yet, so no mark. */
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final RowLayout layout;
    private final KeyDimensions dimensions;
    private final PagePool pool;
    private final IndexerSettings settings;
    private final @Nullable TemplateTree[] trees = new TemplateTree[KINDS];
    /** What a tree begins with; a small one would waste a page for each leaf of a learnt template. */
    private final Template[] templates = {Template.single(), Template.single(), Template.single()};

    private long highWater = UNKNOWN;
    private long lower = UNKNOWN;
    private TemplateTree main;

    private TreeGroup(
            RowLayout layout, KeyDimensions dimensions, PagePool pool, IndexerSettings settings, Template template) {
        this.layout = layout;
        this.dimensions = dimensions;
        this.pool = pool;
        this.settings = settings;
        templates[MAIN] = template;
        this.main = add(MAIN);
    }

    /** The first one of an indexer. */
    static TreeGroup first(Schema schema, PagePool pool, IndexerSettings settings) {
        return new TreeGroup(RowLayout.of(schema), KeyDimensions.of(schema), pool, settings, Template.single());
    }

    /** The one that follows this when it is sealed. */
    TreeGroup next(@Nullable Template template) {
        TreeGroup next =
                new TreeGroup(layout, dimensions, pool, settings, template == null ? main.template() : template);
        for (int kind = LATE; kind < KINDS; kind++) {
            TemplateTree tree = trees[kind];
            if (tree != null && tree.tuples() >= TemplateTree.LEARN_TUPLES) {
                next.templates[kind] = tree.template();
            }
        }
        TemplateTree late = trees[LATE];
        Region steppedBack = late != null && late.tuples() > main.tuples() ? late.region() : null;
        next.highWater = steppedBack == null ? highWater : steppedBack.times().to();
        return next;
    }

    /**
     * Takes rows [first, size) of a block.
     *
     * @param clockMillis time of day, milliseconds since 1970 UTC
     * @return whether there is a tree that was not there before
     */
    boolean insert(TupleBlock block, int first, long clockMillis) {
        int size = block.size();
        if (first >= size) {
            return false;
        }
        long[] times = block.times();
        long least = times[first];
        long most = least;
        for (int row = first + 1; row < size; row++) {
            least = Math.min(least, times[row]);
            most = Math.max(most, times[row]);
        }
        long upper = plus(clockMillis, settings.aheadMillis());
        raiseMark(times, first, size, most, upper);
        if (lower == UNKNOWN && highWater != UNKNOWN) {
            lower = minus(highWater, settings.lateMillis());
        }
        if (least >= lower && most <= upper) {
            main.insert(block, first, size);
            return false;
        }
        return scatter(block, first, size, upper);
    }

    private void raiseMark(long[] times, int first, int size, long most, long upper) {
        if (most <= upper) {
            highWater = Math.max(highWater, most);
            return;
        }
        for (int row = first; row < size; row++) {
            if (times[row] <= upper) {
                highWater = Math.max(highWater, times[row]);
            }
        }
    }

    /** Inserts run by run of neighbours that go to the same tree. */
    private boolean scatter(TupleBlock block, int first, int size, long upper) {
        boolean added = false;
        long[] times = block.times();
        int from = first;
        while (from < size) {
            int kind = kindOf(times[from], upper);
            int to = from + 1;
            while (to < size && kindOf(times[to], upper) == kind) {
                to++;
            }
            TemplateTree tree = trees[kind];
            if (tree == null) {
                tree = add(kind);
                added = true;
            }
            tree.insert(block, from, to);
            from = to;
        }
        return added;
    }

    private int kindOf(long time, long upper) {
        return time > upper ? AHEAD : time < lower ? LATE : MAIN;
    }

    private TemplateTree add(int kind) {
        TemplateTree tree = new TemplateTree(layout, dimensions, templates[kind], pool);
        trees[kind] = tree;
        return tree;
    }

    private static long plus(long millis, long more) {
        return millis > Long.MAX_VALUE - more ? Long.MAX_VALUE : millis + more;
    }

    private static long minus(long millis, long less) {
        return millis < Long.MIN_VALUE + less ? Long.MIN_VALUE : millis - less;
    }

    /** A rebuild of one of the trees since this was asked, null when there was none. */
    TemplateTree.@Nullable Rebuilt takeRebuilt() {
        for (TemplateTree tree : trees) {
            TemplateTree.Rebuilt rebuilt = tree == null ? null : tree.takeRebuilt();
            if (rebuilt != null) {
                return rebuilt;
            }
        }
        return null;
    }

    /** The trees take no more tuples. */
    void endInsertions() {
        for (TemplateTree tree : trees) {
            if (tree != null) {
                tree.endInsertions();
            }
        }
    }

    /** Begins anew with a template just learnt; for one that has no tuples. */
    void restart(Template template) {
        main.discard();
        templates[MAIN] = template;
        main = add(MAIN);
    }

    /** The main tree, which there is always. */
    TemplateTree main() {
        return main;
    }

    /** By kind, the number of the chunk in its flush: null where there is no tree. */
    List<SealedTree.Part> parts() {
        List<SealedTree.Part> parts = new ArrayList<>(KINDS);
        for (int kind = 0; kind < KINDS; kind++) {
            TemplateTree tree = trees[kind];
            if (tree != null) {
                parts.add(new SealedTree.Part(kind, tree));
            }
        }
        return parts;
    }

    /** Adds its trees to what a view shows. */
    void show(long sequence, List<FreshView.SequencedTree> view) {
        for (TemplateTree tree : trees) {
            if (tree != null) {
                view.add(new FreshView.SequencedTree(sequence, tree));
            }
        }
    }

    long tuples() {
        long sum = 0;
        for (TemplateTree tree : trees) {
            sum += tree == null ? 0 : tree.tuples();
        }
        return sum;
    }

    /** Bytes of the tuples. */
    long bytes() {
        long sum = 0;
        for (TemplateTree tree : trees) {
            sum += tree == null ? 0 : tree.bytes();
        }
        return sum;
    }

    /** Bytes of the pool. */
    long usedBytes() {
        long sum = 0;
        for (TemplateTree tree : trees) {
            sum += tree == null ? 0 : tree.usedBytes();
        }
        return sum;
    }

    /** A region that holds every tuple, or null when there is none. */
    @Nullable
    Region region() {
        Region region = null;
        for (TemplateTree tree : trees) {
            Region other = tree == null ? null : tree.region();
            if (other != null) {
                region = region == null ? other : region.span(other);
            }
        }
        return region;
    }

    /** Whether every tuple lies in the region. Allocates nothing. */
    boolean isWithin(@Nullable Region region) {
        for (TemplateTree tree : trees) {
            if (tree != null && tree.tuples() > 0 && (region == null || !tree.isWithin(region))) {
                return false;
            }
        }
        return true;
    }

    void discard() {
        for (TemplateTree tree : trees) {
            if (tree != null) {
                tree.discard();
            }
        }
    }

    void revoke() {
        for (TemplateTree tree : trees) {
            if (tree != null) {
                tree.revoke();
            }
        }
    }

    /** Whether all memory has gone back to the pool. */
    boolean isReclaimed() {
        for (TemplateTree tree : trees) {
            if (tree != null && !tree.isReclaimed()) {
                return false;
            }
        }
        return true;
    }
}
