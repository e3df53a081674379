package io.waterwheel.chunk;

import io.waterwheel.chunk.encoding.BloomBits;
import io.waterwheel.chunk.encoding.ColumnKind;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.key.KeyCodec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Compares dictionaries, text indexes and Bloom filters with the rows of leaves. One thread. */
final class IndexCheck {
    private final ChunkDirectory directory;
    private final RowLayout layout;
    /** By field, how many values its dictionary has in each leaf; null where there is none. */
    private final int[] @Nullable [] valuesOf;
    /** By field, how many trigrams its text index has sets of in each leaf; null where there is none. */
    private final int[] @Nullable [] textsOf;
    /** The trigrams of a leaf, by code: at most 2 MiB. */
    private final BitSet trigrams = new BitSet();

    IndexCheck(ChunkDirectory directory) {
        this.directory = directory;
        this.layout = directory.layout();
        this.valuesOf = new int[layout.fields().size()][];
        this.textsOf = new int[layout.fields().size()][];
        for (int field = 0; field < valuesOf.length; field++) {
            LeafDictionary dictionary = directory.dictionary(field);
            if (dictionary != null) {
                valuesOf[field] = counts(dictionary);
            }
            TextIndex text = directory.text(field);
            textsOf[field] = text == null ? null : text.counts(directory.leaves());
        }
    }

    private int[] counts(LeafDictionary dictionary) {
        int[] counts = new int[directory.leaves()];
        BitSet leaves = new BitSet();
        for (int value = 0; value < dictionary.size(); value++) {
            leaves.clear();
            dictionary.leaves(value, value + 1, leaves);
            for (int leaf = leaves.nextSetBit(0); leaf >= 0; leaf = leaves.nextSetBit(leaf + 1)) {
                counts[leaf]++;
            }
        }
        return counts;
    }

    /**
     * Checks one leaf.
     *
     * @param parts all of it by number
     * @throws CorruptChunkException when an index lacks a value of the leaf, or a dictionary has one that it lacks
     */
    void check(int leaf, LeafPart[] parts) {
        byte[] masks = masks(parts);
        for (int field = 0; field < valuesOf.length; field++) {
            if (valuesOf[field] != null || directory.hasFilters(field)) {
                check(leaf, parts, masks, field);
            }
            TextIndex text = directory.text(field);
            if (text != null) {
                checkText(leaf, parts, masks, field, text);
            }
        }
    }

    private void check(int leaf, LeafPart[] parts, byte[] masks, int field) {
        int column = layout.columnOf(field);
        LeafPart part = parts[directory.part(column)];
        byte[] bytes = part.asInBlock();
        LeafDictionary dictionary = directory.dictionary(field);
        BitSet seen = new BitSet();
        BitSet leaves = new BitSet();
        for (int row = 0; row < directory.rows(leaf); row++) {
            if (isNull(masks, field, row)) {
                continue;
            }
            boolean holds;
            if (layout.variable(column)) {
                long reference = LittleEndian.getLong(bytes, row * 8);
                int from = TupleBlock.referenceOffset(reference);
                int length = TupleBlock.referenceLength(reference);
                holds = directory.filterMayHold(leaf, field, part.arena(), from, length);
                if (dictionary != null) {
                    byte[] value = Arrays.copyOfRange(part.arena(), from, from + length);
                    holds &= names(
                            dictionary, dictionary.firstFrom(value), dictionary.firstAbove(value), leaf, seen, leaves);
                }
            } else {
                long code = code(bytes, column, field, row);
                holds = directory.filterMayHold(leaf, field, code);
                if (dictionary != null) {
                    holds &= names(
                            dictionary, dictionary.firstFrom(code), dictionary.firstAbove(code), leaf, seen, leaves);
                }
            }
            if (!holds) {
                throw damaged(leaf, field, "row " + row + ", a value that the index has in the leaf", "none");
            }
        }
        int[] values = valuesOf[field];
        if (values != null && values[leaf] != seen.cardinality()) {
            throw damaged(leaf, field, values[leaf] + " values, as the dictionary says", seen.cardinality() + "");
        }
    }

    /** Each trigram of the leaf is in the index, and of those with sets no other names the leaf. */
    private void checkText(int leaf, LeafPart[] parts, byte[] masks, int field, TextIndex text) {
        LeafPart part = parts[directory.part(layout.columnOf(field))];
        trigrams.clear();
        int listed = 0;
        for (int row = 0; row < directory.rows(leaf); row++) {
            if (isNull(masks, field, row)) {
                continue;
            }
            long reference = LittleEndian.getLong(part.values(), row * 8);
            int from = TupleBlock.referenceOffset(reference);
            int end = from + TupleBlock.referenceLength(reference);
            int code = 0;
            for (int at = from; at < end; at++) {
                code = (code << 8 | (part.arena()[at] & 0xFF)) & TextIndex.MOST_CODE;
                if (at - from + 1 < TextIndex.BYTES || trigrams.get(code)) {
                    continue;
                }
                trigrams.set(code);
                if (!text.isInAll(code)) {
                    listed++;
                    if (!text.names(code, leaf)) {
                        throw damaged(leaf, field, "row " + row + ", text that the text index has in the leaf", "none");
                    }
                }
            }
        }
        int[] counts = textsOf[field];
        if (counts != null && counts[leaf] != listed) {
            throw damaged(leaf, field, counts[leaf] + " trigrams, as the text index says", Integer.toString(listed));
        }
    }

    /** Whether the values [from, to) are one, and it is in the leaf by the dictionary; notes it. */
    private static boolean names(LeafDictionary dictionary, int from, int to, int leaf, BitSet seen, BitSet leaves) {
        if (to != from + 1) {
            return false;
        } else if (!seen.get(from)) {
            leaves.clear();
            dictionary.leaves(from, to, leaves);
            seen.set(from);
            return leaves.get(leaf);
        }
        return true;
    }

    /** The masks of nulls; empty where no field may be null. */
    private byte[] masks(LeafPart[] parts) {
        int column = layout.nullMaskColumn();
        return column < 0 ? new byte[0] : parts[directory.part(column)].asInBlock();
    }

    private boolean isNull(byte[] masks, int field, int row) {
        int bit = layout.nullBit(field);
        if (bit < 0) {
            return false;
        }
        int width = layout.width(layout.nullMaskColumn());
        return (masks[row * width + (bit >> 3)] >> (bit & 7) & 1) != 0;
    }

    private long code(byte[] values, int column, int field, int row) {
        long stored =
                switch (layout.width(column)) {
                    case 1 -> values[row];
                    case 4 -> LittleEndian.getInt(values, row * 4);
                    default -> LittleEndian.getLong(values, row * 8);
                };
        ColumnKind kind = ColumnKind.of(layout.fields().get(field).type());
        if (kind.floating()) {
            return code(
                    layout.width(column) == 4 ? Float.intBitsToFloat((int) stored) : Double.longBitsToDouble(stored));
        }
        return kind == ColumnKind.UNSIGNED ? stored & 0xFFFF_FFFFL : stored;
    }

    private static long code(double value) {
        return Double.isNaN(value) ? BloomBits.NAN : KeyCodec.ofDouble(value);
    }

    private CorruptChunkException damaged(int leaf, int field, String expected, String actual) {
        return new CorruptChunkException(
                directory.file(),
                "leaf " + leaf + ", index of field '"
                        + layout.fields().get(field).name() + "'",
                directory.offset(leaf, directory.part(layout.columnOf(field))),
                expected,
                actual);
    }
}
