package io.waterwheel.query.scan;

import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.schema.RowLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a scan of a chunk, or of trees, looks at, while it does; {@link ScanStatistics} has the meanings. One thread.
 */
@SuppressWarnings("EnumOrdinal") // an array by reason: it is counted for each leaf
final class ScanTally {
    /** Of {@link #pruneByField}: the reason is about no field, or about several. */
    static final int NO_FIELD = -1;

    private final RowLayout layout;
    private static final PruneReason[] REASONS = PruneReason.values();

    /** By reason, then by field, {@link #NO_FIELD} first; null for a reason that has pruned nothing. */
    private final long[] @Nullable [] pruned = new long[REASONS.length][];

    long leaves;
    long counted;
    long read;
    long unmatched;
    long tuples;
    ScanStatistics.Parts parts = ScanStatistics.Parts.NOTHING;

    ScanTally(RowLayout layout) {
        this.layout = layout;
    }

    /** Of the rows, whose fields it names. */
    RowLayout layout() {
        return layout;
    }

    /** A leaf that was pruned for a reason that is about no field. */
    void prune(PruneReason reason) {
        pruneSeveral(reason, 1);
    }

    /** The same of several leaves. */
    void pruneSeveral(PruneReason reason, long number) {
        if (number > 0) {
            of(reason)[NO_FIELD + 1] += number;
        }
    }

    /**
     * A leaf that was pruned.
     *
     * @param field index of the field that the reason is about, or {@link #NO_FIELD}
     */
    void pruneByField(PruneReason reason, int field) {
        of(reason)[field + 1]++;
    }

    private long[] of(PruneReason reason) {
        long[] numbers = pruned[reason.ordinal()];
        if (numbers == null) {
            numbers = new long[layout.fields().size() + 1];
            pruned[reason.ordinal()] = numbers;
        }
        return numbers;
    }

    ScanStatistics sum() {
        List<Pruning.Count> counts = new ArrayList<>();
        for (PruneReason reason : REASONS) {
            long[] numbers = pruned[reason.ordinal()];
            for (int field = NO_FIELD;
                    numbers != null && field < layout.fields().size();
                    field++) {
                long number = numbers[field + 1];
                if (number > 0) {
                    String name =
                            field == NO_FIELD ? "" : layout.fields().get(field).name();
                    counts.add(new Pruning.Count(reason.toString(), name, number));
                }
            }
        }
        return new ScanStatistics(leaves, new Pruning(counts), counted, read, unmatched, tuples, parts);
    }
}
