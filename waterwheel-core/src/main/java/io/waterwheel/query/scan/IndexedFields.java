package io.waterwheel.query.scan;

import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.LeafDictionary;
import io.waterwheel.chunk.TextIndex;
import io.waterwheel.query.PruneReason;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the indexes of a chunk's fields say of terms that are joined by AND. For one chunk; one thread. */
final class IndexedFields {
    private static final OfLeaf ALWAYS = leaf -> true;

    /** Finds the leaves that a dictionary names; null for all. */
    interface Named {
        @Nullable
        BitSet leaves(LeafDictionary dictionary);
    }

    private final ChunkDirectory directory;
    /** By field, the bounds that all terms set together. */
    private final long[] lows;

    private final long[] highs;
    private final byte[] @Nullable [] leastBytes;
    private final byte[] @Nullable [] greatestBytes;

    IndexedFields(ChunkDirectory directory) {
        this.directory = directory;
        int fields = directory.layout().fields().size();
        this.lows = new long[fields];
        this.highs = new long[fields];
        Arrays.fill(lows, Long.MIN_VALUE);
        Arrays.fill(highs, Long.MAX_VALUE);
        this.leastBytes = new byte[fields][];
        this.greatestBytes = new byte[fields][];
    }

    /**
     * What a field's index says: its dictionary, or its filters where it has none.
     *
     * @return whether a row of a leaf may match; false is certain
     */
    OfLeaf test(int field, Named named, OfLeaf filters) {
        LeafDictionary dictionary = directory.dictionary(field);
        if (dictionary == null) {
            return filters;
        }
        return lookedUp(() -> named.leaves(dictionary));
    }

    /** The same of codes in [low, high] and in the ranges of terms before: one may have what no row has in both. */
    OfLeaf within(int field, long low, long high, OfLeaf filters) {
        lows[field] = Math.max(lows[field], low);
        highs[field] = Math.min(highs[field], high);
        long least = lows[field];
        long greatest = highs[field];
        return test(field, dictionary -> DictionaryLeaves.within(dictionary, least, greatest), filters);
    }

    /** The same of text; null where there is no bound. */
    OfLeaf within(int field, byte @Nullable [] low, byte @Nullable [] high) {
        byte[] least = leastBytes[field];
        byte[] greatest = greatestBytes[field];
        if (least == null || (low != null && Arrays.compareUnsigned(low, least) > 0)) {
            least = low;
        }
        if (greatest == null || (high != null && Arrays.compareUnsigned(high, greatest) < 0)) {
            greatest = high;
        }
        leastBytes[field] = least;
        greatestBytes[field] = greatest;
        byte[] from = least;
        byte[] to = greatest;
        return test(field, dictionary -> DictionaryLeaves.within(dictionary, from, to), ALWAYS);
    }

    /** Whether a leaf may have rows whose text has all of these as bytes in a row; null without a text index. */
    @Nullable
    OfLeaf containing(int field, byte[][] parts, SearchBudget budget) {
        TextIndex index = directory.text(field);
        return index == null ? null : lookedUp(() -> all(index, parts, budget));
    }

    private static @Nullable BitSet all(TextIndex index, byte[][] parts, SearchBudget budget) {
        BitSet all = null;
        for (byte[] part : parts) {
            if ((all != null && all.isEmpty()) || !budget.take(index.work(part))) {
                break;
            }
            BitSet having = index.leaves(part);
            if (all == null) {
                all = having;
            } else if (having != null) {
                all.and(having);
            }
        }
        return all;
    }

    /** The same of rows whose text is one of these. */
    @Nullable
    OfLeaf containingAny(int field, byte[][] values, SearchBudget budget) {
        TextIndex index = directory.text(field);
        return index == null ? null : lookedUp(() -> any(index, values, budget));
    }

    private static @Nullable BitSet any(TextIndex index, byte[][] values, SearchBudget budget) {
        BitSet any = new BitSet();
        for (byte[] value : values) {
            BitSet having = budget.take(index.work(value)) ? index.leaves(value) : null;
            if (having == null) {
                return null;
            }
            any.or(having);
        }
        return any;
    }

    /** Leaves that are found when the first one is asked for: zones may rule out all. Null stands for all leaves. */
    private static OfLeaf lookedUp(Supplier<@Nullable BitSet> found) {
        return new OfLeaf() {
            private boolean looked;
            private @Nullable BitSet leaves;

            @Override
            public boolean test(int leaf) {
                if (!looked) {
                    leaves = found.get();
                    looked = true;
                }
                return leaves == null || leaves.get(leaf);
            }
        };
    }

    /** The kind of index that rules leaves out. */
    PruneReason reason(int field) {
        return directory.dictionary(field) == null ? PruneReason.BLOOM : PruneReason.DICTIONARY;
    }
}
