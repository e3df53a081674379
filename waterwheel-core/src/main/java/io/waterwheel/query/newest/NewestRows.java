package io.waterwheel.query.newest;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.SeededHash;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.rows.LatestRows;
import io.waterwheel.query.rows.ResultRows;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.rows.RowOrder;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The newest row of each key in a tree or a chunk. The block's last two fields are key and time; its order is by key,
 * by the text that the key is made from when there is one, then newest first. A row is copied when it is newer than all
 * of its key before it, and what it replaces stays in the block until there is more of that than of rows that count. So
 * a row takes one look into a table, and only what is handed over is ever sorted.
 *
 * <p>A scan comes by its keys in leaves, one range of keys behind the other. What it has of the leaves before is handed
 * over, so that table and block are of few leaves, and remain in the processor's cache. Where the rows of a leaf lie in
 * the order of their keys, as most do in a chunk, only its first and last key are looked for in a table.
 * {@link NewestMerge} makes the answer of the parts. One thread.
 */
public final class NewestRows {
    /** Most bytes of rows that are held. */
    private static final long MAX_BYTES = 128L << 20;
    /** Rows that no longer count are left in the block until there are more than this. */
    private static final int FEWEST_REPLACED = 1024;
    /** Fewer keys are not worth handing over before the end. */
    private static final int FEWEST_SETTLED = 256;
    /** Rows that are copied between two looks whether to go on. */
    private static final int COPIED_ROWS = 1 << 14;

    /** Tables of this many keys are in the processor's cache. */
    private static final int FEW_KEYS = 1 << 12;
    /** Of one slot: its row, its key and its time. */
    private static final long SLOT_BYTES = 20;

    /** In place of a slot: of a row that was replaced before the slots were renewed. */
    private static final int REPLACED = -1;

    /** In place of a number of rows. */
    private static final int NOT_IN_ORDER = -1;

    /** What to do where the answer is too large. */
    static final String REMEDY = "ask for fewer keys";

    private static final int[] NO_ROWS = {};

    private final RowLayout layout;
    private final RowCopy copy;
    private final RowOrder order;
    private final LatestRows.@Nullable Text text;
    private final Workspace workspace;
    private final Reservation memory;
    private final int keyColumn;
    private final int timeColumn;
    private final int textColumn;

    private TupleBlock block;
    /** What is reserved for the block. */
    private long blockBytes;
    /** By row of the block: the slot of its key. */
    private int[] slotOf = NO_ROWS;

    private final SeededHash hash = new SeededHash();
    /**
     * By slot: nothing (0), the row of the block (and 1), or, while rows are taken, the place among those that wait to
     * be copied (negative, and -1).
     */
    private int[] rowOf = NO_ROWS;
    /** By slot: key and time. */
    private long[] keyAndTime = {};
    /** Slots that have a row. */
    private int keys;

    /** No key is less. */
    private long leastKey = Long.MAX_VALUE;
    /** Fewer keys are not handed over before the end. */
    private int settleAt = FEWEST_SETTLED;

    /** Rows of the view that wait to be copied, and their slots. */
    private int[] waiting = NO_ROWS;

    private int[] waitingSlots = NO_ROWS;

    /** Of rows that come in order, those that are chosen. */
    private int[] chosen = NO_ROWS;

    /** Two rows of one key and one time of a scan, to compare all of them. */
    private final TupleBlock equal;

    private final int[] one = new int[1];
    private long equalBytes;

    /**
     * None yet.
     *
     * @param text that keys are made from, where there is one
     */
    public NewestRows(RowCopy copy, RowOrder order, LatestRows.@Nullable Text text, Workspace workspace) {
        this.copy = copy;
        this.layout = copy.layout();
        this.order = order;
        this.text = text;
        this.workspace = workspace;
        this.memory = workspace.memory();
        int fields = layout.fields().size();
        this.keyColumn = layout.columnOf(fields - 2);
        this.timeColumn = layout.columnOf(fields - 1);
        this.textColumn = text == null ? -1 : layout.columnOf(text.field());
        this.block = new TupleBlock(layout, 16);
        this.equal = new TupleBlock(layout, 2);
        reserveBlock(0);
    }

