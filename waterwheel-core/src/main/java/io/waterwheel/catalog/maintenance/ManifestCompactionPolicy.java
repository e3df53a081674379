package io.waterwheel.catalog.maintenance;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Which streams' edits are rolled up now, so that ZooKeeper holds a bounded number of them: of each stream, of all
 * streams together, and none for ever. Stateless.
 *
 * @param settings of a stream that is rolled up for its own edits
 * @param total number of edits of all streams, those kept for followers that lag included; beyond it the largest
 *     streams are rolled up, and keep none
 * @param ageNanos an edit that is older is rolled up, however few there are
 */
public record ManifestCompactionPolicy(ManifestCompaction.Settings settings, long total, long ageNanos) {
    /** Fewer edits are not worth two files, unless they are old. */
    static final int LEAST = 8;

    /** A roll-up for the total stops at this part of it. Otherwise the next edit would be one too many again. */
    private static final double REFILL = 0.75;

    /**
     * The edits of one stream.
     *
     * @param behind edits that the manifest does not hold
     * @param kept edits that it holds and that are still there
     * @param ageNanos of the first of those behind; 0 when there are none
     */
    public record Backlog(int streamId, long behind, long kept, long ageNanos) {
        long edits() {
            return behind + kept;
        }
    }

    /**
     * What is to be done with one stream.
     *
     * @param least number of edits behind at which to roll up
     * @param tail number of edits that stay though they are rolled up
     */
    public record Due(int streamId, int least, int tail) {}

    public ManifestCompactionPolicy {
        if (total < 1 || ageNanos < 1) {
            throw new IllegalArgumentException("roll-up at " + total + " edits in all, of an age of " + ageNanos);
        }
    }

    /** The streams whose turn it is. */
    public List<Due> due(List<Backlog> backlogs) {
        List<Due> due = new ArrayList<>();
        List<Backlog> others = new ArrayList<>();
        long edits = 0;
        for (Backlog backlog : backlogs) {
            if (backlog.behind() >= settings.edits()) {
                due.add(new Due(backlog.streamId(), settings.edits(), settings.tail()));
                edits += Math.min(settings.tail(), backlog.edits());
            } else if (backlog.behind() > 0 && backlog.ageNanos() >= ageNanos) {
                due.add(new Due(backlog.streamId(), 1, 0));
            } else {
                others.add(backlog);
                edits += backlog.edits();
            }
        }
        if (edits > total) {
            others.sort(Comparator.comparingLong(Backlog::edits).reversed());
            for (Backlog backlog : others) {
                if (edits <= REFILL * total || backlog.edits() < LEAST) {
                    break;
                }
                due.add(new Due(backlog.streamId(), 1, 0));
                edits -= backlog.edits();
            }
        }
        return due;
    }
}
