package io.waterwheel.query.condition;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ConstantNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import java.util.Arrays;

/** AND and OR by SQL's three-valued logic; a later term is not looked at in rows that earlier terms decide. */
final class LogicNode extends ColumnNode {
    private final ColumnNode[] terms;
    /** The truth value that decides: 0 for AND, 1 for OR. */
    private final long deciding;
    /** Of an AND whose truths are not written down; an OR has none. */
    private final TermOrder order;

    LogicNode(ColumnNode[] terms, boolean and) {
        super(ValueType.BOOLEAN);
        this.terms = terms;
        for (ColumnNode term : terms) {
            ConstantNode.once(term);
        }
        this.deciding = and ? 0 : 1;
        this.order = new TermOrder(and ? terms : new ColumnNode[0]);
    }

    ColumnNode[] terms() {
        return terms;
    }

    boolean and() {
        return deciding == 0;
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        long[] truth = out.ownLongs(view);
        boolean[] nulls = out.ownNulls(view);
        out.anyNull = true;
        int[] open = view.workspace().takeInts(view.rows);
        System.arraycopy(selected, 0, open, 0, count);
        for (int i = 0; i < count; i++) {
            truth[selected[i]] = 1 - deciding;
            nulls[selected[i]] = false;
        }
        int left = count;
        for (ColumnNode term : terms) {
            term.evaluate(view, open, left);
            Values values = term.values();
            int still = 0;
            for (int i = 0; i < left; i++) {
                int row = open[i];
                if (values.isNull(row)) {
                    nulls[row] = true;
                    open[still++] = row;
                } else if (values.longs[row & values.rowMask] == deciding) {
                    truth[row] = deciding;
                    nulls[row] = false;
                } else {
                    open[still++] = row;
                }
            }
            left = still;
            term.release(view);
            if (left == 0) {
                break;
            }
        }
        view.workspace().give(open);
    }

    @Override
    public int keep(RowView view, int[] selected, int count) {
        return and() ? keepAll(view, selected, count) : keepAny(view, selected, count);
    }

    private int keepAll(RowView view, int[] selected, int count) {
        order.judge();
        int left = count;
        for (int t = 0; t < terms.length && left > 0; t++) {
            view.workspace().spend(left);
            int kept = order.term(t).keep(view, selected, left);
            order.note(t, left, kept);
            left = kept;
        }
        return left;
    }

    private int keepAny(RowView view, int[] selected, int count) {
        boolean[] hits = view.workspace().takeBooleans(view.rows);
        int[] open = view.workspace().takeInts(view.rows);
        int[] kept = view.workspace().takeInts(view.rows);
        for (int i = 0; i < count; i++) {
            hits[selected[i]] = false;
        }
        System.arraycopy(selected, 0, open, 0, count);
        int left = count;
        for (int t = 0; t < terms.length && left > 0; t++) {
            view.workspace().spend(left);
            System.arraycopy(open, 0, kept, 0, left);
            int found = terms[t].keep(view, kept, left);
            for (int i = 0; i < found; i++) {
                hits[kept[i]] = true;
            }
            int still = 0;
            for (int i = 0; i < left; i++) {
                int row = open[i];
                open[still] = row;
                still += hits[row] ? 0 : 1;
            }
            left = still;
        }
        int all = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            selected[all] = row;
            all += hits[row] ? 1 : 0;
        }
        view.workspace().give(hits);
        view.workspace().give(open);
        view.workspace().give(kept);
        return all;
    }

    @Override
    public String toString() {
        return (and() ? "and" : "or") + Arrays.toString(terms);
    }
}
