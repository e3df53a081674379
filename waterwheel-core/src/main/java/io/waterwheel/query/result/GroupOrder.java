package io.waterwheel.query.result;

import io.waterwheel.query.Order;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chooses groups by a condition, and orders and limits them: what HAVING, ORDER BY and LIMIT say of the finished answer
 * of all groups. Immutable; any thread.
 */
final class GroupOrder {
    private final RowLayout answer;
    private final @Nullable Expression having;
    private final GatherSorted sorted;
    private final boolean orderOfGroups;
    private final long limit;

    GroupOrder(ResultSpec.Aggregates wanted, RowLayout answer) {
        this.answer = answer;
        this.having = wanted.having();
        if (having != null) {
            new ExpressionTypes(answer.fields()).requireCondition(having);
        }
        int[] all = new int[answer.fields().size()];
        Arrays.setAll(all, f -> f);
        List<Order> orders = wanted.orderBy();
        this.orderOfGroups = orders.isEmpty();
        this.limit = wanted.limit();
        if (orders.isEmpty()) {
            // The fields of the answer come in the order of the groups.
            orders = answer.fields().stream()
                    .limit(1)
                    .map(Field::name)
                    .map(name -> new Order(name, false))
                    .toList();
        }
        this.sorted = new GatherSorted(answer, all, orders, wanted.limit(), null, null);
    }

    /** Whether the groups are wanted in their own order. */
    boolean isOrderOfGroups() {
        return orderOfGroups;
    }

    /** Takes the answer of all groups, in any order. */
    ChosenGroups chosen(Workspace workspace) {
        PartialMerge first = sorted.merge(workspace);
        return new ChosenGroups(
                workspace, sorted.collector(part -> first.accept(part, block -> true), workspace), first);
    }

    /** Takes the answer of all groups in their own order, and hands out those that are chosen at once. */
    ChosenGroups asTheyCome(Workspace workspace, RowSink sink) {
        int[] all = RowCopy.identity(answer);
        return new ChosenGroups(workspace, new GatherRows(answer, all, limit).collector(sink, workspace), null);
    }

    /** The groups that were chosen. One thread. */
    final class ChosenGroups implements RowSink {
        private final Workspace workspace;
        private final RowCollector collector;
        /** What puts them in order; null when they are. */
        private final @Nullable PartialMerge first;

        private final @Nullable ColumnNode condition;
        private int[] selected = {};

        private ChosenGroups(Workspace workspace, RowCollector collector, @Nullable PartialMerge first) {
            this.workspace = workspace;
            this.collector = collector;
            this.first = first;
            this.condition = having == null ? null : new ExpressionCompiler(answer).compile(having);
        }

        @Override
        public boolean accept(TupleBlock groups) {
            RowView view = RowView.of(groups, workspace);
            selected = workspace.renewed(selected, groups.size());
            int count = groups.size();
            for (int i = 0; i < count; i++) {
                selected[i] = i;
            }
            if (condition != null) {
                count = condition.keep(view, selected, count);
            }
            collector.add(view, selected, count);
            return !collector.done();
        }

        /** Hands out the chosen groups in their order. */
        void finish(RowSink sink) {
            collector.finish();
            if (first != null) {
                first.finish(sink);
            }
        }
    }
}
