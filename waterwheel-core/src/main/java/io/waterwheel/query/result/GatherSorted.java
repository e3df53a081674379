package io.waterwheel.query.result;

import io.waterwheel.query.Order;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.Query;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.rows.PagePosition;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.rows.RowOrder;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.rows.TopRows;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The first rows by an order. A part has the fields of the answer, then those of the order that are not among them.
 * Rows equal by the order go by the fields of the answer, so that the answer does not depend on where its rows lie.
 */
final class GatherSorted extends Gather {
    private final RowLayout stored;
    private final RowLayout answer;
    private final RowLayout part;
    /** Stored fields by field of a part. */
    private final int[] sources;

    private final RowOrder order;
    /** The field of a part that is ordered by first. */
    private final int first;

    private final int most;
    private final @Nullable PagePosition after;
    /** The fields and the order in words: a page's token is of these; null when there are no pages. */
    private final @Nullable String about;

    /**
     * Gathers sorted rows.
     *
     * @param select what the fields of the answer are, in words, for the tokens of pages; null when there are none
     * @param after where the page before ended; null when this is the first, or there are no pages
     */
    GatherSorted(
            RowLayout stored,
            int[] fields,
            List<Order> orders,
            long limit,
            @Nullable String select,
            @Nullable PageToken after) {
        this.stored = stored;
        this.answer = layout(fields(stored, fields));
        this.most = limit == Query.NO_LIMIT ? Integer.MAX_VALUE : (int) limit;
        ExpressionTypes types = new ExpressionTypes(stored.fields());
        List<Integer> all = new ArrayList<>();
        for (int field : fields) {
            all.add(field);
        }
        List<Integer> by = new ArrayList<>();
        boolean[] descending = new boolean[orders.size() + fields.length];
        for (Order one : orders) {
            int field = types.indexOf(one.field());
            if (!all.contains(field)) {
                all.add(field);
            }
            descending[by.size()] = one.descending();
            by.add(all.indexOf(field));
        }
        this.first = by.get(0);
        for (int f = 0; f < fields.length; f++) {
            by.add(f);
        }
        this.sources = all.stream().mapToInt(Integer::intValue).toArray();
        this.part = layout(fields(stored, sources));
        this.order = new RowOrder(part, by.stream().mapToInt(Integer::intValue).toArray(), descending);
        this.about =
                select == null ? null : select + " of " + inWords(part) + " by " + by + Arrays.toString(descending);
        this.after = after == null || about == null ? null : PagePosition.of(after, about, part);
    }

    private static String inWords(RowLayout layout) {
        return layout.fields().stream()
                .map(field -> field.name() + ' ' + field.type().schemaName() + (field.nullable() ? " or null" : ""))
                .collect(Collectors.joining(", "));
    }

    @Override
    public List<Field> fields() {
        return answer.fields();
    }

    @Override
    public RowLayout partLayout() {
        return part;
    }

    @Override
    public void needs(BitSet needed) {
        for (int field : sources) {
            needed.set(field);
        }
    }

    private TopRows rows(RowLayout from, int[] fields, int firstField, Workspace workspace) {
        return new TopRows(
                new RowCopy(from, fields, part),
                order,
                most,
                after,
                about,
                new ExpressionCompiler(from).field(firstField),
                firstField,
                workspace);
    }

    @Override
    public RowCollector collector(RowSink sink, Workspace workspace) {
        return rows(stored, sources, sources[first], workspace).collector(sink);
    }

    @Override
    public PartialMerge merge(Workspace workspace) {
        return rows(part, RowCopy.identity(part), first, workspace).merge(answer);
    }
}
