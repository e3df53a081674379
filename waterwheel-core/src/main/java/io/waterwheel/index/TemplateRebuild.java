package io.waterwheel.index;

import io.waterwheel.model.RowLayout;

/**
 * Divides the tuples of a tree anew: finds the bounds of even leaves by selecting within the old leaves, which are in
 * order among each other, and copies the rows into new leaves aside. Sorts nothing; linear in the tuples. Scratch is
 * kept for the next rebuild. One thread at a time.
 */
final class TemplateRebuild {
    /** Pages copied at once: rows of few leaves in, long runs of the new leaves out. */
    private static final int BATCH_PAGES = LeafRuns.ROWS / Page.ROWS;

    /** Keys for which scratch is kept; a leaf of more is the exception. */
    private static final int KEPT_KEYS = 64 * 1024;

    private final RankSelect rankSelect = new RankSelect();
    private final LeafRuns batch = new LeafRuns();
    private final long[] batchKeys = new long[LeafRuns.ROWS];
    private final long[] batchTimes = new long[LeafRuns.ROWS];
    private byte[] batchPayload = new byte[0];
    private long[] keys = new long[0];
    private long[] spare = new long[0];

    /** The template that divides the tuples of these leaves evenly. */
    Template divide(Leaves old, long tuples, int leaves) {
        Division division = new Division(tuples, leaves);
        long rank = 0;
        for (int leaf = 0; leaf < old.count(); leaf++) {
            int size = old.size(leaf);
            if (division.nextRank() < rank + size) {
                gather(old, leaf, size);
                rankSelect.select(division, keys, spare, size, old.minKey(leaf), old.maxKey(leaf), rank);
            }
            rank += size;
        }
        if (keys.length > KEPT_KEYS) {
            keys = new long[0];
            spare = new long[0];
        }
        return division.template();
    }

    private void gather(Leaves old, int leaf, int size) {
        if (keys.length < size) {
            keys = new long[size + (size >> 2)];
            spare = new long[size + (size >> 2)];
        }
        Page[] pages = old.pages(leaf);
        for (int row = 0; row < size; row += Page.ROWS) {
            System.arraycopy(pages[row >>> Page.SHIFT].keys(), 0, keys, row, Math.min(Page.ROWS, size - row));
        }
    }

    /** Copies all rows into empty leaves. */
    void copy(Leaves old, Leaves fresh, RowLayout layout) {
        if (batchPayload.length < LeafRuns.ROWS * layout.payloadWidth()) {
            batchPayload = new byte[LeafRuns.ROWS * layout.payloadWidth()];
        }
        Template template = fresh.template();
        for (int leaf = 0; leaf < old.count(); leaf++) {
            int size = old.size(leaf);
            if (size == 0) {
                continue;
            }
            int first = template.leafOf(old.minKey(leaf));
            int last = template.leafOf(old.maxKey(leaf));
            Page[] pages = old.pages(leaf);
            // A page alone is enough when its rows make runs that are long; else more are laid side by side first.
            int step = last - first < LeafRuns.FEW_LEAVES ? 1 : BATCH_PAGES;
            batch.into(template, first, last);
            for (int row = 0; row < size; row += step * Page.ROWS) {
                int count = Math.min(step * Page.ROWS, size - row);
                int page = row >>> Page.SHIFT;
                if (step == 1) {
                    append(
                            fresh,
                            layout,
                            pages[page].keys(),
                            pages[page].times(),
                            pages[page].payload(),
                            Page.ROWS,
                            count);
                } else {
                    flatten(pages, page, count, layout);
                    append(fresh, layout, batchKeys, batchTimes, batchPayload, LeafRuns.ROWS, count);
                }
            }
        }
    }

    private void flatten(Page[] pages, int firstPage, int count, RowLayout layout) {
        for (int row = 0; row < count; row += Page.ROWS) {
            Page page = pages[firstPage + (row >>> Page.SHIFT)];
            int rows = Math.min(Page.ROWS, count - row);
            System.arraycopy(page.keys(), 0, batchKeys, row, rows);
            System.arraycopy(page.times(), 0, batchTimes, row, rows);
            int before = 0;
            for (int c = 0; c < layout.columns(); c++) {
                int width = layout.width(c);
                System.arraycopy(
                        page.payload(),
                        before * Page.ROWS,
                        batchPayload,
                        before * LeafRuns.ROWS + row * width,
                        rows * width);
                before += width;
            }
        }
    }

    /** Appends rows whose payload columns lie one after the other, each of {@code capacity} rows. */
    private void append(
            Leaves fresh,
            RowLayout layout,
            long[] fromKeys,
            long[] fromTimes,
            byte[] payload,
            int capacity,
            int count) {
        batch.group(fromKeys, count);
        fresh.placeRuns(fromKeys, fromTimes, batch);
        int before = 0;
        for (int c = 0; c < layout.columns(); c++) {
            int width = layout.width(c);
            batch.copyColumn(payload, before * capacity, width, before * Page.ROWS);
            before += width;
        }
        fresh.publishRuns(batch);
        batch.clear();
    }
}
