package io.waterwheel.topology.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.LargeVarBinaryVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.arrow.vector.TimeStampNanoVector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ViewVarBinaryVector;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Values that clients bind. */
final class BoundRowTest {
    private static final DictionaryProvider NONE = new DictionaryProvider.MapDictionaryProvider();

    private final BufferAllocator allocator = new RootAllocator();
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
        allocator.close();
    }

    private <V extends FieldVector> V one(V vector) {
        open.add(vector);
        vector.allocateNew();
        return vector;
    }

    private static Expression.Literal value(FieldVector vector) {
        vector.setValueCount(1);
        return BoundRow.value(vector, 0);
    }

    @Test
    void readsEachType() {
        BigIntVector whole = one(new BigIntVector("p", allocator));
        whole.set(0, Long.MIN_VALUE);
        assertThat(value(whole)).isEqualTo(new Expression.Whole(Long.MIN_VALUE));
        IntVector small = one(new IntVector("p", allocator));
        small.set(0, -5);
        assertThat(value(small)).isEqualTo(new Expression.Whole(-5));
        Float8Vector number = one(new Float8Vector("p", allocator));
        number.set(0, 1.25);
        assertThat(value(number)).isEqualTo(new Expression.Decimal(1.25));
        number.set(0, Double.NaN);
        assertThat(value(number)).isEqualTo(new Expression.Decimal(Double.NaN));
        BitVector truth = one(new BitVector("p", allocator));
        truth.set(0, 1);
        assertThat(value(truth)).isEqualTo(new Expression.Truth(true));
        VarCharVector text = one(new VarCharVector("p", allocator));
        text.set(0, "é".getBytes(StandardCharsets.UTF_8));
        assertThat(value(text)).isEqualTo(new Expression.Text("é"));
        VarBinaryVector bytes = one(new VarBinaryVector("p", allocator));
        bytes.set(0, new byte[] {-1, 2});
        assertThat(value(bytes)).isEqualTo(new Expression.Hex("ff02"));
        TimeStampMicroTZVector micros = one(new TimeStampMicroTZVector("p", allocator, "UTC"));
        micros.set(0, -1);
        assertThat(value(micros)).isEqualTo(new Expression.Moment(Instant.EPOCH.minusNanos(1000)));
        TimeStampNanoVector nanos = one(new TimeStampNanoVector("p", allocator));
        nanos.set(0, 1_000_000_007);
        assertThat(value(nanos)).isEqualTo(new Expression.Moment(Instant.ofEpochSecond(1, 7)));
        DateDayVector day = one(new DateDayVector("p", allocator));
        day.set(0, 20_000);
        assertThat(value(day)).isEqualTo(new Expression.Moment(Instant.parse("2024-10-04T00:00:00Z")));
        DecimalVector decimal = one(new DecimalVector("p", allocator, 10, 2));
        decimal.set(0, new BigDecimal("7.00"));
        assertThat(value(decimal)).isEqualTo(new Expression.Whole(7));
        decimal.set(0, new BigDecimal("7.25"));
        assertThat(value(decimal)).isEqualTo(new Expression.Decimal(7.25));
        decimal.setNull(0);
        assertThat(value(decimal)).isEqualTo(new Expression.Null());
        NullVector nothing = new NullVector("p", 1);
        assertThat(BoundRow.value(nothing, 0)).isEqualTo(new Expression.Null());
        TimeMilliVector time = one(new TimeMilliVector("p", allocator));
        time.set(0, 5);
        assertThatThrownBy(() -> value(time)).hasMessageContaining("is not supported");
    }

    /** A driver writes a number as it is given: one of microseconds is none of milliseconds. */
    @Test
    void refusesCountsOfFinerUnits() {
        FieldType announced = new FieldType(
                true, new ArrowType.Timestamp(TimeUnit.MILLISECOND, null), null, Map.of(BoundRow.COARSE, "true"));
        TimeStampMilliVector time = one(new TimeStampMilliVector("p", announced, allocator));
        for (Instant moment :
                List.of(Instant.parse("2018-03-24T17:30:00.123Z"), Instant.parse("9999-12-31T23:59:59.999Z"))) {
            time.set(0, moment.toEpochMilli());
            assertThat(value(time)).isEqualTo(new Expression.Moment(moment));
        }
        for (long finer : new long[] {1_521_912_600_000_000L, 1_521_912_600_000_000_000L, Long.MIN_VALUE}) {
            time.set(0, finer);
            assertThatThrownBy(() -> value(time))
                    .hasMessage("expected a time in milliseconds since 1970, as setTimestamp gives it, of at most the"
                            + " year 9999, got " + finer + "; write a finer one into the statement");
        }
        time.setNull(0);
        assertThat(value(time)).isEqualTo(new Expression.Null());
    }

    /** As pandas and polars write them. */
    @Test
    void readsTextsInEachLayout() {
        String[] texts = {
            "", "short", "twelve bytes", "é and more than twelve bytes", null, "another long one, of views"
        };
        LargeVarCharVector large = one(new LargeVarCharVector("p", allocator));
        ViewVarCharVector view = one(new ViewVarCharVector("p", allocator));
        LargeVarBinaryVector largeBytes = one(new LargeVarBinaryVector("p", allocator));
        ViewVarBinaryVector viewBytes = one(new ViewVarBinaryVector("p", allocator));
        for (int row = 0; row < texts.length; row++) {
            if (texts[row] != null) {
                byte[] bytes = texts[row].getBytes(StandardCharsets.UTF_8);
                large.setSafe(row, bytes);
                view.setSafe(row, bytes);
                largeBytes.setSafe(row, bytes);
                viewBytes.setSafe(row, bytes);
            }
        }
        List<FieldVector> all = List.of(large, view, largeBytes, viewBytes);
        all.forEach(vector -> vector.setValueCount(texts.length));
        for (int row = 0; row < texts.length; row++) {
            for (FieldVector vector : all) {
                Expression.Literal expected;
                if (texts[row] == null) {
                    expected = new Expression.Null();
                } else if (vector == large || vector == view) {
                    expected = new Expression.Text(texts[row]);
                } else {
                    expected =
                            new Expression.Hex(HexFormat.of().formatHex(texts[row].getBytes(StandardCharsets.UTF_8)));
                }
                assertThat(BoundRow.value(vector, row)).isEqualTo(expected);
            }
        }
    }

    @Test
    void readsTextsOfADictionary() {
        VarCharVector texts = one(new VarCharVector("d", allocator));
        texts.setSafe(0, "one".getBytes(StandardCharsets.UTF_8));
        texts.setSafe(1, "two".getBytes(StandardCharsets.UTF_8));
        texts.setValueCount(2);
        DictionaryEncoding encoding = new DictionaryEncoding(7, false, new ArrowType.Int(32, true));
        IntVector numbers =
                one(new IntVector("p", new FieldType(true, new ArrowType.Int(32, true), encoding), allocator));
        numbers.set(0, 1);
        numbers.setNull(1);
        numbers.set(2, 0);
        numbers.setValueCount(3);
        var dictionaries = new DictionaryProvider.MapDictionaryProvider(new Dictionary(texts, encoding));
        List<List<Expression.Literal>> rows = new ArrayList<>();
        try (BoundMemory.Share memory = new BoundMemory(1 << 20).share(1 << 20)) {
            VectorSchemaRoot root = VectorSchemaRoot.of(numbers);
            BoundRow.add(root, dictionaries, memory, 10, rows);
            assertThat(rows)
                    .containsExactly(
                            List.of(new Expression.Text("two")),
                            List.of(new Expression.Null()),
                            List.of(new Expression.Text("one")));
            for (int wrong : new int[] {2, -1}) {
                numbers.set(2, wrong);
                assertThatThrownBy(() -> BoundRow.add(root, dictionaries, memory, 10, rows))
                        .hasMessageContaining("its dictionary has no value " + wrong);
            }
            numbers.set(2, 0);
            assertThatThrownBy(() -> BoundRow.add(root, NONE, memory, 10, rows))
                    .hasMessageContaining("its dictionary has no value 1");
        }
    }

    /** Views and wide offsets that name bytes that were not sent. */
    @Test
    void refusesViewsBeyondTheirBuffers() {
        try (ArrowBuf validity = allocator.buffer(8);
                ArrowBuf views = allocator.buffer(16);
                ArrowBuf offsets = allocator.buffer(16);
                ArrowBuf data = allocator.buffer(64)) {
            validity.setByte(0, 1);
            validity.writerIndex(1);
            views.writerIndex(16);
            data.writerIndex(64);
            offsets.writerIndex(16);
            for (int[] wrong :
                    new int[][] {{1000, 0, 0}, {-1, 0, 0}, {20, 1, 0}, {20, -1, 0}, {20, 0, 60}, {20, 0, -8}}) {
                views.setInt(0, wrong[0]);
                views.setInt(8, wrong[1]);
                views.setInt(12, wrong[2]);
                ViewVarCharVector text = new ViewVarCharVector("p", allocator);
                open.add(text);
                text.loadFieldBuffers(new ArrowFieldNode(1, 0), List.of(validity, views, data));
                assertThatThrownBy(() -> BoundRow.value(text, 0)).isInstanceOf(IllegalArgumentException.class);
            }
            for (long[] wrong : new long[][] {{0, 65}, {-1, 3}, {4, 2}, {Long.MIN_VALUE, Long.MAX_VALUE}}) {
                offsets.setLong(0, wrong[0]);
                offsets.setLong(8, wrong[1]);
                LargeVarCharVector text = new LargeVarCharVector("p", allocator);
                open.add(text);
                text.loadFieldBuffers(new ArrowFieldNode(1, 0), List.of(validity, offsets, data));
                assertThatThrownBy(() -> BoundRow.value(text, 0)).isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    /** They would be stored as other values. */
    @Test
    void refusesWhatIsNoValueOfOurs() {
        UInt8Vector unsigned = one(new UInt8Vector("p", allocator));
        unsigned.set(0, Long.MAX_VALUE);
        assertThat(value(unsigned)).isEqualTo(new Expression.Whole(Long.MAX_VALUE));
        unsigned.set(0, -1);
        assertThatThrownBy(() -> value(unsigned))
                .hasMessageContaining("18446744073709551615 exceeds 64 bits with a sign");
        VarCharVector text = one(new VarCharVector("p", allocator));
        text.set(0, new byte[] {'a', (byte) 0xff});
        assertThatThrownBy(() -> value(text)).hasMessageContaining("no UTF-8");
    }

    @Test
    void boundsTheMemoryOfValues() {
        BoundMemory memory = new BoundMemory(3 << 20);
        VarCharVector text = one(new VarCharVector("p", allocator));
        text.setSafe(0, new byte[600 << 10]);
        text.setValueCount(1);
        VectorSchemaRoot root = VectorSchemaRoot.of(text);
        List<List<Expression.Literal>> rows = new ArrayList<>();
        try (BoundMemory.Share one = memory.share(2 << 20);
                BoundMemory.Share other = memory.share(2 << 20)) {
            BoundRow.add(root, NONE, one, 10, rows);
            assertThatThrownBy(() -> BoundRow.add(root, NONE, one, 10, rows))
                    .hasMessageContaining("at most 2 MiB of memory in a batch");
            assertThatThrownBy(() -> BoundRow.add(root, NONE, other, 1, rows)).hasMessageContaining("expected one row");
            BoundRow.add(root, NONE, other, 10, rows);
            assertThat(rows).hasSize(2);
            try (BoundMemory.Share third = memory.share(2 << 20)) {
                assertThatThrownBy(() -> BoundRow.add(root, NONE, third, 10, rows))
                        .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                                .isEqualTo("SERVER_BUSY"));
            }
        }
        assertThat(memory.held()).isZero();
    }

    @Test
    void readsEachRow() {
        BigIntVector whole = one(new BigIntVector("p", allocator));
        VarCharVector text = one(new VarCharVector("p", allocator));
        for (int row = 0; row < 20; row++) {
            whole.setSafe(row, 3L * row);
            text.setSafe(row, ("text " + row).getBytes(StandardCharsets.UTF_8));
        }
        text.setNull(7);
        whole.setValueCount(20);
        text.setValueCount(20);
        for (int row = 0; row < 20; row++) {
            assertThat(BoundRow.value(whole, row)).isEqualTo(new Expression.Whole(3L * row));
            assertThat(BoundRow.value(text, row))
                    .isEqualTo(row == 7 ? new Expression.Null() : new Expression.Text("text " + row));
        }
        assertThatThrownBy(() -> BoundRow.value(whole, 20)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Buffers that say they hold more than they do: a message says all by itself. */
    @Test
    void refusesWhatItsBuffersDoNotHold() {
        try (ArrowBuf validity = allocator.buffer(8);
                ArrowBuf offsets = allocator.buffer(8);
                ArrowBuf data = allocator.buffer(8)) {
            validity.setByte(0, 1);
            validity.writerIndex(1);
            for (int[] range : new int[][] {{0, 1000}, {-5, 3}, {4, 2}, {Integer.MAX_VALUE, Integer.MIN_VALUE}}) {
                offsets.setInt(0, range[0]);
                offsets.setInt(4, range[1]);
                offsets.writerIndex(8);
                data.writerIndex(8);
                VarCharVector text = new VarCharVector("p", allocator);
                open.add(text);
                text.loadFieldBuffers(new ArrowFieldNode(1, 0), List.of(validity, offsets, data));
                assertThatThrownBy(() -> BoundRow.value(text, 0)).isInstanceOf(IllegalArgumentException.class);
            }
            BigIntVector whole = new BigIntVector("p", allocator);
            open.add(whole);
            ArrowBuf narrow = data.slice(0, 4);
            whole.loadFieldBuffers(new ArrowFieldNode(1, 0), List.of(validity, narrow));
            assertThatThrownBy(() -> BoundRow.value(whole, 0)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
