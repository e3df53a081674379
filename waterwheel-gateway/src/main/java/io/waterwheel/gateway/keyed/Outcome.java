package io.waterwheel.gateway.keyed;

import io.waterwheel.gateway.http.HttpFailure;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What became of the rows of one request. */
public sealed interface Outcome {
    /**
     * They are stored, once.
     *
     * @param positions by partition the offset below which they lie; the same for every request of the key
     * @param again whether they were stored for another request of the key, also by another gateway
     */
    record Stored(Map<Integer, Long> positions, boolean again) implements Outcome {}

    /** The key was sent with another body before; nothing of this one is stored. */
    record Conflict() implements Outcome {}

    /** Another gateway was to have them stored by this one, and this one has the lanes no more; nothing is stored. */
    record Moved() implements Outcome {}

    /**
     * Another gateway was asked to store them, and this is its answer.
     *
     * @param positions as in {@link Stored}
     * @param failure what the client is to be told instead; null: they are stored
     */
    record Elsewhere(Map<Integer, Long> positions, @Nullable HttpFailure failure) implements Outcome {}

    /** As many keys are remembered as may be; nothing is stored. */
    record Full() implements Outcome {}

    /**
     * They could not be stored in time.
     *
     * @param sent whether some of it may be stored all the same; sent again under the same key, it is stored once
     * @param cause of the last attempt, an {@link HttpFailure} where that was another gateway's; null where none has
     *     failed
     */
    record Failed(boolean sent, @Nullable Throwable cause) implements Outcome {}
}
