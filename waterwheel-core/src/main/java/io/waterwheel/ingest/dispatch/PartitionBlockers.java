package io.waterwheel.ingest.dispatch;

import io.waterwheel.protocol.Control;
import io.waterwheel.schema.BadRecords;

/**
 * Why a partition, or a part of it, stands still: bad records that its stream's policy does not pass, a log that does
 * not hold what is needed, another log. Says so for people. Owner: the dispatcher's thread.
 */
final class PartitionBlockers {
    /** Records after which the older half of the count is forgotten. */
    private static final long HALF_WINDOW = 500_000;
    /** Positions at which reading stands: live reading's, and those of channels that lag. */
    private static final int MAX_STOPS = 16;

    private static final String DECIDE =
            "; `waterwheel offsets set` goes on from another offset, what is passed is then" + " recorded as lost";

    private static final String COMPACTED =
            "the topic is compacted (cleanup.policy), so it loses records that must be read"
                    + " again after a crash, or by who lags; nothing of it is read. Set cleanup.policy=delete (kafka-configs.sh"
                    + " --alter --topic TOPIC --add-config cleanup.policy=delete), and it goes on within a minute or so;"
                    + " `waterwheel verify STREAM` then tells whether records are gone";

    private static final String IN_DOUBT =
            "brokers do not agree on which log it is, or where it ends, as for a moment after a change of leaders;"
                    + " nothing of it is read before they do";

    private static final String UNREADABLE =
            "the partition cannot be read: reading it is not allowed, a record of it is"
                    + " damaged, or the client is refused; the spout's log says which. It is tried again and again";

    private static final String UNSEEN =
            "the partition cannot be looked at in Kafka: it has no leader, its topic may not"
                    + " be described, or no broker answers; the spout's log says which. What comes of it is indexed meanwhile";

    private final long[] stops = new long[MAX_STOPS];
    private int stopCount;
    private String stopReason = "";
    private long passedTo = Long.MIN_VALUE;
    private String gap = "";
    private String anotherLog = "";
    private String unseen = "";

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
            stopReason = "halted before offset " + first.offset()
                    + (first.index() < 0 ? "" : ", row " + first.index()) + ": " + first.reason()
                    + "; its policy is dead-letters=" + policy
                    + ". `waterwheel stream set STREAM dead-letters=skip` sets such records aside and goes on" + DECIDE;
            return false;
        }
        refused++;
        return true;
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
        stopReason = "";
    }

    void gap(long from, long start) {
        gap = "offset " + from + " is needed, and the log begins at " + start
                + ": retention or deletion was quicker; its policy is log-loss=fail. `waterwheel stream set STREAM"
                + " \"log-loss=skip to earliest\"` records what is gone as lost and goes on" + DECIDE;
    }

    void noGap() {
        gap = "";
    }

    void anotherLog(String what) {
        anotherLog =
                what + "; nothing of it is read. Its policy is log-loss=fail unless this passes: `waterwheel stream"
                        + " set STREAM \"log-loss=skip to earliest\"` goes on with the new log" + DECIDE;
    }

    /** The spout has found that the log is another or cut, or cannot tell yet. */
    void notTheLog(Control.LogState state) {
        switch (state.problem()) {
            case IN_DOUBT -> anotherLog = IN_DOUBT;
            case GONE -> anotherLog("the topic is not there");
            case RECREATED -> anotherLog("the topic was deleted and made anew");
            default ->
                anotherLog(Control.PartitionReport.TRUNCATED + ": it ends at offset " + state.end()
                        + ", and more was read before, or what was read is no longer there");
        }
    }

    /** It is the log that the positions are of, and may lose any record at any time: nothing of it may be read. */
    void compacted() {
        anotherLog = COMPACTED;
    }

    /** The topic cannot be looked at. */
    void unseen() {
        unseen = UNSEEN;
    }

    /** The topic can be looked at, and reading it fails. */
    void unreadable() {
        unseen = UNREADABLE;
    }

    void seen() {
        unseen = "";
    }

    void sameLog() {
        anotherLog = "";
    }

    /** Whether the log is another than the positions are of, so that nothing may be read. */
    boolean anotherLog() {
        return !anotherLog.isEmpty();
    }

    boolean stands() {
        return stopCount > 0 || !gap.isEmpty();
    }

    /** Why it stands still and what to do; empty when it does not. */
    String trouble() {
        String stands = !anotherLog.isEmpty() ? anotherLog : !gap.isEmpty() ? gap : stopReason;
        return stands.isEmpty() ? unseen : stands;
    }
}
