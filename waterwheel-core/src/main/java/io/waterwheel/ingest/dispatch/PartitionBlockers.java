package io.waterwheel.ingest.dispatch;

import io.waterwheel.protocol.Control;
import io.waterwheel.protocol.PartitionTrouble;
import io.waterwheel.protocol.PartitionTrouble.Kind;
import io.waterwheel.schema.BadRecords;

/**
 * Why a partition, or a part of it, stands still: bad records that its stream's policy does not pass, a log that does
 * not hold what is needed, another log. Owner: the dispatcher's thread.
 */
final class PartitionBlockers {
    /** Records after which the older half of the count is forgotten. */
    private static final long HALF_WINDOW = 500_000;
    /** Positions at which reading stands: live reading's, and those of channels that lag. */
    private static final int MAX_STOPS = 16;
    /** Between two looks whether a schema has come. */
    private static final long SCHEMA_NANOS = 100_000_000;

    private final long[] stops = new long[MAX_STOPS];
    private int stopCount;
    /** Whether one of them waits for a schema. */
    private boolean awaits;

    private long awaitedNanos;
    private PartitionTrouble stopReason = PartitionTrouble.NONE;
    private long passedTo = Long.MIN_VALUE;
    private PartitionTrouble gap = PartitionTrouble.NONE;
    private PartitionTrouble anotherLog = PartitionTrouble.NONE;
    private PartitionTrouble unseen = PartitionTrouble.NONE;

    private long records;
    private long refused;
    private long olderRecords;
    private long olderRefused;

    /** Counts records that were decoded. */
    void decoded(int count) {
        records += count;
        if (records >= HALF_WINDOW) {
            olderRecords = records;
            olderRefused = refused;
            records = 0;
            refused = 0;
        }
    }

    /** An indexer has passed what lies below this offset: it was decided, and is not decided again. */
    void passed(long offset) {
        if (offset > passedTo) {
            passedTo = offset;
            clear();
        }
    }

    /** Whether reading may go on past a refused record. One that was passed before passes. */
    boolean passes(RefusedRow first, BadRecords policy, DeadLetterQueue letters) {
        if (policy.equals(BadRecords.SKIP) || first.offset() < passedTo || letters.isStored(first.offset())) {
            return true;
        }
        if (policy.halts(refused + olderRefused, records + olderRecords)) {
            stop(first.offset());
            stopReason = new PartitionTrouble(
                    Kind.RECORD_REFUSED,
                    "halted before offset " + first.offset() + (first.index() < 0 ? "" : ", row " + first.index())
                            + ": " + first.reason() + "; its policy is dead-letters=" + policy);
            return false;
        }
        refused++;
        return true;
    }

    /** The record at an offset cannot be decoded before its schema is there. */
    void await(long offset, String why, long now) {
        stop(offset);
        awaits = true;
        awaitedNanos = now;
        if (stopReason.isNone()) {
            stopReason = new PartitionTrouble(Kind.SCHEMA_AWAITED, "waits before offset " + offset + ": " + why);
        }
    }

    /** Whether it is time to look whether a schema that is awaited has come. */
    boolean mayLookForSchema(long now) {
        return awaits && now - awaitedNanos >= SCHEMA_NANOS;
    }

    private void stop(long offset) {
        if (!isAt(offset)) {
            if (stopCount == MAX_STOPS) {
                // One is decided again: that costs a record's decoding, nothing else.
                System.arraycopy(stops, 1, stops, 0, --stopCount);
            }
            stops[stopCount++] = offset;
        }
    }

    /** Whether reading stands at an offset. */
    boolean isAt(long offset) {
        for (int i = 0; i < stopCount; i++) {
            if (stops[i] == offset) {
                return true;
            }
        }
        return false;
    }

    /** Something is different: every halt is decided again. */
    void clear() {
        stopCount = 0;
        awaits = false;
        stopReason = PartitionTrouble.NONE;
    }

    void gap(long from, long start) {
        gap = new PartitionTrouble(Kind.RECORDS_GONE, "offset " + from + " is needed, and the log begins at " + start);
    }

    void noGap() {
        gap = PartitionTrouble.NONE;
    }

    /** The log is another than the positions are of, which the catalog does not say yet. */
    void logChanged() {
        anotherLog = PartitionTrouble.of(Kind.LOG_CHANGED);
    }

    /** The spout has found that the log is another or cut, or cannot tell yet. */
    void notTheLog(Control.LogState state) {
        anotherLog = switch (state.problem()) {
            case IN_DOUBT -> PartitionTrouble.of(Kind.LOG_IN_DOUBT);
            case GONE -> PartitionTrouble.of(Kind.TOPIC_GONE);
            case RECREATED -> PartitionTrouble.of(Kind.TOPIC_RECREATED);
            default ->
                new PartitionTrouble(
                        Kind.LOG_TRUNCATED,
                        ": it ends at offset " + state.end()
                                + ", and more was read before, or what was read is no longer there");
        };
    }

    /** It is the log that the positions are of, and may lose any record at any time: nothing of it may be read. */
    void compacted() {
        anotherLog = PartitionTrouble.of(Kind.TOPIC_COMPACTED);
    }

    /** The topic cannot be looked at. */
    void unseen() {
        unseen = PartitionTrouble.of(Kind.UNSEEN);
    }

    /** The topic can be looked at, and reading it fails. */
    void unreadable() {
        unseen = PartitionTrouble.of(Kind.UNREADABLE);
    }

    void seen() {
        unseen = PartitionTrouble.NONE;
    }

    void sameLog() {
        anotherLog = PartitionTrouble.NONE;
    }

    /** Whether the log is another than the positions are of, so that nothing may be read. */
    boolean anotherLog() {
        return !anotherLog.isNone();
    }

    boolean stands() {
        return stopCount > 0 || !gap.isNone();
    }

    /** Why it stands still; none when it does not. */
    PartitionTrouble trouble() {
        PartitionTrouble stands = !anotherLog.isNone() ? anotherLog : !gap.isNone() ? gap : stopReason;
        return stands.isNone() ? unseen : stands;
    }
}
