package io.waterwheel.ingest.indexer;

import io.waterwheel.index.FreshView;
import io.waterwheel.index.Template;
import io.waterwheel.tuple.Region;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The trees of an indexer, by the stage that they are at (protocol rules 7 and 13):
 *
 * <pre>
 * active -> sealed -> committed -> forgotten
 * </pre>
 *
 * The active ones take tuples. Sealed ones are being flushed. Committed ones are in chunks, and are shown until
 * coordinators have seen the edit. Forgotten ones are in no view; those that readers still hold linger.
 *
 * <p>Owner: the indexer's thread.
 */
final class TreeStages {
    /** How long readers of a forgotten tree may go on while memory is needed. */
    private static final long REVOKE_NANOS = 200_000_000;

    private record Sealed(long sequence, TreeGroup trees) {}

    private record Committed(Sealed sealed, long atNanos) {}

    private record Forgotten(TreeGroup trees, long atNanos) {}

    /** How long committed trees are shown. */
    private final long keepNanos;

    private TreeGroup active;
    private final List<Sealed> sealed = new ArrayList<>();
    private final List<Committed> committed = new ArrayList<>();
    private final List<Forgotten> lingering = new ArrayList<>();
    /** What views show: replaced when a tree comes or goes, not for every block. */
    private List<FreshView.SequencedTree> visible = List.of();

    private @Nullable Template template;
    private long flushed;
    private long lastSealed;
    private long floor;

    /**
     * @param active takes the first tuples
     * @param flushed number of the last flush before it
     */
    TreeStages(TreeGroup active, long flushed, long keepNanos) {
        this.active = active;
        this.flushed = flushed;
        this.lastSealed = flushed;
        this.floor = flushed;
        this.keepNanos = keepNanos;
        showAgain();
    }

    TreeGroup active() {
        return active;
    }

    /** Number of the last flush that is committed. */
    long flushed() {
        return flushed;
    }

    /** Number of the last flush that is sealed. */
    long lastSealed() {
        return lastSealed;
    }

    /** Number of the last flush whose trees are forgotten: views show none of it, nor of those before. */
    long floor() {
        return floor;
    }

    /** What views show. */
    List<FreshView.SequencedTree> visible() {
        return visible;
    }

    /** Makes anew what views show: a tree came or went. */
    void showAgain() {
        List<FreshView.SequencedTree> trees = new ArrayList<>();
        committed.forEach(flush -> flush.sealed().trees().show(flush.sealed().sequence(), trees));
        sealed.forEach(flush -> flush.trees().show(flush.sequence(), trees));
        active.show(lastSealed + 1, trees);
        visible = List.copyOf(trees);
    }

    /** Seals the active trees and begins others; returns those that are sealed. */
    TreeGroup seal() {
        TreeGroup trees = active;
        trees.endInsertions();
        lastSealed++;
        sealed.add(new Sealed(lastSealed, trees));
        if (trees.main().tuples() > 0) {
            template = trees.main().template();
        }
        active = trees.next(template);
        showAgain();
        return trees;
    }

    /** Number of flushes sealed and not yet committed. */
    int sealedFlushes() {
        return sealed.size();
    }

    /** Whether this is the oldest flush that is sealed and not committed. */
    boolean isOldestSealed(long sequence) {
        return !sealed.isEmpty() && sealed.get(0).sequence() == sequence;
    }

    /**
     * The flush that was sealed first is committed.
     *
     * @param next template for the trees to come, or null to go on with the present one
     */
    void commit(long sequence, @Nullable Template next, long now) {
        committed.add(new Committed(sealed.remove(0), now));
        flushed = sequence;
        if (next != null) {
            template = next;
            if (active.tuples() == 0) {
                active.restart(next);
            }
        }
        showAgain();
    }

    /**
     * Takes committed trees out of what views show: after a while, or at once when memory is needed.
     *
     * @return those taken out, to be discarded once the view without them is published: then no new reader finds them
     */
    List<TreeGroup> forget(long now, boolean needed) {
        lingering.removeIf(forgotten -> {
            if (needed && now - forgotten.atNanos() >= REVOKE_NANOS) {
                forgotten.trees().revoke();
                return true;
            }
            return forgotten.trees().isReclaimed();
        });
        if (committed.isEmpty() || !(needed || mayForget(now))) {
            return List.of();
        }
        List<TreeGroup> gone = new ArrayList<>();
        while (!committed.isEmpty() && (needed || mayForget(now))) {
            Sealed oldest = committed.remove(0).sealed();
            floor = oldest.sequence();
            gone.add(oldest.trees());
        }
        showAgain();
        return gone;
    }

    private boolean mayForget(long now) {
        return now - committed.get(0).atNanos() > keepNanos;
    }

    /** Gives the memory of forgotten trees back, as soon as their readers let go. */
    void discard(List<TreeGroup> gone, long now) {
        for (TreeGroup trees : gone) {
            trees.discard();
            if (!trees.isReclaimed()) {
                lingering.add(new Forgotten(trees, now));
            }
        }
    }

    /** Gives all memory back; nothing may be called afterwards. */
    void stop() {
        active.endInsertions();
        active.discard();
        sealed.forEach(flush -> flush.trees().discard());
        sealed.clear();
        // The flusher reads sealed trees; these only slow readers still read, and the pool is others' too.
        committed.forEach(flush -> flush.sealed().trees().revoke());
        committed.clear();
        lingering.forEach(forgotten -> forgotten.trees().revoke());
        lingering.clear();
    }

    /** Memory of the trees that are not in chunks yet. */
    long unflushedBytes() {
        long sum = active.usedBytes();
        for (int i = 0; i < sealed.size(); i++) {
            sum += sealed.get(i).trees().usedBytes();
        }
        return sum;
    }

    /** Tuples of the trees that are not in chunks yet. */
    long unflushedTuples() {
        long sum = active.tuples();
        for (int i = 0; i < sealed.size(); i++) {
            sum += sealed.get(i).trees().tuples();
        }
        return sum;
    }

    /** A region that holds every tuple that is not in chunks yet, or null when there is none. */
    @Nullable
    Region unflushedRegion() {
        Region region = active.region();
        for (Sealed flush : sealed) {
            Region other = flush.trees().region();
            if (other != null) {
                region = region == null ? other : region.span(other);
            }
        }
        return region;
    }

    /** Whether every tuple that is not in chunks yet lies in the region. Allocates nothing. */
    boolean isUnflushedWithin(@Nullable Region region) {
        if (!active.isWithin(region)) {
            return false;
        }
        for (int i = 0; i < sealed.size(); i++) {
            if (!sealed.get(i).trees().isWithin(region)) {
                return false;
            }
        }
        return true;
    }
}
