package io.waterwheel.gateway.keyed;

import io.waterwheel.gateway.http.HttpCode;
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

    /**
     * Another gateway was to have them stored by this one, which has the lanes no more, or got them too late. Whether
     * it had begun to store them the owner of the lanes knows.
     */
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

    /**
     * The same where the rows may have been stored before, of which this one knows nothing. That they are stored, or
     * that the key has other rows, is true all the same: the table of keys says so.
     */
    default Outcome perhaps() {
        if (this instanceof Failed failed) {
            return new Failed(true, failed.cause());
        }
        if (this instanceof Full) {
            return new Failed(true, null);
        }
        if (this instanceof Elsewhere elsewhere
                && elsewhere.failure() != null
                && !elsewhere.failure().code().equals(HttpCode.KEY_REUSED.name())) {
            return new Failed(true, elsewhere.failure());
        }
        return this;
    }
}
