package io.waterwheel.query.result;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.Words;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.ReferenceMemo;
import io.waterwheel.query.column.SeededHash;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;

/**
 * Numbers the groups: gives each combination of values a number, from 0 in the order of their first rows. Hashes rows
 * of values laid out as bytes; open addressing, at most half full; no object a row or group. What it holds is reserved.
 * One thread.
 */
final class GroupTable {
    /** Most groups that are held at once. */
    static final int MAX_GROUPS = 1 << 18;

    /** Most bytes of their values. */
    static final long MAX_KEY_BYTES = 64L << 20;

    /** One group's bytes: with that of values that are all of the greatest length, a part's block stays sendable. */
    private static final int MAX_ROW_BYTES = 256 * 1024;

    private final ValueType[] types;
    /** Whether all values are whole numbers. */
    private final boolean whole;

    private final String about;
    private final SeededHash hash = new SeededHash();
    private final Reservation memory;
    /** Group number plus 1 by slot; 0 for none. */
    private int[] slots = new int[64];

    private int[] hashes = new int[16];
    /** Where each group's bytes begin; that of the next follows the last. */
    private int[] starts = new int[17];

    private byte[] keys = new byte[256];
    private byte[] scratch = new byte[64];
    private int groups;
    /** The group of the row before: rows of one key often follow each other. */
    private int lastGroup = -1;

    private long lastWord;
    private int nullGroup = -1;
    private int[] groupOfCode = {};
    /** Groups of texts that rows of a tree share. */
    private final ReferenceMemo memo = new ReferenceMemo();

    /** Groups by whole numbers that lie near each other. */
    private final NearGroups near;

    /**
     * A table without groups; without types, with the one of all rows.
     *
     * @param about what is grouped by, for messages
     * @param memory what it holds is reserved from it
     */
    GroupTable(List<ValueType> types, String about, Reservation memory) {
        this.memory = memory;
        this.near = new NearGroups(types.size(), memory);
        this.types = types.toArray(ValueType[]::new);
        this.whole = types.stream().noneMatch(type -> type.variable() || type == ValueType.DOUBLE);
        this.about = about;
        if (this.types.length == 0) {
            groups = 1;
        }
    }

    int groups() {
        return groups;
    }

    /** Bytes of the values of all groups, as {@link #write} adds them to a block's arena at most. */
    int keyBytes() {
        return starts[groups];
    }

    /** Leaves the group of each selected row, by row number. */
    void find(Values[] values, int[] selected, int count, int[] groupOf) {
        if (types.length == 0) {
            for (int i = 0; i < count; i++) {
                groupOf[selected[i]] = 0;
            }
        } else if (whole) {
            findWhole(values, selected, count, groupOf);
        } else if (types.length > 1) {
            for (int i = 0; i < count; i++) {
                groupOf[selected[i]] = groupOfRow(values, selected[i]);
            }
        } else if (types[0].variable()) {
            findTexts(values[0], selected, count, groupOf);
        } else {
            findDoubles(values[0], selected, count, groupOf);
        }
    }

