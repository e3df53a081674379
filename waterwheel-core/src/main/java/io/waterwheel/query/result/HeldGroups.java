package io.waterwheel.query.result;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.rows.RowOrder;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The groups of a scan or of a merge with the states of their aggregates, as long as they are in memory. When they take
 * too much, they are handed on, and it begins anew. One thread.
 */
final class HeldGroups {
    /** Fewer bytes are not worth handing on: runs of so little would be without number. A part of what a query has. */
    private static final int LEAST_SHARE = 16;

    private static final long MOST_LEAST_BYTES = 4 << 20;
    /** What writing a run takes beside the groups: a block, and the bytes of another. */
    private static final long WRITING_BYTES = 512 << 10;
    /** What looking at a block of a part takes. */
    private static final long READING_BYTES = 128 << 10;

    private final GatherGroups gather;
    private final Workspace workspace;
    /** Of these groups alone. */
    private final Reservation memory;

    private GroupTable table;
    /** Of these, what the states hold. */
    private long ofStates;
    /** One list, whose states are made anew: others hold it too. */
    private final List<AggregateState> states;

    HeldGroups(GatherGroups gather, Workspace workspace) {
        this.gather = gather;
        this.workspace = workspace;
        this.memory = workspace.memory().attached();
        this.table = gather.table(memory);
        this.states = new ArrayList<>(gather.states());
    }

    /** Forgets all groups, and gives back what they took. */
    void clear() {
        memory.release(memory.used());
        table = gather.table(memory);
        ofStates = 0;
        states.clear();
        states.addAll(gather.states());
    }

    GroupTable table() {
        return table;
    }

    /** The states of the aggregates, in their order. */
    List<AggregateState> states() {
        return states;
    }

    /**
     * Reserves what the states hold now; to be called after they have taken a page, a leaf or a block.
     *
     * @throws io.waterwheel.error.WaterwheelException of kind USER when it is too much
     */
    void reserveStates() {
        long bytes = 0;
        for (AggregateState state : states) {
            bytes += state.bytes();
        }
        AggregateState.requireRoom(bytes);
        if (bytes != ofStates) {
            memory.replace(ofStates, bytes);
            ofStates = bytes;
        }
    }

    private long leastBytes() {
        return Math.min(MOST_LEAST_BYTES, memory.most() / LEAST_SHARE);
    }

    /** Whether there are nearly as many as there may be, or their values take so much, whatever the query has. */
    private boolean isNearALimit(int rows) {
        return table.groups() > 0
                && (table.groups() + rows > GroupTable.MAX_GROUPS
                        || table.keyBytes() > GroupTable.MAX_KEY_BYTES / 2
                        || ofStates > AggregateState.MAX_BYTES / 2);
    }

    /**
     * Whether these groups had better be handed on before others come: there are nearly as many as there may be, or
     * little is left to the query.
     *
     * @param rows most groups that come
     */
    boolean isFull(int rows) {
        long used = memory.used();
        return isNearALimit(rows) || (table.groups() > 0 && used >= leastBytes() && memory.left() < 2 * used);
    }

    /**
     * Takes memory before others take all of it: enough to begin, and to write what is held then. Where much is taken
     * already, nothing is: most queries have few groups, and together they would hold what others need.
     */
    void keepRoom() {
        if (memory.left() < memory.most() / 2 || !memory.tryKeep(roomFor(leastBytes(), 0))) {
            memory.releaseKept();
        }
    }

    /** What is needed while it grows, by doubling, to put it in order then, and to write it. */
    private static long roomFor(long used, long bytes) {
        return 2 * used + 4 * bytes + WRITING_BYTES;
    }

    /**
     * Takes the memory that merging a part may need, and putting the groups in order after that; others cannot take it
     * then.
     *
     * @return whether there is that much; if not, what is held is to be written first, for which there is memory
     */
    boolean hasRoomFor(TupleBlock part) {
        long used = memory.used();
        return !isNearALimit(part.size())
                && (memory.tryKeep(roomFor(used, part.allocatedBytes())) || used < leastBytes());
    }

    /** Gives back what is kept for groups to come. */
    void releaseKept() {
        memory.releaseKept();
    }

    /** What is grouped by, a row a group. */
    TupleBlock values() {
        int count = table.groups();
        RowLayout layout = RowLayout.ofFields(gather.answerLayout().fields().subList(0, gather.groupColumns()));
        memory.reserve(count * (layout.rowWidth() + 8L) + table.keyBytes());
        TupleBlock values = new TupleBlock(layout, count);
        values.ensureArena(table.keyBytes());
        for (int group = 0; group < count; group++) {
            if (layout.nullMaskColumn() >= 0) {
                values.setNullMask(group, 0);
            }
            table.write(group, values, group);
        }
        values.setSize(count);
        return values;
    }

    /** The groups in the order of their values. */
    int[] sorted(TupleBlock values) {
        int[] sorted = IntStream.range(0, values.size()).toArray();
        int[] by = IntStream.range(0, gather.groupColumns()).toArray();
        new RowOrder(values.layout(), by, new boolean[by.length])
                .sort(values, sorted, sorted.length, workspace.with(memory));
        return sorted;
    }

    /** Merges blocks of parts into groups. One thread, that of the groups. */
    final class PartReader {
        private final ColumnNode[] groups = new ColumnNode[gather.groupColumns()];
        private final Values[] keys = new Values[groups.length];
        private final Workspace reading;
        private int[] groupOf = {};

        PartReader() {
            Reservation own = workspace.memory().attached();
            boolean unused = own.tryKeep(READING_BYTES);
            reading = workspace.with(own);
            ExpressionCompiler compiler = new ExpressionCompiler(gather.partLayout());
            for (int g = 0; g < groups.length; g++) {
                groups[g] = compiler.field(g);
                keys[g] = groups[g].values();
            }
        }

        void merge(TupleBlock part) {
            int[] all = new int[part.size()];
            Arrays.setAll(all, i -> i);
            RowView view = RowView.of(part, reading);
            for (ColumnNode group : groups) {
                group.evaluate(view, all, all.length);
            }
            groupOf = reading.renewed(groupOf, all.length);
            table.find(keys, all, all.length, groupOf);
            int field = groups.length;
            for (AggregateState state : states) {
                state.groups(table.groups());
                state.merge(part, field, groupOf);
                field += state.columns().size();
            }
            reserveStates();
        }
    }
}
