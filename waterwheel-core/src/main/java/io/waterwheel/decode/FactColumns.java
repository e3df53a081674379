package io.waterwheel.decode;

import io.waterwheel.schema.text.KafkaFields;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * {@link RecordFacts} of many records of one partition, in columns, and of what the stream's fields take only. Filled
 * once, then not changed; {@link #at} moves one cursor, so it has one reader at a time.
 */
public final class FactColumns implements RecordFacts {
    /** What a record's facts take beside their bytes: its time, and a reference and a buffer for each text. */
    private static final int TEXT_BYTES = 64;

    private final KafkaFields wanted;
    private final int partition;
    private final long base;
    private final long[] positions;
    private final long[] timestamps;
    /** Of each wanted header by its number, then of the key, by record. */
    private final @Nullable ByteBuffer[][] texts;

    private int record;

    /**
     * Facts to be filled.
     *
     * @param base added to an offset to make a position
     * @param positions of the records; kept
     */
    public FactColumns(KafkaFields wanted, int partition, long base, long[] positions) {
        this.wanted = wanted;
        this.partition = partition;
        this.base = base;
        this.positions = positions;
        this.timestamps = new long[positions.length];
        this.texts = new @Nullable ByteBuffer[texts(wanted)][positions.length];
    }

    /** How many texts a record has, at most. */
    public static int texts(KafkaFields wanted) {
        return wanted.headers().size() + (wanted.key() ? 1 : 0);
    }

    /** What the stream's fields take. */
    public KafkaFields wanted() {
        return wanted;
    }

    /** Added to an offset to make a position. */
    public long base() {
        return base;
    }

    public long timestamp(int of) {
        return timestamps[of];
    }

    public void setTimestamp(int of, long millis) {
        timestamps[of] = millis;
    }

    /** The value of a wanted header by its number, or, behind them, the key; null where there is none. */
    public @Nullable ByteBuffer text(int number, int of) {
        return texts[number][of];
    }

    /**
     * Sets what {@link #text} returns.
     *
     * @param text in memory of its own, for it is kept
     */
    public void setText(int number, int of, @Nullable ByteBuffer text) {
        texts[number][of] = text;
    }

    /** Memory that it takes. */
    public long bytes() {
        long bytes = 0;
        for (int i = 0; i < positions.length; i++) {
            bytes += bytes(i);
        }
        return bytes;
    }

    private long bytes(int of) {
        long bytes = Long.BYTES;
        for (@Nullable ByteBuffer[] column : texts) {
            ByteBuffer text = column[of];
            bytes += TEXT_BYTES + (text == null ? 0 : text.remaining());
        }
        return bytes;
    }

    /** The facts of a record, until the next call. */
    public RecordFacts at(int of) {
        record = of;
        return this;
    }

    @Override
    public int partition() {
        return partition;
    }

    @Override
    public long offset() {
        return positions[record] - base;
    }

    @Override
    public long timestamp() {
        return timestamps[record];
    }

    @Override
    public @Nullable ByteBuffer key() {
        return wanted.key() ? texts[texts.length - 1][record] : null;
    }

    @Override
    public @Nullable ByteBuffer header(String name) {
        int number = wanted.headers().indexOf(name);
        return number < 0 ? null : texts[number][record];
    }
}
