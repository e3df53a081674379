package io.waterwheel.query.condition;

import io.waterwheel.query.column.ColumnNode;

/**
 * In which order the terms of an AND are looked at: first those that leave out most rows for their work, as it was seen
 * in the rows before. What is true does not depend on it. Only neighbours that cannot fail change places: a term that
 * can, as a product that overflows, is asked of the same rows in any case. One thread.
 */
final class TermOrder {
    /** Work of a term that stays in its place. */
    private static final int FIXED = -1;
    /** About the work of a row, in that of a comparison of numbers: a set, a text, a pattern, and a polygon. */
    private static final int OF_SET = 2;

    private static final int OF_TEXT = 8;
    private static final int OF_PATTERN = 16;
    private static final int OF_POLYGON = 32;
    /** Rows that come to the terms before their order is judged. */
    private static final int ROWS_BETWEEN = 1 << 13;

    private final ColumnNode[] terms;
    private final int[] work;
    /** By term: rows that came to it and rows that it kept, of which half is forgotten at each judgement. */
    private final long[] seen;

    private final long[] kept;
    private long rows;
    private boolean anyMoves;

    TermOrder(ColumnNode[] terms) {
        this.terms = terms.clone();
        this.work = new int[terms.length];
        this.seen = new long[terms.length];
        this.kept = new long[terms.length];
        for (int t = 0; t < terms.length; t++) {
            work[t] = work(terms[t]);
            anyMoves |= t > 0 && work[t] != FIXED && work[t - 1] != FIXED;
        }
    }

    private static int work(ColumnNode term) {
        if (term instanceof FieldBounds || (term instanceof IsNullNode test && test.field() != null)) {
            return 1;
        } else if (term instanceof InNode in && in.isOfField()) {
            return in.texts().length == 0 ? OF_SET : OF_TEXT;
        } else if (term instanceof TextRangesNode
                || (term instanceof CompareNode compare && compare.comparedText() != null)) {
            return OF_TEXT;
        } else if (term instanceof LikeNode like && like.isOfField()) {
            return OF_PATTERN;
        } else if (term instanceof PolygonNode polygon && polygon.isOfFields()) {
            return OF_POLYGON;
        } else if (term instanceof LogicNode logic) {
            int all = 0;
            for (ColumnNode part : logic.terms()) {
                int work = work(part);
                all = work == FIXED || all == FIXED ? FIXED : all + work;
            }
            return all;
        }
        return FIXED;
    }

    /** The term at a place. */
    ColumnNode term(int place) {
        return terms[place];
    }

    /** Is told that of some rows that came to the term at a place some were kept. */
    void note(int place, int came, int stayed) {
        if (place == 0) {
            rows += came;
        }
        seen[place] += came;
        kept[place] += stayed;
    }

    /** Judges the order, if that is due: between two turns of all terms. */
    void judge() {
        if (!anyMoves || rows < ROWS_BETWEEN) {
            return;
        }
        rows = 0;
        for (int t = 1; t < terms.length; t++) {
            for (int at = t; at > 0 && work[at] != FIXED && work[at - 1] != FIXED && isBetter(at, at - 1); at--) {
                swap(at);
            }
        }
        for (int t = 0; t < terms.length; t++) {
            seen[t] >>= 1;
            kept[t] >>= 1;
        }
    }

    /** Whether a term takes less work for each row that it leaves out than another. */
    private boolean isBetter(int one, int other) {
        return work[one] * dropped(other) < work[other] * dropped(one);
    }

    /** The share of rows that a term leaves out; of a term to which few rows came, about half. */
    private double dropped(int term) {
        return (seen[term] - kept[term] + 1.0) / (seen[term] + 2.0);
    }

    private void swap(int at) {
        ColumnNode term = terms[at];
        terms[at] = terms[at - 1];
        terms[at - 1] = term;
        int itsWork = work[at];
        work[at] = work[at - 1];
        work[at - 1] = itsWork;
        long count = seen[at];
        seen[at] = seen[at - 1];
        seen[at - 1] = count;
        count = kept[at];
        kept[at] = kept[at - 1];
        kept[at - 1] = count;
    }
}
