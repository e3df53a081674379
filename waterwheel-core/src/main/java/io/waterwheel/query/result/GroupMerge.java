package io.waterwheel.query.result;

import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.memory.SpillDisk;
import io.waterwheel.query.rows.PartialBlockWriter;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Merges the parts of aggregates, and hands out the answer in the order of the groups. What does not fit into memory
 * goes to disk, where there is one for it. One thread at a time.
 */
final class GroupMerge extends PartialMerge {
    private final GatherGroups gather;
    private final Workspace workspace;
    private final HeldGroups held;
    private final HeldGroups.PartReader parts;
    /** Null when all groups must fit into memory. */
    private final @Nullable SpillDisk disk;

    private @Nullable GroupRuns runs;
    private long found;

    GroupMerge(GatherGroups gather, Workspace workspace) {
        this.gather = gather;
        this.workspace = workspace;
        this.held = new HeldGroups(gather, workspace);
        this.parts = held.new PartReader();
        // Gaps are filled series by series, of groups that are all there.
        boolean mayGo = gather.groupColumns() > 0 && gather.wanted().fill() == null;
        this.disk = mayGo ? workspace.memory().disk() : null;
        if (disk != null) {
            // Before anything is read: readers that are refused memory wait for this merge, which must go on.
            held.keepRoom();
        }
    }

    @Override
    public boolean accept(TupleBlock part, RowSink sink) {
        SpillDisk to = disk;
        if (to != null && !held.hasRoomFor(part)) {
            spill(to);
            boolean unused = held.hasRoomFor(part);
        }
        parts.merge(part);
        return true;
    }

    private GroupRuns spill(SpillDisk to) {
        GroupRuns into = runs;
        if (into == null) {
            into = new GroupRuns(gather, workspace, to);
            runs = into;
        }
        into.add(held);
        return into;
    }

    @Override
    public void found(long rows) {
        found += rows;
    }

    @Override
    public long finish(RowSink sink) {
        for (AggregateState state : held.states()) {
            state.groups(held.table().groups());
        }
        if (runs == null) {
            held.releaseKept();
        }
        GroupOrder order = gather.order();
        if (order == null) {
            write(sink, true);
        } else {
            // Gaps are filled of groups that are all there.
            boolean asTheyCome = order.isOrderOfGroups() && gather.wanted().fill() == null;
            GroupOrder.ChosenGroups chosen = asTheyCome ? order.asTheyCome(workspace, sink) : order.chosen(workspace);
            write(chosen, asTheyCome);
            chosen.finish(sink);
        }
        return found;
    }

    /** Writes the fields of the answer, of all groups and of gaps that are filled. */
    private void write(RowSink sink, boolean inOrder) {
        AnswerRows rows = new AnswerRows(new PartialBlockWriter(gather.answerLayout(), sink));
        ResultSpec.Aggregates wanted = gather.wanted();
        SpillDisk to = disk;
        boolean more = true;
        if (wanted.fill() != null) {
            new GapFill(wanted, gather.times(), gather.answerLayout(), held, workspace).write(rows);
        } else if (runs != null && to != null) {
            boolean[] wantsMore = {true};
            GroupRuns all = spill(to);
            held.releaseKept();
            all.finish(groups -> {
                wantsMore[0] = rows.all(
                        groups, IntStream.range(0, groups.table().groups()).toArray());
                return wantsMore[0];
            });
            more = wantsMore[0];
        } else {
            more = rows.all(
                    held,
                    inOrder && gather.groupColumns() > 0
                            ? held.sorted(held.values())
                            : IntStream.range(0, held.table().groups()).toArray());
        }
        if (more) {
            rows.blocks.finish();
        }
    }

    /** The rows of the answer, one after the other. */
    private final class AnswerRows implements GapFill.Rows {
        final PartialBlockWriter blocks;

        AnswerRows(PartialBlockWriter blocks) {
            this.blocks = blocks;
        }

        /** Writes these groups; false when no more are wanted. */
        boolean all(HeldGroups of, int[] groups) {
            for (int group : groups) {
                if (!group(of, group)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public boolean group(int group) {
            return group(held, group);
        }

        private boolean group(HeldGroups of, int group) {
            List<AggregateState> states = of.states();
            for (AggregateState state : states) {
                workspace.spend(state.answerNanos(group));
            }
            TupleBlock block = blocks.row();
            int row = block.size();
            of.table().write(group, block, row);
            int field = gather.groupColumns();
            for (AggregateState state : states) {
                if (!state.writeAnswer(block, row, field, group)) {
                    AggregateState.setNull(block, row, field);
                }
                field++;
            }
            return blocks.wrote();
        }

        @Override
        public TupleBlock row() {
            return blocks.row();
        }

        @Override
        public boolean wrote() {
            return blocks.wrote();
        }
    }
}
