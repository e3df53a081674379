package io.waterwheel.schema;

/**
 * How a stream is run: the one part of it that is changed while it is used.
 *
 * @param badRecords what becomes of records that cannot be decoded
 * @param logLoss what becomes of a partition whose log has lost what is still needed
 * @param balancing who divides the keys between the indexers
 * @param retention how long tuples are kept
 * @param indexedRecords what becomes of the topic's records whose rows are in chunks
 */
public record StreamPolicy(
        BadRecords badRecords,
        LogLoss logLoss,
        Balancing balancing,
        Retention retention,
        IndexedRecords indexedRecords) {
    /**
     * Bad records are set aside; a log that lost something stops its partition; keys are divided by their load; nothing
     * expires; indexed records may be deleted.
     */
    public static final StreamPolicy DEFAULT =
            new StreamPolicy(BadRecords.SKIP, LogLoss.FAIL, Balancing.AUTO, Retention.OFF, IndexedRecords.DELETE);

    public StreamPolicy withBadRecords(BadRecords changed) {
        return new StreamPolicy(changed, logLoss, balancing, retention, indexedRecords);
    }

    public StreamPolicy withLogLoss(LogLoss changed) {
        return new StreamPolicy(badRecords, changed, balancing, retention, indexedRecords);
    }

    public StreamPolicy withBalancing(Balancing changed) {
        return new StreamPolicy(badRecords, logLoss, changed, retention, indexedRecords);
    }

    public StreamPolicy withRetention(Retention changed) {
        return new StreamPolicy(badRecords, logLoss, balancing, changed, indexedRecords);
    }

    public StreamPolicy withIndexedRecords(IndexedRecords changed) {
        return new StreamPolicy(badRecords, logLoss, balancing, retention, changed);
    }

    /**
     * Policy for records whose rows are in chunks, where the topic was made for the stream: elsewhere records stay as
     * long as the topic keeps them, whatever this says.
     */
    public enum IndexedRecords {
        /** They may be deleted from the topic, where the configuration says so ({@code kafka.delete-indexed}). */
        DELETE("delete"),
        /** They stay in the topic, as long as that keeps records. */
        KEEP("keep");

        private final String text;

        IndexedRecords(String text) {
            this.text = text;
        }

        /**
         * Reads {@code delete} or {@code keep}.
         *
         * @throws IllegalArgumentException when it is neither
         */
        public static IndexedRecords parse(String text) {
            for (IndexedRecords policy : values()) {
                if (policy.text.equals(text)) {
                    return policy;
                }
            }
            throw new IllegalArgumentException("indexed-records: expected delete or keep, got '" + text + "'");
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
