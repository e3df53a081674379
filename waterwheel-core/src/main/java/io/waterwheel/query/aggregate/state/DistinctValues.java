package io.waterwheel.query.aggregate.state;

import io.waterwheel.query.column.SeededHash;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;

/**
 * The different values of each group, in one hash table of pairs (group, value), open addressing, at most half full. A
 * group that has many values takes several rows of a part.
 */
public final class DistinctValues extends AggregateState {
    private static final List<Column> COLUMNS = List.of(new Column(FieldType.BYTES, false));
    /** Bytes of values in a row of a part; a longer value has a row of its own. */
    private static final int SLICE_BYTES = 64 * 1024;

    /** Of an entry: group, hash, word, and its place in the listing. */
    private static final int ENTRY_BYTES = 20;

    private final ValueType type;
    private final SeededHash hash = new SeededHash();
    private long[] counts = {};
    private int groups;

    /** Entry number plus 1 by slot; 0 for none. */
    private int[] slots = new int[64];

    /* By entry: the group, the hash, and the value's word, or where its bytes lie. */
    private int[] groupOfEntry = new int[16];
    private int[] hashes = new int[16];
    private long[] words = new long[16];
    private byte[] bytes = {};
    private int byteCount;
    private int entries;

    /** While a part is written: entries by group, and where those of each group begin. None while values are added. */
    private Listing listing = Listing.NONE;

    public DistinctValues(ValueType type) {
        this.type = type;
    }

    @Override
    public void groups(int count) {
        counts = grown(counts, count);
        groups = Math.max(groups, count);
    }