    private void findWhole(Values[] values, int[] selected, int count, int[] groupOf) {
        if (types.length == 1 && near.findKnown(values[0], selected, count, groupOf)) {
            return;
        }
        int[] places = near.places(values, selected, count);
        boolean one = types.length == 1;
        int missed = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            int place = places[i];
            int group = near.group(place);
            if (group < 0) {
                group = one ? groupOfNumber(values[0], row) : groupOfRow(values, row);
                near.put(place, group);
                missed += place < 0 ? 1 : 0;
            }
            groupOf[row] = group;
        }
        near.missed(values, selected, count, missed);
    }

    private int groupOfNumber(Values values, int row) {
        return values.anyNull && values.nulls[row] ? groupOfNull() : group(values.longs[row]);
    }

    private int groupOfRow(Values[] values, int row) {
        int length = layOut(values, row);
        return group(length, hash.of(scratch, 0, length));
    }

    private void findDoubles(Values values, int[] selected, int count, int[] groupOf) {
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            groupOf[row] =
                    values.anyNull && values.nulls[row] ? groupOfNull() : group(OrderedBits.of(values.doubles[row]));
        }
    }

    private void findTexts(Values values, int[] selected, int count, int[] groupOf) {
        if (values.codes.length > 0 && values.dictionary.length <= count) {
            findCodes(values, selected, count, groupOf);
            return;
        }
        if (memo.serves(values, count, memory)) {
            findShared(values, selected, count, groupOf);
            return;
        }
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            groupOf[row] = values.anyNull && values.nulls[row] ? groupOfNull() : groupOfText(values, values.longs[row]);
        }
    }

    /** Each text of the dictionary is looked for once. */
    private void findCodes(Values values, int[] selected, int count, int[] groupOf) {
        if (groupOfCode.length < values.dictionary.length) {
            memory.replace(4L * groupOfCode.length, 4L * values.dictionary.length);
            groupOfCode = new int[values.dictionary.length];
        }
        int[] groups = groupOfCode;
        char[] codes = values.codes;
        Arrays.fill(groups, 0, values.dictionary.length, -1);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (values.anyNull && values.nulls[row]) {
                groupOf[row] = groupOfNull();
                continue;
            }
            int code = codes[row];
            if (groups[code] < 0) {
                groups[code] = groupOfText(values, values.dictionary[code]);
            }
            groupOf[row] = groups[code];
        }
    }

    /** A text that rows of a tree share is looked for once, as long as it is remembered. */
    private void findShared(Values values, int[] selected, int count, int[] groupOf) {
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (values.anyNull && values.nulls[row]) {
                groupOf[row] = groupOfNull();
                continue;
            }
            long reference = values.longs[row];
            int group = memo.get(reference);
            if (group == ReferenceMemo.UNKNOWN) {
                group = groupOfText(values, reference);
                memo.put(reference, group);
            }
            groupOf[row] = group;
        }
    }

    private int groupOfNull() {
        if (nullGroup < 0) {
            scratch[0] = 0;
            nullGroup = group(1, hash.of(scratch, 0, 1));
        }
        return nullGroup;
    }

    /** The group of the only value, one of 8 bytes. */
    private int group(long word) {
        if (lastGroup >= 0 && word == lastWord) {
            return lastGroup;
        }
        int hashed = hash.of(word);
        int mask = slots.length - 1;
        int found = -1;
        for (int at = hashed & mask; found < 0 && slots[at] != 0; at = (at + 1) & mask) {
            int group = slots[at] - 1;
            // That of null has a byte.
            boolean whole = starts[group + 1] - starts[group] == 9;
            found = hashes[group] == hashed && whole && LittleEndian.getLong(keys, starts[group] + 1) == word
                    ? group
                    : -1;
        }
        if (found < 0) {
            scratch[0] = 1;
            LittleEndian.putLong(scratch, 1, word);
            found = group(9, hashed);
        }
        lastWord = word;
        lastGroup = found;
        return found;
    }

    /** The group of the only value, a text or bytes. */
    private int groupOfText(Values values, long reference) {
        byte[] slab = values.slab(reference);
        int from = values.offset(reference);
        int length = TupleBlock.referenceLength(reference);
        int hashed = hash.of(slab, from, length);
        int mask = slots.length - 1;
        for (int at = hashed & mask; slots[at] != 0; at = (at + 1) & mask) {
            int group = slots[at] - 1;
            int start = starts[group] + 5;
            if (hashes[group] == hashed
                    && starts[group + 1] - start == length
                    && Arrays.equals(keys, start, start + length, slab, from, from + length)) {
                return group;
            }
        }
        if (scratch.length < 5 + length) {
            growScratch((5 + length) * 2);
        }
        scratch[0] = 1;
        LittleEndian.putInt(scratch, 1, length);
        System.arraycopy(slab, from, scratch, 5, length);
        return group(5 + length, hashed);
    }

    private void growScratch(int length) {
        memory.reserve(length - scratch.length);
        scratch = Arrays.copyOf(scratch, length);
    }

    private int layOut(Values[] values, int row) {
        int at = 0;
        for (int v = 0; v < types.length; v++) {
            Values column = values[v];
            if (scratch.length < at + 9) {
                growScratch(at * 2 + 9);
            }
            if (column.anyNull && column.nulls[row]) {
                scratch[at++] = 0;
                continue;
            }
            scratch[at++] = 1;
            if (types[v].variable()) {
                long reference = column.longs[row];
                int length = TupleBlock.referenceLength(reference);
                if (scratch.length < at + 4 + length) {
                    growScratch((at + 4 + length) * 2);
                }
                LittleEndian.putInt(scratch, at, length);
                System.arraycopy(column.slab(reference), column.offset(reference), scratch, at + 4, length);
                at += 4 + length;
            } else {
                LittleEndian.putLong(scratch, at, Words.of(types[v], column, row));
                at += 8;
            }
        }
        if (at > MAX_ROW_BYTES) {
            throw tooLarge("a group's values have over " + MAX_ROW_BYTES / 1024 + " KiB together");
        }
        return at;
    }

    /** The group of the first bytes of the scratch. */
    private int group(int length, int hashed) {
        int mask = slots.length - 1;
        int at = hashed & mask;
        while (slots[at] != 0) {
            int group = slots[at] - 1;
            if (hashes[group] == hashed && Arrays.equals(keys, starts[group], starts[group + 1], scratch, 0, length)) {
                return group;
            }
            at = (at + 1) & mask;
        }
        append(length, hashed);
        // Last: when there is no room for the group, none is told of.
        slots[at] = groups;
        if (groups * 2 > slots.length) {
            rehash();
        }
        return groups - 1;
    }

    private void append(int length, int hashed) {
        if (groups == MAX_GROUPS) {
            throw tooLarge("there are more than " + MAX_GROUPS + " groups");
        }
        int start = starts[groups];
        if ((long) start + length > MAX_KEY_BYTES) {
            throw tooLarge("the groups' values have over " + (MAX_KEY_BYTES >> 20) + " MiB together");
        }
        if (keys.length < start + length) {
            int old = keys.length;
            int grown = Math.max(start + length, old * 2);
            memory.reserve(grown);
            keys = Arrays.copyOf(keys, grown);
            memory.release(old);
        }
        if (hashes.length == groups) {
            // Both arrays, twice as long.
            memory.reserve(8L * groups);
            hashes = Arrays.copyOf(hashes, groups * 2);
            starts = Arrays.copyOf(starts, groups * 2 + 1);
        }
        System.arraycopy(scratch, 0, keys, start, length);
        hashes[groups++] = hashed;
        starts[groups] = start + length;
    }

    private void rehash() {
        memory.reserve(4L * slots.length);
        slots = new int[slots.length * 2];
        int mask = slots.length - 1;
        for (int g = 0; g < groups; g++) {
            int at = hashes[g] & mask;
            while (slots[at] != 0) {
                at = (at + 1) & mask;
            }
            slots[at] = g + 1;
        }
    }

    private WaterwheelException tooLarge(String what) {
        return new WaterwheelException(
                ErrorCode.TOO_MANY_GROUPS,
                "query: group by " + about + ": " + what + "; group by less, or narrow the query");
    }

    /** Writes a group's values into the first fields of a row, which are of these types. */
    void write(int group, TupleBlock block, int row) {
        int at = starts[group];
        for (int f = 0; f < types.length; f++) {
            boolean present = keys[at++] != 0;
            if (!present) {
                AggregateState.setNull(block, row, f);
                continue;
            }
            if (types[f].variable()) {
                byte[] column = block.column(block.layout().columnOf(f));
                int length = LittleEndian.getInt(keys, at);
                LittleEndian.putLong(column, row * 8, block.addToArena(keys, at + 4, length));
                at += 4 + length;
                continue;
            }
            Words.put(block, row, f, LittleEndian.getLong(keys, at));
            at += 8;
        }
    }
}
