package io.waterwheel.tuple;

import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A schema whose keys have eight dimensions and all 63 bits, for tests that make keys and boxes of numbers. */
public final class WideKeys {
    private static final int FIELDS = 8;

    public static final Schema SCHEMA = new Schema(
            Stream.concat(
                            IntStream.range(0, FIELDS).mapToObj(f -> new Field("f" + f, FieldType.INT, false)),
                            Stream.of(new Field("t", FieldType.TIMESTAMP, false)))
                    .toList(),
            new KeySpec.Dimensions(
                    IntStream.range(0, FIELDS)
                            .mapToObj(f -> new Dimension("f" + f, f == 0 ? 7 : 8, List.of("0", "1000000"), List.of()))
                            .toList(),
                    List.of()),
            "t");

    public static final KeyDimensions DIMENSIONS = KeyDimensions.of(SCHEMA);

    private WideKeys() {}
}
