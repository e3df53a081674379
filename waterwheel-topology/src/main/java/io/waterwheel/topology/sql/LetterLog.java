package io.waterwheel.topology.sql;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the dead letters of streams are. Thread-safe. */
@FunctionalInterface
public interface LetterLog {
    /** Takes letters. */
    interface Letters {
        /**
         * A letter.
         *
         * @param letterOffset its position among the letters of the stream's topic
         * @param partition of the stream's topic
         * @param offset of the record
         * @param index of the row in the record, -1 for the whole record
         * @param length bytes of the record's value
         * @param text the value, cut; null where it is no text, or the letter has none
         */
        void take(
                int streamId,
                long letterOffset,
                int partition,
                long offset,
                int index,
                String reason,
                long length,
                @Nullable String text);
    }

    /**
     * Hands over the last letters of streams, as many as are kept in bounds.
     *
     * @param topics of the streams, by their ids
     * @param goOn is asked now and then; throws to end it
     */
    void last(Map<Integer, String> topics, Runnable goOn, Letters each) throws InterruptedException;
}
