package io.waterwheel.status;

import org.jspecify.annotations.Nullable;

/**
 * A dead letter with its text.
 *
 * @param letterOffset its position among the letters of the stream's topic
 * @param partition of the stream's topic
 * @param offset of the record
 * @param index of the row in the record, -1 for the whole record
 * @param length bytes of the record's value
 * @param text the value, cut; null where it is no text, or the letter has none
 */
public record DeadLetterText(
        int streamId,
        long letterOffset,
        int partition,
        long offset,
        int index,
        String reason,
        long length,
        @Nullable String text) {}