    @Override
    public void add(Values values, int[] selected, int count, int[] groupOf) {
        listing = Listing.NONE;
        boolean variable = type.variable();
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (values.anyNull && values.nulls[row]) {
                continue;
            }
            if (variable) {
                long reference = values.longs[row];
                add(
                        groupOf[row],
                        values.slab(reference),
                        values.offset(reference),
                        TupleBlock.referenceLength(reference));
            } else {
                add(groupOf[row], Words.of(type, values, row));
            }
        }
    }

    /** The hash of a group's value; the groups' numbers spread, as one group's values do. */
    private static int mixed(int group, int hashed) {
        return hashed + group * 0x9E3779B9;
    }

    private void add(int group, long word) {
        int hashed = mixed(group, hash.of(word));
        int mask = slots.length - 1;
        int at = hashed & mask;
        for (; slots[at] != 0; at = (at + 1) & mask) {
            int entry = slots[at] - 1;
            if (words[entry] == word && groupOfEntry[entry] == group) {
                return;
            }
        }
        append(at, group, hashed, word);
    }

    private void add(int group, byte[] from, int offset, int length) {
        int hashed = mixed(group, hash.of(from, offset, length));
        int mask = slots.length - 1;
        int at = hashed & mask;
        for (; slots[at] != 0; at = (at + 1) & mask) {
            int entry = slots[at] - 1;
            if (hashes[entry] == hashed && groupOfEntry[entry] == group) {
                int start = TupleBlock.referenceOffset(words[entry]);
                int end = start + TupleBlock.referenceLength(words[entry]);
                if (Arrays.equals(bytes, start, end, from, offset, offset + length)) {
                    return;
                }
            }
        }
        int needed = Math.addExact(byteCount, length);
        if (bytes.length < needed) {
            requireRoom(bytes() + needed);
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8L, Math.max(256, needed * 2L)));
        }
        System.arraycopy(from, offset, bytes, byteCount, length);
        long reference = TupleBlock.reference(byteCount, length);
        byteCount = needed;
        append(at, group, hashed, reference);
    }

    private void append(int slot, int group, int hashed, long word) {
        if (entries == words.length) {
            requireRoom(bytes() + ENTRY_BYTES * (long) entries);
            groupOfEntry = Arrays.copyOf(groupOfEntry, entries * 2);
            hashes = Arrays.copyOf(hashes, entries * 2);
            words = Arrays.copyOf(words, entries * 2);
        }
        groupOfEntry[entries] = group;
        hashes[entries] = hashed;
        words[entries++] = word;
        counts[group]++;
        slots[slot] = entries;
        if (entries * 2 > slots.length) {
            slots = new int[slots.length * 2];
            int mask = slots.length - 1;
            for (int e = 0; e < entries; e++) {
                int at = hashes[e] & mask;
                while (slots[at] != 0) {
                    at = (at + 1) & mask;
                }
                slots[at] = e + 1;
            }
        }
    }

    @Override
    public boolean takesDifferentValues() {
        return true;
    }

    @Override
    public void merge(TupleBlock part, int field, int[] groupOf) {
        listing = Listing.NONE;
        byte[] from = part.arena();
        for (int r = 0; r < part.size(); r++) {
            long reference = getLong(part, field, r);
            int at = TupleBlock.referenceOffset(reference);
            int end = at + TupleBlock.referenceLength(reference);
            while (at < end) {
                if (!type.variable()) {
                    require(end - at >= 8);
                    add(groupOf[r], LittleEndian.getLong(from, at));
                    at += 8;
                    continue;
                }
                require(end - at >= 4);
                int length = LittleEndian.getInt(from, at);
                require(length >= 0 && length <= end - at - 4);
                add(groupOf[r], from, at + 4, length);
                at += 4 + length;
            }
        }
    }

    private static void require(boolean whole) {
        if (!whole) {
            throw new IllegalArgumentException("a partial list of different values that is cut off");
        }
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    private Listing listing() {
        if (listing == Listing.NONE) {
            listing = new Listing(groupOfEntry, entries, groups);
        }
        return listing;
    }

    private int bytesOf(int entry) {
        return type.variable() ? 4 + TupleBlock.referenceLength(words[entry]) : 8;
    }

    /** The place in the listing after those that fit into a row with the first. */
    private int sliceEnd(int from, int end) {
        int filled = 0;
        int at = from;
        while (at < end) {
            int more = bytesOf(listing().entries[at]);
            if (filled > 0 && filled + more > SLICE_BYTES) {
                break;
            }
            filled += more;
            at++;
        }
        return at;
    }

    @Override
    public int rows(int group) {
        int rows = 0;
        int at = listing().starts[group];
        int end = listing().starts[group + 1];
        while (at < end) {
            at = sliceEnd(at, end);
            rows++;
        }
        return Math.max(1, rows);
    }

    @Override
    public void writePart(TupleBlock part, int row, int field, int group) {
        writeSlice(part, row, field, group, 0);
    }

    @Override
    public void writeSlice(TupleBlock part, int row, int field, int group, int slice) {
        Listing all = listing();
        int end = all.starts[group + 1];
        if (slice == 0) {
            all.next = all.starts[group];
        }
        int from = all.next;
        int to = sliceEnd(from, end);
        all.next = to;
        int length = 0;
        for (int i = from; i < to; i++) {
            length += bytesOf(all.entries[i]);
        }
        byte[] written = new byte[length];
        int at = 0;
        for (int i = from; i < to; i++) {
            long word = words[all.entries[i]];
            if (type.variable()) {
                int size = TupleBlock.referenceLength(word);
                LittleEndian.putInt(written, at, size);
                System.arraycopy(bytes, TupleBlock.referenceOffset(word), written, at + 4, size);
                at += 4 + size;
            } else {
                LittleEndian.putLong(written, at, word);
                at += 8;
            }
        }
        putLong(part, field, row, part.addToArena(written, 0, length));
    }

    @Override
    public boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
        putLong(answer, field, row, counts[group]);
        return true;
    }

    @Override
    public long bytes() {
        // With the listing, which is made at the end, of four bytes an entry and a group.
        return 8L * counts.length + 4L * slots.length + ENTRY_BYTES * (long) words.length + bytes.length + 4L * groups;
    }

    /** The entries of each group, one group after the other. */
    private static final class Listing {
        static final Listing NONE = new Listing(new int[0], 0, 0);

        final int[] entries;
        final int[] starts;
        /** Where the next slice of the group that is being written begins. */
        int next;

        Listing(int[] groupOfEntry, int count, int groups) {
            this.entries = new int[count];
            this.starts = new int[groups + 1];
            for (int e = 0; e < count; e++) {
                starts[groupOfEntry[e] + 1]++;
            }
            for (int g = 0; g < groups; g++) {
                starts[g + 1] += starts[g];
            }
            int[] at = Arrays.copyOf(starts, groups);
            for (int e = 0; e < count; e++) {
                entries[at[groupOfEntry[e]]++] = e;
            }
        }
    }
}
