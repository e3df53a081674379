package io.waterwheel.sim;

import io.waterwheel.ingest.OffsetRanges;
import io.waterwheel.ingest.RefusedRow;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A partition's part of the dead-letter topic, as transactions make it: whole commits, of the last session only. */
final class Letters {
    private final int partition;
    private final OffsetRanges ranges = new OffsetRanges();
    private final Set<String> rows = new HashSet<>();
    private final Set<Long> offsets = new HashSet<>();
    private int sessions;

    Letters(int partition) {
        this.partition = partition;
    }

    /** Offsets of which a row is stored. */
    Set<Long> offsets() {
        return offsets;
    }

    /** Opens a session; those before can store nothing any more. */
    Session open() {
        OffsetRanges known = new OffsetRanges();
        known.addAll(ranges);
        return new Session(this, ++sessions, known);
    }

    /**
     * One life of a producer.
     *
     * @param stored ranges whose letters were stored before it
     */
    record Session(Letters topic, int number, OffsetRanges stored) {
        /** Stores letters, each once whatever happens; false when a later session has been opened. */
        boolean store(long since, long until, List<RefusedRow> letters) {
            if (number != topic.sessions) {
                return false;
            }
            for (RefusedRow letter : letters) {
                Oracle.check(
                        topic.rows.add(letter.offset() + "/" + letter.index()),
                        "partition %d: the dead letter of offset %d, row %d is stored twice",
                        topic.partition,
                        letter.offset(),
                        letter.index());
                topic.offsets.add(letter.offset());
            }
            topic.ranges.add(since, until);
            return true;
        }
    }
}
