package io.waterwheel.ingest;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The seam to the dead-letter topic of a stream, where records that cannot be decoded go, each once. A partition's
 * dispatcher opens a session: from then on no earlier session of that partition, wherever it is, stores anything, and
 * what they have stored is known. Thread-safe; answers come one after another, in the order of the calls, on any
 * thread.
 */
public interface DeadLetters extends AutoCloseable {
    /** One dispatcher's right to store the dead letters of one partition. */
    interface Session extends AutoCloseable {
        /** Every refused row at these offsets was stored when the session was opened. Not changed any more. */
        OffsetRanges stored();

        /**
         * Stores all of these or none.
         *
         * @param since every refused row of offsets from here to {@code until} is among these or stored already
         * @param done called once: with null when they are stored for good, or the failure; whether they are stored is
         *     then known by opening another session, and this one stores nothing more
         */
        void store(long since, long until, List<RefusedRow> letters, Consumer<@Nullable Exception> done);

        /** Ends it; what it has stored stays. */
        @Override
        void close();
    }

    /**
     * Opens a session.
     *
     * @param done called once, with the session or the failure
     */
    void open(int streamId, int partition, BiConsumer<@Nullable Session, @Nullable Exception> done);

    @Override
    void close();
}
