package io.waterwheel.query.rows;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The newest row of each key, of the parts that {@link NewestRows} makes. A part comes in the order of its keys, so its
 * blocks are kept as they are: a <i>run</i> lists its rows by key, time and place. Two runs are merged by one pass over
 * both, which looks at keys and times alone; a row is copied when it is handed out, and never looked for in a table.
 *
 * <p>A part that is not in order is several runs: nothing depends on it but time. One thread.
 */
public final class NewestMerge extends PartialMerge {
    /** Most bytes of rows that are kept. */
    private static final long MAX_BYTES = 128L << 20;
    /** Fewer rows of later parts wait until there are more, or until the end. */
    private static final int FEWEST_WAITING = 1 << 14;
    /** Rows that are merged, or copied, in one go. */
    private static final int STEP = 1 << 12;
    /** What blocks may take beyond twice the bytes of those that were kept last. */
    private static final long SPARE_BYTES = 4 << 20;
    /** Of a key, a time and a place. */
    private static final long LISTED_BYTES = 24;
    /** Of a segment without its rows, and of a run that it may be alone in. */
    private static final long SEGMENT_BYTES = 256;
    /** About what rows take that are put together at once. */
    private static final int TOGETHER_BYTES = 1 << 20;
    /** Rows of one block that follow each other are copied at once where they are as many at the mean. */
    private static final int LONG_STRETCH = 8;

    private static final int[] NO_ROWS = {};
    private static final Segment NONE = new Segment(0);

    private final RowLayout layout;
    private final RowLayout answer;
    private final RowOrder order;
    private final int keyColumn;
    private final int timeColumn;
    /** Of the text that keys are made from; -1 where there is none. */
    private final int textColumn;

    private final byte @Nullable [] onlyText;
    private final Workspace workspace;
    private final Reservation memory;

    private List<TupleBlock> blocks = new ArrayList<>();
    private long blockBytes;
    private List<Run> runs = new ArrayList<>();
    /** What the blocks took when those that no longer count were last looked for. */
    private long keptBytes;
    /** Of all runs. */
    private long rows;
    /** Of the first run, which was merged. */
    private long merged;

    /**
     * Rows of a run that follow each other, by key, time and place: the block's number, and below it the row's there.
     */
    private static final class Segment {
        final long[] keys;
        final long[] times;
        final long[] places;
        int size;

        Segment(int rows) {
            keys = new long[rows];
            times = new long[rows];
            places = new long[rows];
        }
    }

    /** Rows in order, each of another key. In segments, which need not be moved when there are more. */
    private static final class Run {
        final List<Segment> segments = new ArrayList<>();
        int size;

        Segment last() {
            return segments.get(segments.size() - 1);
        }
    }

    /** A place in a run that goes on. */
    private static final class Reader {
        private final Iterator<Segment> segments;
        private Segment in = NONE;
        private int at;

        Reader(Run run) {
            segments = run.segments.iterator();
            skip();
        }

        boolean hasRow() {
            return at < in.size;
        }

        void next() {
            at++;
            if (at == in.size) {
                skip();
            }
        }

        private void skip() {
            while (at == in.size && segments.hasNext()) {
                in = segments.next();
                at = 0;
            }
        }

        long key() {
            return in.keys[at];
        }

        long time() {
            return in.times[at];
        }

        long place() {
            return in.places[at];
        }
    }

    /**
     * None yet.
     *
     * @param layout of the parts: the fields of the answer, maybe others, then key and time
     * @param answer its first fields
     * @param order by key, by the text that the key is made from when there is one, then newest first
     * @param textField index of that text, or -1
     * @param onlyText the only text that can match, or null when there may be others
     */
    public NewestMerge(
            RowLayout layout,
            RowLayout answer,
            RowOrder order,
            int textField,
            byte @Nullable [] onlyText,
            Workspace workspace) {
        this.layout = layout;
        this.answer = answer;
        this.order = order;
        int fields = layout.fields().size();
        this.keyColumn = layout.columnOf(fields - 2);
        this.timeColumn = layout.columnOf(fields - 1);
        this.textColumn = textField < 0 ? -1 : layout.columnOf(textField);
        this.onlyText = onlyText;
        this.workspace = workspace;
        this.memory = workspace.memory();
    }

