package io.waterwheel.decode;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What Kafka has of one record beside its value. */
public interface RecordFacts {
    /**
     * Of a record that is not in the log yet: it will be written without key and headers; when and where is not known,
     * and 0 here.
     */
    RecordFacts UNWRITTEN = unwritten(null);

    /** The same of a record that will have a key. */
    static RecordFacts unwritten(@Nullable ByteBuffer key) {
        return new RecordFacts() {
            @Override
            public int partition() {
                return 0;
            }

            @Override
            public long offset() {
                return 0;
            }

            @Override
            public long timestamp() {
                return 0;
            }

            @Override
            public @Nullable ByteBuffer key() {
                return key;
            }

            @Override
            public @Nullable ByteBuffer header(String name) {
                return null;
            }
        };
    }

    int partition();

    /** In the topic's log as it is now: a position less what positions begin at. */
    long offset();

    /** Milliseconds since 1970 UTC; negative where the log has none. */
    long timestamp();

    /** The record's key; null where it has none. Not changed by the reader, nor its position. */
    @Nullable
    ByteBuffer key();

    /**
     * The last value of a header that the stream's fields take; null where there is none. Not changed by the reader.
     */
    @Nullable
    ByteBuffer header(String name);
}
