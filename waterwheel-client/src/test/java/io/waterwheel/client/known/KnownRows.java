package io.waterwheel.client.known;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.util.List;

/** Rows that are a function of their number, so that what must be in an answer needs no memory. */
public final class KnownRows {
    public static final String STREAM = "known";
    static final int PARTITIONS = 3;
    private static final long FIRST_MILLIS = 1_700_000_000_000L;

    private KnownRows() {}

    /** The stream that takes them. */
    public static StreamDefinition definition() {
        return new StreamDefinition(
                STREAM,
                STREAM,
                RecordFormat.BLOCK,
                PARTITIONS,
                new Schema(
                        List.of(
                                new Field("id", FieldType.LONG, false),
                                new Field("k", FieldType.LONG, false),
                                new Field("t", FieldType.TIMESTAMP, false),
                                new Field("v", FieldType.LONG, false)),
                        new KeySpec.Ordered("k"),
                        "t"));
    }

    /** The values of a row. */
    public static Object[] row(long id) {
        return new Object[] {id, key(id), time(id), value(id)};
    }

    /** Spread over all keys. */
    public static long key(long id) {
        return mix(id);
    }

    /** Eight rows a millisecond. */
    public static long time(long id) {
        return FIRST_MILLIS + id / 8;
    }

    /** What is added up. */
    public static long value(long id) {
        return mix(~id) >> 24;
    }

    /** The finaliser of SplitMix64: a bijection. */
    private static long mix(long id) {
        long z = id + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
