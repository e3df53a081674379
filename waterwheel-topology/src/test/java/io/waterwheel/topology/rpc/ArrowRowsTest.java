package io.waterwheel.topology.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ArrowRowsTest {
    private static final FlightExtension.Form NANOS = new FlightExtension.Form(true, true, true);
    private static final List<Field> TIMES = List.of(
            new Field("ms", FieldType.TIMESTAMP, true),
            new Field("us", FieldType.TIMESTAMP_US, true),
            new Field("ns", FieldType.TIMESTAMP_NS, true),
            new Field("n", FieldType.LONG, true));
    private static final List<ChronoUnit> UNITS = List.of(ChronoUnit.MILLIS, ChronoUnit.MICROS, ChronoUnit.NANOS);

    private static TupleBlock block(RowLayout layout, int rows) {
        TupleBlock block = new TupleBlock(layout, 0);
        block.ensureRows(rows);
        block.setSize(rows);
        return block;
    }

    @Test
    void timesAreTheSameInstantsInNanoseconds() {
        Random random = new Random(7);
        RowLayout layout = RowLayout.ofFields(TIMES);
        Instant least = Instant.ofEpochSecond(0, Long.MIN_VALUE);
        TupleBlock block = block(layout, 500);
        for (int f = 0; f < TIMES.size(); f++) {
            for (int row = 0; row < block.size(); row++) {
                long nanos = random.nextLong();
                long value = f < 3
                        ? UNITS.get(f).between(Instant.EPOCH, Instant.ofEpochSecond(0, nanos))
                        : random.nextLong();
                boolean missing = random.nextInt(5) == 0;
                if (missing) {
                    block.setNullMask(row, block.nullMask(row) | 1L << layout.nullBit(f));
                }
                // What stands where a value is null may be any number.
                LittleEndian.putLong(block.column(layout.columnOf(f)), row * 8, missing ? random.nextLong() : value);
            }
        }
        try (BufferAllocator memory = new RootAllocator()) {
            ArrowRows rows = new ArrowRows(TIMES, null, NANOS, memory);
            rows.begin(600);
            rows.add(block, 0, 3);
            rows.add(block, 3, block.size() - 3);
            rows.end();
            for (int f = 0; f < 3; f++) {
                assertThat(rows.root().getVector(f).getField().getType())
                        .isEqualTo(new ArrowType.Timestamp(TimeUnit.NANOSECOND, "UTC"));
                TimeStampVector times = (TimeStampVector) rows.root().getVector(f);
                for (int row = 0; row < block.size(); row++) {
                    assertThat(times.isNull(row)).isEqualTo(block.isNull(f, row));
                    if (!times.isNull(row)) {
                        long units = LittleEndian.getLong(block.column(layout.columnOf(f)), row * 8);
                        Instant expected = Instant.EPOCH.plus(units, UNITS.get(f));
                        assertThat(Instant.ofEpochSecond(0, times.get(row)))
                                .isEqualTo(expected)
                                .isAfterOrEqualTo(least);
                    }
                }
            }
            assertThat(rows.root().getVector(3).getField().getType()).isEqualTo(new ArrowType.Int(64, true));
            rows.root().close();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {9_223_372_036_855L, -9_223_372_036_855L, Long.MAX_VALUE, Long.MIN_VALUE})
    void aTimeThatNanosecondsDoNotHoldIsAnError(long millis) {
        RowLayout layout = RowLayout.ofFields(TIMES);
        TupleBlock block = block(layout, 1);
        LittleEndian.putLong(block.column(layout.columnOf(0)), 0, millis);
        try (BufferAllocator memory = new RootAllocator()) {
            ArrowRows rows = new ArrowRows(TIMES, null, NANOS, memory);
            rows.begin(1);
            assertThatThrownBy(() -> rows.add(block, 0, 1))
                    .hasMessageContaining("a time of ms is not within the years that nanoseconds hold, 1678 to 2261")
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("SQL_VALUE"));
            rows.root().close();
        }
    }
}
