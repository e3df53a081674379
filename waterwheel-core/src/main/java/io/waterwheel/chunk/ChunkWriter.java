package io.waterwheel.chunk;

import static io.waterwheel.chunk.ChunkFormat.*;

import io.waterwheel.index.Leaves;
import io.waterwheel.index.Page;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.model.LittleEndian;
import io.waterwheel.model.Region;
import io.waterwheel.model.RowLayout;
import io.waterwheel.model.TupleBlock;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Encodes sealed trees as chunk files. Keeps its buffers from tree to tree: one writer for each thread that flushes.
 * Not thread-safe.
 */
public final class ChunkWriter {
    private final RowSorter sorter = new RowSorter();
    private byte[] out = new byte[0];
    private byte[] entries = new byte[0];
    private long[] keys = new long[0];
    private long[] times = new long[0];
    /** All pages of the tree; a row's address is its page's index here times {@link Page#ROWS}, plus its slot. */
    private Page[] pages = new Page[0];
    /** Addresses of all rows in the order of the file. */
    private int[] order = new int[0];

    private int position;
    private int entryPosition;

    /**
     * Encodes all tuples of a tree that nobody inserts into any more.
     *
     * @throws IllegalArgumentException for a tree without tuples
     * @throws IllegalStateException for a discarded tree
     */
    public EncodedChunk encode(TemplateTree tree) {
        if (!tree.tryRetain()) {
            throw new IllegalStateException("encode of a discarded tree");
        }
        try {
            if (tree.tuples() == 0) {
                throw new IllegalArgumentException("encode of a tree without tuples");
            }
            return encodeRetained(tree);
        } finally {
            // Not to keep pages alive that the pool may have dropped.
            Arrays.fill(pages, null);
            tree.release();
        }
    }

    private EncodedChunk encodeRetained(TemplateTree tree) {
        RowLayout layout = tree.layout();
        int rows = Math.toIntExact(tree.tuples());
        int leaves = (rows + LEAF_ROWS - 1) / LEAF_ROWS;
        int parts = parts(layout);
        int directoryBytes = HEAD_BYTES + leaves * entryBytes(parts);
        long fileBytes = HEADER_BYTES + tree.bytes() + directoryBytes + FOOTER_BYTES;
        out = room(out, Math.toIntExact(fileBytes));
        entries = room(entries, leaves * entryBytes(parts));
        sort(tree, rows);

        LittleEndian.putLong(out, HEADER_MAGIC, MAGIC);
        LittleEndian.putInt(out, HEADER_VERSION, VERSION);
        LittleEndian.putInt(out, HEADER_VERSION + 4, 0);
        position = HEADER_BYTES;
        entryPosition = 0;
        byte[][] slabs = tree.slabs();
        int[] pageOffsets = TemplateTree.pageOffsets(layout);
        Template.Divider divider =
                new Template.Divider(rows, rows < TemplateTree.LEARN_TUPLES ? 1 : TemplateTree.LEAVES);
        long fromTime = Long.MAX_VALUE;
        long toTime = Long.MIN_VALUE;
        for (int from = 0; from < rows; from += LEAF_ROWS) {
            int entry = entryPosition;
            leaf(layout, pageOffsets, slabs, from, Math.min(LEAF_ROWS, rows - from), divider);
            fromTime = Math.min(fromTime, LittleEndian.getLong(entries, entry + ENTRY_FROM_TIME));
            toTime = Math.max(toTime, LittleEndian.getLong(entries, entry + ENTRY_TO_TIME));
        }
        Region region = Region.of(key(0), key(rows - 1), fromTime, toTime);
        int directory = position;
        head(layout, leaves, rows, tree.bytes(), region);
        System.arraycopy(entries, 0, out, position, entryPosition);
        position += entryPosition;
        footer(directory, position - directory);
        if (position != fileBytes) {
            throw new IllegalStateException("encoded " + position + " bytes, expected " + fileBytes);
        }
        return new EncodedChunk(List.of(ByteBuffer.wrap(out, 0, position)), rows, position, region, divider.template());
    }

    /** Sorts leaf by leaf: leaves are in key order, and a smaller sort is a faster one. */
    private void sort(TemplateTree tree, int rows) {
        if (order.length < rows) {
            order = new int[rows + (rows >> 3)];
        }
        Leaves leaves = tree.pin();
        try {
            sort(leaves, rows);
        } finally {
            // Nobody inserts, so nothing takes their place: the lease of the tree holds them.
            tree.unpin(leaves);
        }
    }