    @Override
    public boolean accept(TupleBlock part, RowSink sink) {
        if (part.size() == 0) {
            return true;
        }
        workspace.spend(4L * part.size());
        if (!memory.tryReserve(part.allocatedBytes())) {
            giveUpBlocks();
            memory.reserve(part.allocatedBytes());
        }
        blockBytes += part.allocatedBytes();
        blocks.add(part);
        list(part, blocks.size() - 1);
        if (runs.size() == 1) {
            merged = rows;
        }
        if (blockBytes > Math.min(2 * keptBytes, Math.max(MAX_BYTES - SPARE_BYTES, keptBytes)) + SPARE_BYTES) {
            giveUpBlocks();
        } else if (rows - merged > Math.max(FEWEST_WAITING, merged)) {
            mergeAll();
        }
        return true;
    }

    /** Puts the rows of a block behind the last run, or where they do not follow on it into runs of their own. */
    private void list(TupleBlock block, int number) {
        int size = block.size();
        memory.reserve(LISTED_BYTES * size);
        Segment whole = new Segment(size);
        copyLongs(block, keyColumn, whole.keys);
        copyLongs(block, timeColumn, whole.times);
        for (int row = 0; row < size; row++) {
            whole.places[row] = place(number, row);
        }
        int from = 0;
        for (int row = 1; row <= size; row++) {
            if (row == size || !follows(whole, row - 1, whole, row)) {
                add(whole, from, row);
                from = row;
            }
        }
        rows += size;
    }