    /** Reserves what the block takes, in place of what was reserved for it and the bytes besides. */
    private void reserveBlock(long besides) {
        long bytes = block.allocatedBytes();
        memory.replace(blockBytes + besides, bytes);
        blockBytes = bytes;
    }

    /** Takes rows of a scan or a part. */
    private void take(RowView view, int[] selected, int count) {
        if (count == 0) {
            return;
        }
        workspace.spend(4L * count);
        makeSlots(keys + count);
        waiting = workspace.renewed(waiting, count);
        waitingSlots = workspace.renewed(waitingSlots, count);
        int waits = text == null ? choose(view, selected, count) : choose(text, view, selected, count);
        append(view, waits);
        if (keys > ResultSpec.MAX_KEPT_ROWS) {
            throw new WaterwheelException(
                    ErrorCode.RESULT_TOO_LARGE,
                    "query: latest 1 of each key are more than " + ResultSpec.MAX_KEPT_ROWS + " tuples; " + REMEDY);
        }
        if (block.size() - keys > Math.max(FEWEST_REPLACED, keys) || block.bytes() > MAX_BYTES) {
            compact();
        }
    }

    /**
     * Of the rows, lets those wait that are the newest of their key; returns how many they are. Rows of a leaf mostly
     * lie by key: of those of one key that follow each other only the newest looks into the table.
     */
    private int choose(RowView view, int[] selected, int count) {
        long[] keysOf = view.keys;
        long[] times = view.times;
        int waits = 0;
        int i = 0;
        while (i < count) {
            int newest = selected[i++];
            long key = keysOf[newest];
            long newestTime = times[newest];
            int slot = slot(key);
            // Which of several older rows would be the newest does not matter.
            long held = rowOf[slot] == 0 ? Long.MIN_VALUE : keyAndTime[2 * slot + 1];
            while (i < count && keysOf[selected[i]] == key) {
                int row = selected[i++];
                long time = times[row];
                if (time > newestTime || (time == newestTime && time >= held && precedesRow(view, row, newest))) {
                    newest = row;
                    newestTime = time;
                }
            }
            waits = choose(view, newest, slot, key, waits);
        }
        return waits;
    }