    private void sort(Leaves leaves, int rows) {
        int pageCount = 0;
        int sorted = 0;
        for (int leaf = 0; leaf < leaves.count(); leaf++) {
            int size = leaves.size(leaf);
            if (keys.length < size) {
                keys = new long[size + (size >> 1)];
                times = new long[size + (size >> 1)];
            }
            Page[] leafPages = leaves.pages(leaf);
            int used = (size + Page.ROWS - 1) >>> Page.SHIFT;
            if (pages.length < pageCount + used) {
                pages = Arrays.copyOf(pages, Math.max(pageCount + used, pages.length * 2));
            }
            for (int p = 0; p < used; p++) {
                int from = p << Page.SHIFT;
                int count = Math.min(Page.ROWS, size - from);
                System.arraycopy(leafPages[p].keys(), 0, keys, from, count);
                System.arraycopy(leafPages[p].times(), 0, times, from, count);
                pages[pageCount + p] = leafPages[p];
            }
            sorter.sort(keys, times, size);
            int base = pageCount << Page.SHIFT;
            for (int i = 0; i < size; i++) {
                order[sorted++] = base + sorter.row(i);
            }
            pageCount += used;
        }
        if (sorted != rows) {
            throw new IllegalStateException("encode of a tree that grows: " + rows + " tuples, then " + sorted);
        }
    }

    private long key(int index) {
        int address = order[index];
        return pages[address >>> Page.SHIFT].keys()[address & Page.MASK];
    }

    private void leaf(
            RowLayout layout, int[] pageOffsets, byte[][] slabs, int from, int rows, Template.Divider divider) {
        LittleEndian.putLong(entries, entryPosition + ENTRY_OFFSET, position);
        LittleEndian.putInt(entries, entryPosition + ENTRY_ROWS, rows);
        LittleEndian.putInt(entries, entryPosition + ENTRY_ROWS + 4, 0);
        LittleEndian.putLong(entries, entryPosition + ENTRY_LOW_KEY, key(from));
        LittleEndian.putLong(entries, entryPosition + ENTRY_HIGH_KEY, key(from + rows - 1));
        int leafEntry = entryPosition;
        entryPosition += ENTRY_PARTS;
        int arena = position + rows * layout.rowWidth();
        int arenaStart = arena;
        for (int i = 0; i < rows; i++) {
            long key = key(from + i);
            divider.next(key);
            LittleEndian.putLong(out, position + i * 8, key);
        }
        endPart(rows * 8);
        times(leafEntry, from, rows);
        for (int c = 0; c < layout.columns(); c++) {
            if (layout.variable(c)) {
                arena = variable(pageOffsets[c], slabs, from, rows, arena, arenaStart);
            } else {
                column(pageOffsets[c], layout.width(c), from, rows);
            }
            endPart(rows * layout.width(c));
        }
        if (layout.hasVariable()) {
            endPart(arena - arenaStart);
        }
    }

    private void times(int leafEntry, int from, int rows) {
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        for (int i = 0; i < rows; i++) {
            int address = order[from + i];
            long time = pages[address >>> Page.SHIFT].times()[address & Page.MASK];
            min = Math.min(min, time);
            max = Math.max(max, time);
            LittleEndian.putLong(out, position + i * 8, time);
        }
        LittleEndian.putLong(entries, leafEntry + ENTRY_FROM_TIME, min);
        LittleEndian.putLong(entries, leafEntry + ENTRY_TO_TIME, max);
        endPart(rows * 8);
    }

