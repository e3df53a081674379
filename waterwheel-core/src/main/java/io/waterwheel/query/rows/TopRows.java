package io.waterwheel.query.rows;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.state.RowSummary;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import org.jspecify.annotations.Nullable;

/**
 * The first rows by an order, or the first behind a page: top-k. Rows that come after the last of them by the first
 * field, or before the end of the page before, are not even copied.
 *
 * <p>Rows that cannot be told apart from the page's last are kept, as many as there may be; of the answer as many are
 * left out as the pages before have had.
 */
public final class TopRows extends BoundedRows {
    /** Most rows of a page. */
    private final int limit;

    private final @Nullable PagePosition after;
    private final @Nullable String about;
    /** Most rows that are kept. */
    private final int most;

    private final ColumnNode first;
    private final int firstField;
    private final long leastPrefix;
    private long lastPrefix = Long.MAX_VALUE;
    private @Nullable PageToken next;
    private int[] candidates = {};

    /**
     * None yet.
     *
     * @param limit most rows of the answer; {@link Integer#MAX_VALUE} for all
     * @param after where the page before ended; null when this is the first
     * @param about fields and order in words, for the tokens of pages; null when there are none
     * @param first the field that is ordered by first, in terms of the source of the rows
     * @param firstField its index there
     */
    public TopRows(
            RowCopy copy,
            RowOrder order,
            int limit,
            @Nullable PagePosition after,
            @Nullable String about,
            ColumnNode first,
            int firstField,
            Workspace workspace) {
        super(copy, order, workspace);
        this.limit = limit;
        this.after = after;
        this.about = about;
        this.most = after == null || limit > Integer.MAX_VALUE - after.equal() ? limit : limit + after.equal();
        this.leastPrefix = after == null ? Long.MIN_VALUE : order.prefix(after.row(), 0);
        this.first = first;
        this.firstField = firstField;
    }

    @Override
    void add(RowView view, int[] selected, int count) {
        candidates = workspace().renewed(candidates, count);
        int kept = 0;
        first.evaluate(view, selected, count);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            candidates[kept] = row;
            long prefix = order().prefix(first.type(), first.values(), row);
            kept += prefix >= leastPrefix && prefix <= lastPrefix ? 1 : 0;
        }
        if (kept > 0 && most > 0) {
            keep(view, candidates, kept);
        }
    }

    @Override
    boolean mayTake(RowSummary rows) {
        boolean all = lastPrefix == Long.MAX_VALUE && leastPrefix == Long.MIN_VALUE;
        RowSummary.OfField known = all ? null : rows.field(firstField);
        return known == null
                || (order().leastPrefix(known) <= lastPrefix && order().greatestPrefix(known) >= leastPrefix);
    }

    @Override
    int cut(int[] sorted, int count) {
        int before = 0;
        if (after != null) {
            before = before(after, sorted, count);
            System.arraycopy(sorted, before, sorted, 0, count - before);
        }
        int staying = count - before;
        if (staying < most) {
            return staying;
        }
        if (most > 0) {
            lastPrefix = order().prefix(block(), sorted[most - 1]);
        }
        return most;
    }

    /** How many of sorted rows come before the end of a page. */
    private int before(PagePosition page, int[] sorted, int count) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (order().compare(block(), sorted[middle], page.row(), 0) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @Override
    int page(int[] sorted, int count) {
        int had = 0;
        if (after != null) {
            while (had < Math.min(count, after.equal()) && order().compare(block(), sorted[had], after.row(), 0) == 0) {
                had++;
            }
        }
        int rows = Math.min(limit, count - had);
        if (rows == limit && rows > 0 && about != null) {
            int last = had + rows - 1;
            int equal = 1;
            while (equal <= last && order().compare(block(), sorted[last], sorted[last - equal]) == 0) {
                equal++;
            }
            if (equal > ResultSpec.MAX_KEPT_ROWS) {
                throw new WaterwheelException(
                        ErrorCode.BAD_QUERY,
                        "page: more than " + ResultSpec.MAX_KEPT_ROWS
                                + " tuples are equal in all fields of the answer and the order; select a field that"
                                + " tells them apart");
            }
            next = PagePosition.token(about, block(), sorted[last], equal);
            if (next == null && after != null) {
                throw new WaterwheelException(
                        ErrorCode.BAD_QUERY,
                        "page: a page ends with a tuple that is too long for a token, about 70 KiB in the fields of"
                                + " the answer and the order; select fewer fields, or another number of tuples");
            }
        }
        System.arraycopy(sorted, had, sorted, 0, rows);
        return rows;
    }

    @Override
    @Nullable
    PageToken next() {
        return next;
    }

    @Override
    boolean allStay(int count) {
        return after == null && count < most;
    }

    @Override
    String remedy() {
        return after == null
                ? "add a limit, or narrow the query"
                : "take smaller pages, or select a field that tells equal tuples apart";
    }
}