    private int choose(LatestRows.Text of, RowView view, int[] selected, int count) {
        of.source().evaluate(view, selected, count);
        Values texts = of.source().values();
        int waits = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            long key = view.keys[row];
            waits = choose(view, row, slot(texts, row, key), key, waits);
        }
        return waits;
    }

    /** Lets a row wait if it is the newest of its key, whose slot this is; returns how many do. */
    private int choose(RowView view, int row, int slot, long key, int waits) {
        int held = rowOf[slot];
        long time = view.times[row];
        if (held == 0) {
            keyAndTime[2 * slot] = key;
            leastKey = Math.min(leastKey, key);
            keys++;
        } else {
            long newest = keyAndTime[2 * slot + 1];
            if (time < newest || (time == newest && !precedes(view, row, held))) {
                return waits;
            }
        }
        keyAndTime[2 * slot + 1] = time;
        if (held < 0) {
            waiting[-held - 1] = row;
            return waits;
        }
        waiting[waits] = row;
        waitingSlots[waits] = slot;
        rowOf[slot] = -waits - 1;
        return waits + 1;
    }

    /** Whether a row comes before one that is held, or waits, of the same key and time. */
    private boolean precedes(RowView view, int row, int held) {
        if (held < 0) {
            return precedesRow(view, row, waiting[-held - 1]);
        }
        equal.clear();
        copyEqual(view, row);
        return order.compare(equal, 0, block, held - 1) < 0;
    }

    /** Whether a row of the view comes before another of it, of the same key and time. */
    private boolean precedesRow(RowView view, int row, int other) {
        equal.clear();
        copyEqual(view, row);
        copyEqual(view, other);
        return order.compare(equal, 0, 1) < 0;
    }

    private void copyEqual(RowView view, int row) {
        one[0] = row;
        workspace.spend(copy.arenaBytes(view, row) + layout.rowWidth());
        copy.copy(view, one, 0, 1, equal);
        long bytes = equal.allocatedBytes();
        if (bytes != equalBytes) {
            memory.replace(equalBytes, bytes);
            equalBytes = bytes;
        }
    }

    /** Copies the rows that wait. */
    private void append(RowView view, int waits) {
        int first = block.size();
        int from = 0;
        while (from < waits) {
            long fit = copy.rowsThatFit(view, waiting, from, waits - from, 0);
            int rows = RowCopy.rows(fit);
            // While an array grows both are there, the old one and the new.
            long growth = block.growthBytes(rows, RowCopy.arenaBytes(fit));
            memory.reserve(growth);
            copy.copy(view, waiting, from, rows, block);
            if (growth > 0) {
                reserveBlock(growth);
            }
            from += rows;
        }
        if (slotOf.length < block.size()) {
            int more = Math.max(block.size(), slotOf.length + slotOf.length / 2) - slotOf.length;
            memory.reserve(4L * more);
            slotOf = Arrays.copyOf(slotOf, slotOf.length + more);
        }
        for (int w = 0; w < waits; w++) {
            slotOf[first + w] = waitingSlots[w];
            rowOf[waitingSlots[w]] = first + w + 1;
        }
    }

    /** The slot of a key, or where it should be. */
    private int slot(long key) {
        int mask = rowOf.length - 1;
        int at = hash.of(key) & mask;
        while (rowOf[at] != 0 && keyAndTime[2 * at] != key) {
            at = (at + 1) & mask;
        }
        return at;
    }

    /** The same by the text of a row of the view. */
    private int slot(Values texts, int row, long key) {
        long reference = texts.longs[row];
        byte[] bytes = texts.slab(reference);
        int offset = texts.offset(reference);
        int length = TupleBlock.referenceLength(reference);
        int mask = rowOf.length - 1;
        int at = hash.of(bytes, offset, length) & mask;
        while (rowOf[at] != 0 && !(keyAndTime[2 * at] == key && isText(texts, rowOf[at], bytes, offset, length))) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private boolean isText(Values texts, int held, byte[] bytes, int offset, int length) {
        long other = held > 0 ? text(held - 1) : texts.longs[waiting[-held - 1]];
        byte[] otherBytes = held > 0 ? block.arena() : texts.slab(other);
        int from = held > 0 ? TupleBlock.referenceOffset(other) : texts.offset(other);
        return TupleBlock.referenceLength(other) == length
                && Arrays.equals(otherBytes, from, from + length, bytes, offset, offset + length);
    }

    private long text(int row) {
        return LittleEndian.getLong(block.column(textColumn), row * 8);
    }

    private long key(int row) {
        return LittleEndian.getLong(block.column(keyColumn), row * 8);
    }

    /** Makes room for a number of keys. No row may wait. */
    private void makeSlots(int wanted) {
        if (2L * wanted <= rowOf.length) {
            return;
        }
        // Of a table that the processor's cache holds most slots are left empty: fewer keys share one.
        long empty = wanted <= FEW_KEYS ? 8 : 4;
        int slots = Math.toIntExact(Long.highestOneBit(empty * wanted - 1));
        int old = rowOf.length;
        int[] oldRows = rowOf;
        memory.reserve(SLOT_BYTES * slots);
        rowOf = new int[slots];
        keyAndTime = new long[2 * slots];
        for (int row = 0; row < block.size(); row++) {
            if (slotOf[row] != REPLACED && oldRows[slotOf[row]] == row + 1) {
                place(row);
            } else {
                slotOf[row] = REPLACED;
            }
        }
        memory.release(SLOT_BYTES * old);
    }

    /** Gives a row of the block, which is the newest of its key, a slot. */
    private void place(int row) {
        int mask = rowOf.length - 1;
        int at;
        if (text == null) {
            at = hash.of(key(row)) & mask;
        } else {
            long reference = text(row);
            at = hash.of(block.arena(), TupleBlock.referenceOffset(reference), TupleBlock.referenceLength(reference))
                    & mask;
        }
        while (rowOf[at] != 0) {
            at = (at + 1) & mask;
        }
        rowOf[at] = row + 1;
        keyAndTime[2 * at] = key(row);
        keyAndTime[2 * at + 1] = LittleEndian.getLong(block.column(timeColumn), row * 8);
        slotOf[row] = at;
    }

    private boolean counts(int row) {
        return slotOf[row] != REPLACED && rowOf[slotOf[row]] == row + 1;
    }

    /** The rows that count, as they lie in the block; four bytes each are reserved. */
    private int[] rows() {
        memory.reserve(4L * keys);
        int[] rows = new int[keys];
        int count = 0;
        for (int row = 0; row < block.size(); row++) {
            if (counts(row)) {
                rows[count++] = row;
            }
        }
        return rows;
    }

    /** Leaves in the block only the rows that count. */
    private void compact() {
        int[] rows = rows();
        for (int row : rows) {
            rowOf[slotOf[row]] = 0;
        }
        keepOnly(rows, rows.length);
        memory.release(4L * rows.length);
        if (block.bytes() > MAX_BYTES) {
            throw new WaterwheelException(
                    ErrorCode.RESULT_TOO_LARGE,
                    "query: " + (MAX_BYTES >> 20)
                            + " MiB of rows would have to be held to find the newest of each key, and there are more; "
                            + REMEDY);
        }
    }

    /** Moves the first of the rows to a block of their own, the block from now on. All slots must be empty. */
    private void keepOnly(int[] rows, int count) {
        RowCopy whole = new RowCopy(layout, RowCopy.identity(layout), layout);
        RowView view = RowView.of(block, workspace);
        int arena = 0;
        for (int i = 0; layout.hasVariable() && i < count; i++) {
            arena += whole.arenaBytes(view, rows[i]);
        }
        int room = count + count / 4 + 16;
        long nextBytes = (long) room * layout.rowWidth() + arena;
        memory.reserve(nextBytes);
        TupleBlock next = new TupleBlock(layout, room);
        next.ensureArena(arena);
        for (int at = 0; at < count; at += COPIED_ROWS) {
            int some = Math.min(COPIED_ROWS, count - at);
            workspace.spend((long) some * layout.rowWidth());
            whole.copy(view, rows, at, some, next);
        }
        block = next;
        reserveBlock(nextBytes);
        keys = count;
        for (int row = 0; row < count; row++) {
            place(row);
        }
    }

    /** Hands the newest of all keys below one over, in order: no other row of them comes. */
    private void settle(long below, ResultRows into) {
        int[] rows = rows();
        memory.reserve(4L * rows.length);
        int[] settled = new int[rows.length];
        int count = 0;
        int left = 0;
        leastKey = Long.MAX_VALUE;
        for (int row : rows) {
            rowOf[slotOf[row]] = 0;
            if (key(row) < below) {
                settled[count++] = row;
            } else {
                leastKey = Math.min(leastKey, key(row));
                rows[left++] = row;
            }
        }
        // What is left is looked at again when there is twice as much.
        settleAt = Math.max(FEWEST_SETTLED, 2 * left);
        sort(settled, count);
        into.add(RowView.of(block, workspace), settled, count);
        if (left == 0) {
            keys = 0;
            block.clear();
        } else {
            keepOnly(rows, left);
        }
        memory.release(8L * rows.length);
    }

    /** Puts rows of the block in their order, each of another key. */
    private void sort(int[] rows, int count) {
        if (text == null && count > 1) {
            long least = Long.MAX_VALUE;
            long most = Long.MIN_VALUE;
            for (int i = 0; i < count; i++) {
                long key = key(rows[i]);
                least = Math.min(least, key);
                most = Math.max(most, key);
            }
            // Keys of a leaf are near each other: a key and the row's number are one number then, which sorts by
            // itself.
            int bits = Integer.SIZE - Integer.numberOfLeadingZeros(block.size());
            long width = most - least;
            if (width >= 0 && width <= Long.MAX_VALUE >> bits) {
                sort(rows, count, least, bits);
                return;
            }
        }
        order.sort(block, rows, count, workspace);
    }

    private void sort(int[] rows, int count, long least, int bits) {
        workspace.spend(8L * count);
        memory.reserve(8L * count);
        long[] keysAndRows = new long[count];
        for (int i = 0; i < count; i++) {
            keysAndRows[i] = (key(rows[i]) - least) << bits | rows[i];
        }
        Arrays.sort(keysAndRows);
        for (int i = 0; i < count; i++) {
            rows[i] = (int) (keysAndRows[i] & ((1L << bits) - 1));
        }
        memory.release(8L * count);
    }

    /** Hands all over, in order. */
    private void handOver(ResultRows into) {
        int[] rows = rows();
        sort(rows, rows.length);
        into.add(RowView.of(block, workspace), rows, rows.length);
        into.finish();
        memory.release(4L * rows.length);
    }

    /**
     * Takes all rows of a leaf. Where they lie in the order of their keys, a key between the first and the last there
     * has no other rows: its newest is handed over at once.
     */
    private void takeLeaf(RowView view, int[] selected, int count, ResultRows into) {
        workspace.spend(2L * count);
        chosen = workspace.renewed(chosen, count);
        int chose = chooseInOrder(view, selected, count);
        if (chose == NOT_IN_ORDER) {
            take(view, selected, count);
            return;
        }
        int last = chose - 1;
        take(view, chosen, Math.min(1, last + 1));
        if (last > 1) {
            settle(view.keys[chosen[1]], into);
            into.add(copy, view, chosen, 1, last - 1);
        }
        if (last > 0) {
            chosen[0] = chosen[last];
            take(view, chosen, 1);
        }
    }

    /** Chooses the newest row of each key; returns how many they are, or {@link #NOT_IN_ORDER}. */
    private int chooseInOrder(RowView view, int[] selected, int count) {
        long[] keysOf = view.keys;
        long[] times = view.times;
        int chose = 0;
        int i = 0;
        while (i < count) {
            int newest = selected[i++];
            long key = keysOf[newest];
            long newestTime = times[newest];
            while (i < count && keysOf[selected[i]] == key) {
                int row = selected[i++];
                long time = times[row];
                if (time > newestTime || (time == newestTime && precedesRow(view, row, newest))) {
                    newest = row;
                    newestTime = time;
                }
            }
            if (i < count && keysOf[selected[i]] < key) {
                return NOT_IN_ORDER;
            }
            chosen[chose++] = newest;
        }
        return chose;
    }

    /** As what becomes of the rows of a scan. */
    public RowCollector collector(RowSink sink) {
        return new RowCollector() {
            private final ResultRows part =
                    new ResultRows(layout, RowCopy.identity(layout), layout, Query.NO_LIMIT, sink);

            private boolean leaves;

            @Override
            public void comesByLeaves() {
                // Rows of one key may be of several texts.
                leaves = text == null;
            }

            @Override
            public boolean takesNewestOnly() {
                return text == null;
            }

            @Override
            public void add(RowView view, int[] selected, int count) {
                found(count);
                if (leaves) {
                    takeLeaf(view, selected, count, part);
                } else {
                    take(view, selected, count);
                }
            }

            @Override
            public void settled(long below) {
                if (keys >= settleAt && leastKey < below) {
                    settle(below, part);
                }
            }

            @Override
            public boolean done() {
                return part.done();
            }

            @Override
            public void finish() {
                handOver(part);
            }
        };
    }
}