    private void column(int pageOffset, int width, int from, int rows) {
        switch (width) {
            case 1 -> {
                for (int i = 0; i < rows; i++) {
                    int address = order[from + i];
                    byte[] payload = pages[address >>> Page.SHIFT].payload();
                    out[position + i] = payload[pageOffset + (address & Page.MASK)];
                }
            }
            case 2 -> {
                for (int i = 0; i < rows; i++) {
                    int address = order[from + i];
                    byte[] payload = pages[address >>> Page.SHIFT].payload();
                    short value = LittleEndian.getShort(payload, pageOffset + (address & Page.MASK) * 2);
                    LittleEndian.putShort(out, position + i * 2, value);
                }
            }
            case 4 -> {
                for (int i = 0; i < rows; i++) {
                    int address = order[from + i];
                    byte[] payload = pages[address >>> Page.SHIFT].payload();
                    int value = LittleEndian.getInt(payload, pageOffset + (address & Page.MASK) * 4);
                    LittleEndian.putInt(out, position + i * 4, value);
                }
            }
            default -> {
                for (int i = 0; i < rows; i++) {
                    int address = order[from + i];
                    byte[] payload = pages[address >>> Page.SHIFT].payload();
                    long value = LittleEndian.getLong(payload, pageOffset + (address & Page.MASK) * 8);
                    LittleEndian.putLong(out, position + i * 8, value);
                }
            }
        }
    }

    /** Copies values behind the columns and writes references to them; returns where the next value goes. */
    private int variable(int pageOffset, byte[][] slabs, int from, int rows, int arena, int arenaStart) {
        int end = arena;
        for (int i = 0; i < rows; i++) {
            int address = order[from + i];
            byte[] payload = pages[address >>> Page.SHIFT].payload();
            long reference = LittleEndian.getLong(payload, pageOffset + (address & Page.MASK) * 8);
            int length = TupleBlock.referenceLength(reference);
            long written = 0;
            if (length > 0) {
                int offset = TupleBlock.referenceOffset(reference);
                byte[] slab = slabs[Integer.divideUnsigned(offset, PagePool.SLAB_BYTES)];
                System.arraycopy(slab, offset & (PagePool.SLAB_BYTES - 1), out, end, length);
                written = TupleBlock.reference(end - arenaStart, length);
                end += length;
            }
            LittleEndian.putLong(out, position + i * 8, written);
        }
        return end;
    }

    /** Notes the part that begins at the position in the directory, and goes behind it. */
    private void endPart(int length) {
        LittleEndian.putInt(entries, entryPosition + PART_LENGTH, length);
        LittleEndian.putInt(entries, entryPosition + PART_CHECKSUM, checksum(out, position, length));
        LittleEndian.putInt(entries, entryPosition + PART_ENCODING, RAW);
        entryPosition += PART_BYTES;
        position += length;
    }

    private void head(RowLayout layout, int leaves, long rows, long tupleBytes, Region region) {
        LittleEndian.putInt(out, position + HEAD_FINGERPRINT, layout.fingerprint());
        LittleEndian.putInt(out, position + HEAD_PARTS, parts(layout));
        LittleEndian.putInt(out, position + HEAD_LEAVES, leaves);
        LittleEndian.putInt(out, position + HEAD_LEAVES + 4, 0);
        LittleEndian.putLong(out, position + HEAD_ROWS, rows);
        LittleEndian.putLong(out, position + HEAD_TUPLE_BYTES, tupleBytes);
        LittleEndian.putLong(out, position + HEAD_LOW_KEY, region.keys().low());
        LittleEndian.putLong(out, position + HEAD_HIGH_KEY, region.keys().high());
        LittleEndian.putLong(out, position + HEAD_FROM_TIME, region.times().from());
        LittleEndian.putLong(out, position + HEAD_TO_TIME, region.times().to());
        position += HEAD_BYTES;
    }

    private void footer(int directory, int directoryLength) {
        LittleEndian.putLong(out, position + FOOTER_DIRECTORY_OFFSET, directory);
        LittleEndian.putInt(out, position + FOOTER_DIRECTORY_LENGTH, directoryLength);
        LittleEndian.putInt(out, position + FOOTER_DIRECTORY_CHECKSUM, checksum(out, directory, directoryLength));
        LittleEndian.putLong(out, position + FOOTER_FILE_LENGTH, (long) position + FOOTER_BYTES);
        LittleEndian.putInt(out, position + FOOTER_VERSION, VERSION);
        LittleEndian.putInt(out, position + FOOTER_CHECKSUM, checksum(out, position, FOOTER_CHECKSUM));
        LittleEndian.putLong(out, position + FOOTER_MAGIC, END_MAGIC);
        position += FOOTER_BYTES;
    }

    private static byte[] room(byte[] buffer, int bytes) {
        return buffer.length >= bytes ? buffer : new byte[bytes + (bytes >> 3)];
    }
}