    private static void copyLongs(TupleBlock block, int column, long[] to) {
        ByteBuffer.wrap(block.column(column), 0, to.length * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(to);
    }

    /** Adds rows that are in order: all of a segment as it is. */
    private void add(Segment of, int from, int to) {
        memory.reserve(SEGMENT_BYTES);
        Segment added = to - from == of.keys.length ? of : cut(of, from, to);
        added.size = to - from;
        Run run = runs.isEmpty() ? null : runs.get(runs.size() - 1);
        if (run == null || !follows(run.last(), run.last().size - 1, added, 0)) {
            run = new Run();
            runs.add(run);
        }
        run.segments.add(added);
        run.size += added.size;
    }

    private static Segment cut(Segment of, int from, int to) {
        Segment part = new Segment(to - from);
        System.arraycopy(of.keys, from, part.keys, 0, to - from);
        System.arraycopy(of.times, from, part.times, 0, to - from);
        System.arraycopy(of.places, from, part.places, 0, to - from);
        part.size = to - from;
        return part;
    }

    /** Whether a row may stand behind another in a run. */
    private boolean follows(Segment before, int last, Segment after, int row) {
        long key = before.keys[last];
        long next = after.keys[row];
        return next > key
                || (next == key && textColumn >= 0 && compareTexts(before.places[last], after.places[row]) < 0);
    }

    /** Makes one run of all. */
    private void mergeAll() {
        // The first one may be as long as all others together: these are merged with each other before.
        while (runs.size() > 2) {
            List<Run> fewer = new ArrayList<>(runs.size() / 2 + 1);
            fewer.add(runs.get(0));
            for (int at = 1; at < runs.size(); at += 2) {
                fewer.add(at + 1 < runs.size() ? merged(runs.get(at), runs.get(at + 1)) : runs.get(at));
            }
            runs = fewer;
        }
        if (runs.size() == 2) {
            runs = new ArrayList<>(List.of(merged(runs.get(0), runs.get(1))));
        }
        rows = runs.isEmpty() ? 0 : runs.get(0).size;
        merged = rows;
        if (rows > ResultSpec.MAX_KEPT_ROWS) {
            throw new WaterwheelException(
                    ErrorCode.RESULT_TOO_LARGE,
                    "query: latest 1 of each key are more than " + ResultSpec.MAX_KEPT_ROWS + " tuples; "
                            + NewestRows.REMEDY);
        }
    }

    /** One run in place of two. */
    private Run merged(Run left, Run right) {
        Run both = merge(left, right);
        memory.release(bytes(left) + bytes(right));
        return both;
    }

    private static long bytes(Run run) {
        return LISTED_BYTES * run.size + SEGMENT_BYTES * run.segments.size();
    }

    private Run merge(Run left, Run right) {
        Run both = new Run();
        Reader l = new Reader(left);
        Reader r = new Reader(right);
        while (l.hasRow() || r.hasRow()) {
            int most = (int) Math.min(STEP, (long) left.size + right.size - both.size);
            workspace.spend(4L * most);
            memory.reserve(LISTED_BYTES * most + SEGMENT_BYTES);
            Segment step = new Segment(most);
            while (step.size < most && l.hasRow() && r.hasRow()) {
                int compared = compareKeys(l, r);
                if (compared == 0) {
                    boolean stays = leftStays(l, r);
                    move(stays ? l : r, step);
                    (stays ? r : l).next();
                } else {
                    move(compared < 0 ? l : r, step);
                }
            }
            Reader rest = l.hasRow() ? l : r;
            while (step.size < most && rest.hasRow() && !(l.hasRow() && r.hasRow())) {
                move(rest, step);
            }
            if (step.size < most) {
                step = cut(step, 0, step.size);
                memory.release(LISTED_BYTES * (most - step.size));
            }
            both.segments.add(step);
            both.size += step.size;
        }
        return both;
    }

    private static void move(Reader from, Segment to) {
        to.keys[to.size] = from.key();
        to.times[to.size] = from.time();
        to.places[to.size++] = from.place();
        from.next();
    }

    /** By key, and by text where keys are made from that. */
    private int compareKeys(Reader left, Reader right) {
        long key = left.key();
        long other = right.key();
        if (key != other || textColumn < 0) {
            return Long.compare(key, other);
        }
        return compareTexts(left.place(), right.place());
    }

    private int compareTexts(long place, long other) {
        TupleBlock one = block(place);
        TupleBlock two = block(other);
        long text = text(one, (int) place);
        long otherText = text(two, (int) other);
        int from = TupleBlock.referenceOffset(text);
        int otherFrom = TupleBlock.referenceOffset(otherText);
        return Arrays.compareUnsigned(
                one.arena(),
                from,
                from + TupleBlock.referenceLength(text),
                two.arena(),
                otherFrom,
                otherFrom + TupleBlock.referenceLength(otherText));
    }

    private long text(TupleBlock block, int row) {
        return LittleEndian.getLong(block.column(textColumn), row * 8);
    }

    private TupleBlock block(long place) {
        return blocks.get(number(place));
    }

    /**
     * Whether the left one of two rows of a key comes first, or both are equal; of the same time, what is left of the
     * order tells.
     */
    private boolean leftStays(Reader left, Reader right) {
        long time = left.time();
        long other = right.time();
        if (time != other) {
            return time > other;
        }
        long place = left.place();
        long otherPlace = right.place();
        return order.compare(block(place), (int) place, block(otherPlace), (int) otherPlace) <= 0;
    }

    /** Merges, and copies the rows that are left where many others lie between them. */
    private void giveUpBlocks() {
        mergeAll();
        long held = 0;
        for (TupleBlock block : blocks) {
            held += block.size();
        }
        if (runs.isEmpty() || (held <= rows + rows / 4 && blockBytes <= MAX_BYTES)) {
            keptBytes = blockBytes;
            return;
        }
        List<TupleBlock> kept = new ArrayList<>();
        handOut(layout, block -> {
            memory.reserve(block.allocatedBytes());
            kept.add(block);
            return true;
        });
        memory.release(blockBytes);
        blocks = kept;
        blockBytes = 0;
        long bytes = 0;
        for (TupleBlock block : kept) {
            blockBytes += block.allocatedBytes();
            bytes += block.bytes();
        }
        keptBytes = blockBytes;
        placeAnew(runs.get(0), kept);
        if (bytes > MAX_BYTES) {
            throw new WaterwheelException(
                    ErrorCode.RESULT_TOO_LARGE,
                    "query: " + (MAX_BYTES >> 20)
                            + " MiB of rows would have to be held to find the newest of each key, and there are more; "
                            + NewestRows.REMEDY);
        }
    }

    /** Tells where the rows of a run are, which lie in these blocks in their order. */
    private static void placeAnew(Run run, List<TupleBlock> blocks) {
        int number = 0;
        int row = 0;
        for (Segment segment : run.segments) {
            for (int i = 0; i < segment.size; i++) {
                if (row == blocks.get(number).size()) {
                    number++;
                    row = 0;
                }
                segment.places[i] = place(number, row++);
            }
        }
    }

    private static long place(int number, int row) {
        return (long) number << 32 | row;
    }

    private static int number(long place) {
        return (int) (place >>> 32);
    }

    /** Hands the rows of the only run out, by their first fields. */
    private void handOut(RowLayout target, RowSink sink) {
        ResultRows out = new ResultRows(layout, RowCopy.identity(target), target, Query.NO_LIMIT, sink);
        if (!runs.isEmpty()) {
            new Copying(out).run(runs.get(0));
        }
        out.finish();
    }

    /** Copies the rows of a run, segment by segment. */
    private final class Copying {
        private final ResultRows out;
        private final RowView[] views = new RowView[blocks.size()];
        private int[] selected = NO_ROWS;

        /** By block: the number of its group, from 1 on; 0 when it has no row in the segment. */
        private final int[] groupOf = new int[blocks.size()];
        /** By group: its block, and where its next row goes. */
        private int[] numbers = NO_ROWS;

        private int[] next = NO_ROWS;
        private final TupleBlock together = new TupleBlock(layout, 16);
        private final RowCopy whole = new RowCopy(layout, RowCopy.identity(layout), layout);
        private long togetherBytes = together.allocatedBytes();

        Copying(ResultRows out) {
            this.out = out;
            memory.reserve(togetherBytes + 4L * groupOf.length);
        }

        void run(Run run) {
            for (Segment segment : run.segments) {
                if (out.done()) {
                    break;
                }
                workspace.spend((long) segment.size * layout.rowWidth());
                selected = workspace.renewed(selected, segment.size);
                if (stretches(segment) <= 1 + segment.size / LONG_STRETCH) {
                    copyStretches(segment);
                } else {
                    copyGroups(segment);
                }
            }
            memory.release(
                    togetherBytes + 4L * (groupOf.length + selected.length + numbers.length + (long) next.length));
        }

        /** How many times the rows change to another block, and one. */
        private static int stretches(Segment segment) {
            int stretches = 1;
            for (int i = 1; i < segment.size; i++) {
                stretches += number(segment.places[i]) == number(segment.places[i - 1]) ? 0 : 1;
            }
            return stretches;
        }

        private void copyStretches(Segment segment) {
            int i = 0;
            while (i < segment.size) {
                int number = number(segment.places[i]);
                int some = 0;
                while (i < segment.size && number(segment.places[i]) == number) {
                    selected[some++] = (int) segment.places[i++];
                }
                out.add(view(number), selected, some);
            }
        }

        private RowView view(int number) {
            RowView view = views[number];
            if (view == null) {
                view = RowView.of(blocks.get(number), workspace);
                views[number] = view;
            }
            return view;
        }

        /**
         * Copies rows that change between blocks all the time. A copy of a few rows takes as long as one of many: so
         * the rows of one block are first put together, and then taken from there in their order.
         */
        private void copyGroups(Segment segment) {
            numbers = workspace.renewed(numbers, segment.size);
            next = workspace.renewed(next, segment.size + 1);
            int from = 0;
            while (from < segment.size && !out.done()) {
                long bytes = 0;
                int arena = 0;
                int to = from;
                while (to < segment.size && bytes < TOGETHER_BYTES) {
                    int own = layout.hasVariable() ? arenaBytes(segment.places[to]) : 0;
                    arena += own;
                    bytes += own + layout.rowWidth();
                    to++;
                }
                copyGroups(segment.places, from, to - from, arena);
                from = to;
            }
        }

        private int arenaBytes(long place) {
            return whole.arenaBytes(view(number(place)), (int) place);
        }

        private void copyGroups(long[] places, int from, int count, int arena) {
            Arrays.fill(next, 0, count + 1, 0);
            int groups = 0;
            for (int i = from; i < from + count; i++) {
                int number = number(places[i]);
                if (groupOf[number] == 0) {
                    numbers[groups++] = number;
                    groupOf[number] = groups;
                }
                next[groupOf[number]]++;
            }
            for (int group = 1; group <= groups; group++) {
                next[group] += next[group - 1];
            }
            // A group begins where the one before ends.
            for (int i = from; i < from + count; i++) {
                selected[next[groupOf[number(places[i])] - 1]++] = (int) places[i];
            }
            makeRoom(count, arena);
            int first = 0;
            for (int group = 0; group < groups; group++) {
                whole.copy(view(numbers[group]), selected, first, next[group] - first, together);
                first = next[group];
            }
            // Where the groups begin, once more.
            System.arraycopy(next, 0, next, 1, groups);
            next[0] = 0;
            for (int i = 0; i < count; i++) {
                selected[i] = next[groupOf[number(places[from + i])] - 1]++;
            }
            for (int group = 0; group < groups; group++) {
                groupOf[numbers[group]] = 0;
            }
            out.add(RowView.of(together, workspace), selected, count);
        }

        private void makeRoom(int count, int arena) {
            together.clear();
            // While an array grows both are there, the old one and the new.
            long growth = together.growthBytes(count, arena);
            memory.reserve(growth);
            together.ensureRows(count);
            together.ensureArena(arena);
            if (growth > 0) {
                long now = together.allocatedBytes();
                memory.replace(togetherBytes + growth, now);
                togetherBytes = now;
            }
        }
    }

    @Override
    public long finish(RowSink sink) {
        mergeAll();
        handOut(answer, sink);
        return rows;
    }

    @Override
    public boolean canSettle(List<KeyInterval> asked) {
        // Keys that are too many to look at each, or unknown, never do.
        return textColumn < 0 ? areFew(asked) : onlyText != null;
    }

    @Override
    public long settledBefore(List<KeyInterval> asked) {
        if (!canSettle(asked)) {
            return Long.MIN_VALUE;
        }
        mergeAll();
        if (runs.isEmpty()) {
            return Long.MIN_VALUE;
        }
        Run run = runs.get(0);
        return onlyText == null ? leastTime(asked, key -> time(run, key)) : time(run, onlyText);
    }

    private static long time(Run run, long key) {
        for (Segment segment : run.segments) {
            if (key <= segment.keys[segment.size - 1]) {
                int at = Arrays.binarySearch(segment.keys, 0, segment.size, key);
                return at < 0 ? Long.MIN_VALUE : segment.times[at];
            }
        }
        return Long.MIN_VALUE;
    }

    /** Any number of texts may share a key, so only one that was named can be told to have its row. */
    private long time(Run run, byte[] asked) {
        for (Reader row = new Reader(run); row.hasRow(); row.next()) {
            TupleBlock block = block(row.place());
            long text = text(block, (int) row.place());
            int from = TupleBlock.referenceOffset(text);
            int to = from + TupleBlock.referenceLength(text);
            if (Arrays.equals(block.arena(), from, to, asked, 0, asked.length)) {
                return row.time();
            }
        }
        return Long.MIN_VALUE;
    }
}
