package io.waterwheel.protocol;

/**
 * Why a partition stands still.
 *
 * @param kind what it is
 * @param detail what is particular to this case: offsets, a record's fault; empty where the kind says all
 */
public record PartitionTrouble(Kind kind, String detail) {
    /** It goes on. */
    public static final PartitionTrouble NONE = new PartitionTrouble(Kind.NONE, "");

    private static final String DECIDE =
            "; `waterwheel offsets set` goes on from another offset, what is passed is then recorded as lost";

    private static final String OTHER_LOG =
            "; nothing of it is read. Its policy is log-loss=fail unless this passes: `waterwheel stream set STREAM"
                    + " \"log-loss=skip to earliest\"` goes on with the new log" + DECIDE;

    /** Kinds of trouble, each with its words and what to do. STREAM stands for the stream's name. */
    public enum Kind {
        NONE("", ""),
        /** A record is refused, and its policy does not let reading pass it. */
        RECORD_REFUSED(
                "", ". `waterwheel stream set STREAM dead-letters=skip` sets such records aside and goes on" + DECIDE),
        /** A record was written by a schema that its registry has not told yet. */
        SCHEMA_AWAITED("", ". It is asked again every second, and reading goes on once it answers"),
        /** The log begins behind what is needed. */
        RECORDS_GONE(
                "",
                ": retention or deletion was quicker; its policy is log-loss=fail. `waterwheel stream set STREAM"
                        + " \"log-loss=skip to earliest\"` records what is gone as lost and goes on" + DECIDE),
        TOPIC_GONE("the topic is not there", OTHER_LOG),
        TOPIC_RECREATED("the topic was deleted and made anew", OTHER_LOG),
        LOG_TRUNCATED("the log was truncated", OTHER_LOG),
        /** The topic's log is another, and its positions are not known yet. */
        LOG_CHANGED("the topic's log is another now; its beginning is being read from the catalog", OTHER_LOG),
        LOG_IN_DOUBT(
                "brokers do not agree on which log it is, or where it ends, as for a moment after a change of leaders;"
                        + " nothing of it is read before they do",
                ""),
        TOPIC_COMPACTED(
                "the topic is compacted (cleanup.policy), so it loses records that must be read again after a crash, or"
                        + " by who lags; nothing of it is read",
                ". Set cleanup.policy=delete (kafka-configs.sh --alter --topic TOPIC --add-config"
                        + " cleanup.policy=delete), and it goes on within a minute or so; `waterwheel verify STREAM`"
                        + " then tells whether records are gone"),
        UNREADABLE(
                "the partition cannot be read: reading it is not allowed, a record of it is damaged, or the client is"
                        + " refused",
                "; the spout's log says which. It is tried again and again"),
        /** The topic cannot be looked at. */
        UNSEEN(
                "the partition cannot be looked at in Kafka: it has no leader, its topic may not be described, or no"
                        + " broker answers",
                "; the spout's log says which. What comes of it is indexed meanwhile"),
        LETTERS_NOT_STORED(
                "refused records cannot be stored in the dead-letter topic, and nothing after them becomes visible"
                        + " before they are",
                "; it is tried again every second. The dispatcher's log says why");

        private final String words;
        private final String advice;

        Kind(String words, String advice) {
            this.words = words;
            this.advice = advice;
        }
    }

    /** One without particulars. */
    public static PartitionTrouble of(Kind kind) {
        return kind == Kind.NONE ? NONE : new PartitionTrouble(kind, "");
    }

    /** Whether there is none: the partition goes on. */
    public boolean isNone() {
        return kind == Kind.NONE;
    }

    /** Whether nothing of the partition is taken up. One that only cannot be looked at may go on. */
    public boolean standsStill() {
        return kind != Kind.NONE && kind != Kind.UNSEEN;
    }

    /** What is wrong and what to do, for people; empty when nothing is wrong. */
    public String sentence(String stream) {
        return kind.words + detail + kind.advice.replace("STREAM", stream);
    }
}
