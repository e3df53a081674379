package io.waterwheel.topology.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Expression.Literal;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rows of INSERT become records that the stream takes, or are refused. */
final class InsertRowsTest {
    private static final Instant AT = Instant.parse("2026-11-25T10:00:00.123Z");
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("longitude", FieldType.DOUBLE, false),
                    new Field("latitude", FieldType.DOUBLE, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("small", FieldType.INT, true),
                    new Field("note", FieldType.STRING, true),
                    new Field("source", FieldType.IPV4, true)),
            new KeySpec.Position("longitude", "latitude", new Box(0, 40, 10, 50)),
            "at");

    /** Those whose records are made of tuples. */
    private static final List<RecordFormat> FORMATS = List.of(RecordFormat.CSV, RecordFormat.JSON, RecordFormat.BLOCK);

    private static StreamInfo stream(RecordFormat format) {
        return new StreamInfo("s", 1, SCHEMA, format, "s", 1, 1);
    }

    private static Literal whole(long value) {
        return new Expression.Whole(value);
    }

    private static Literal text(String value) {
        return new Expression.Text(value);
    }

    private static List<Literal> row(double longitude, Literal at, Literal small, Literal note, Literal source) {
        return List.of(new Expression.Decimal(longitude), whole(45), at, small, note, source);
    }

    private static List<List<@Nullable Object>> decoded(RecordFormat format, List<byte[]> records) throws Exception {
        TupleBlock block = new TupleBlock(RowLayout.of(SCHEMA), 16);
        RecordDecoder decoder = RecordDecoder.of(format, SCHEMA);
        for (byte[] record : records) {
            decoder.decode(ByteBuffer.wrap(record), block);
        }
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int r = 0; r < block.size(); r++) {
            List<@Nullable Object> row = new ArrayList<>();
            for (int f = 0; f < SCHEMA.fields().size(); f++) {
                row.add(block.value(f, r));
            }
            rows.add(row);
        }
        return rows;
    }

    @Test
    void rowsComeBackFromEachFormat() throws Exception {
        for (RecordFormat format : FORMATS) {
            InsertRows rows = new InsertRows(stream(format), List.of());
            rows.requireColumns(6);
            rows.addLiterals(row(2.5, new Expression.Moment(AT), whole(-7), text("a, \"b\""), text("10.0.0.1")));
            rows.addLiterals(
                    row(3, text("2026-11-25 10:00:00.123Z"), new Expression.Null(), text(""), new Expression.Null()));
            assertThat(decoded(format, rows.records()))
                    .as(format.toString())
                    .containsExactly(
                            values(2.5, 45.0, AT.toEpochMilli(), -7, "a, \"b\"", "10.0.0.1"),
                            values(3.0, 45.0, AT.toEpochMilli(), null, "", null));
            assertThat(rows.rows()).isEqualTo(2);
        }
    }

    private static List<@Nullable Object> values(@Nullable Object... values) {
        List<@Nullable Object> list = new ArrayList<>();
        Collections.addAll(list, values);
        return list;
    }

    @Test
    void columnsAreFoundByNameAndTheRestIsNull() throws Exception {
        InsertRows rows = new InsertRows(stream(RecordFormat.CSV), List.of("AT", "latitude", "longitude"));
        assertThat(rows.columns()).extracting(Field::name).containsExactly("at", "latitude", "longitude");
        rows.addLiterals(List.of(new Expression.Moment(AT), whole(41), whole(9)));
        assertThat(decoded(RecordFormat.CSV, rows.records()))
                .containsExactly(values(9.0, 41.0, AT.toEpochMilli(), null, null, null));
        refused(() -> new InsertRows(stream(RecordFormat.CSV), List.of("lattitude")), "did you mean 'latitude'?");
        refused(() -> new InsertRows(stream(RecordFormat.CSV), List.of("at", "AT")), "column at is named twice");
        refused(
                () -> new InsertRows(stream(RecordFormat.CSV), List.of("at", "longitude")),
                "INSERT names no column latitude");
        refused(() -> rows.requireColumns(4), "expected 3 values a row, one a column, got 4");
    }

    /** As text that is appended is: an infinity was stored in its place. */
    @Test
    void whatAFloatCannotHoldIsRefused() {
        Schema schema = new Schema(
                List.of(
                        new Field("id", FieldType.LONG, false),
                        new Field("at", FieldType.TIMESTAMP, false),
                        new Field("x", FieldType.FLOAT, true)),
                new KeySpec.Ordered("id"),
                "at");
        for (RecordFormat format : FORMATS) {
            StreamInfo stream = new StreamInfo("s", 1, schema, format, "s", 1, 1);
            for (double beyond : new double[] {1e300, -1e39}) {
                InsertRows rows = new InsertRows(stream, List.of());
                refused(
                        () -> {
                            rows.addLiterals(
                                    List.of(whole(1), new Expression.Moment(AT), new Expression.Decimal(beyond)));
                            rows.records();
                        },
                        "row 1: field x of type float: expected a number in the range of a float");
            }
            InsertRows rows = new InsertRows(stream, List.of());
            rows.addLiterals(List.of(whole(1), new Expression.Moment(AT), new Expression.Decimal(Float.MAX_VALUE)));
            assertThat(rows.records()).hasSize(1);
        }
    }

    /** The digits that were written; not a billion of them. */
    @Test
    void aDecimalOfManyPlacesIsRefusedInFewWords() {
        Schema schema = new Schema(
                List.of(
                        new Field("id", FieldType.LONG, false),
                        new Field("at", FieldType.TIMESTAMP, false),
                        new Field("cost", FieldType.decimal(12, 2), true)),
                new KeySpec.Ordered("id"),
                "at");
        StreamInfo stream = new StreamInfo("s", 1, schema, RecordFormat.BLOCK, "s", 1, 1);
        for (String written : List.of("1E-999999999", "1.23456")) {
            refused(
                    () -> new InsertRows(stream, List.of())
                            .addLiterals(List.of(
                                    whole(1),
                                    new Expression.Moment(AT),
                                    new Expression.Decimal(Double.parseDouble(written), written))),
                    "of at most 10 digits before the point and 2 behind it, got " + written + ";");
        }
    }

    private static void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(WaterwheelException.class).hasMessageContaining(message);
    }

    /** By each format, with the number of the row, the first of a block or a later one. */
    @Test
    void whatTheStreamCannotTakeIsRefusedWithItsRow() {
        List<Literal> good = row(2.5, new Expression.Moment(AT), whole(1), text("x"), text("10.0.0.1"));
        for (RecordFormat format : FORMATS) {
            wrong(
                    format,
                    good,
                    row(2.5, new Expression.Moment(AT), whole(1L << 40), text("x"), text("10.0.0.1")),
                    "field small of type int: expected a whole number of 32 bits, got 1099511627776;");
            wrong(
                    format,
                    good,
                    row(2.5, new Expression.Moment(AT), text("1"), text("x"), text("10.0.0.1")),
                    "expected a whole number, got '1';");
            wrong(
                    format,
                    good,
                    row(2.5, new Expression.Moment(AT), whole(1), whole(1), text("10.0.0.1")),
                    "field note of type string: expected a text, got 1;");
            wrong(
                    format,
                    good,
                    row(2.5, new Expression.Moment(AT), whole(1), text("x"), text("10.0.0.256")),
                    "field source of type ipv4: expected an IPv4 address, got '10.0.0.256';");
            wrong(format, good, row(2.5, new Expression.Null(), whole(1), text("x"), text("10.0.0.1")), "field at");
            wrong(
                    format,
                    good,
                    row(2.5, whole(5), whole(1), text("x"), text("10.0.0.1")),
                    "expected a TIMESTAMP, got 5");
            wrong(format, good, row(2.5, text("noon"), whole(1), text("x"), text("10.0.0.1")), "'noon' is no time");
            wrong(
                    format,
                    good,
                    row(2.5, new Expression.Moment(AT.plusNanos(1)), whole(1), text("x"), text("10.0.0.1")),
                    "finer digits");
            // A key that a dispatcher could not make.
            wrong(format, good, row(12, new Expression.Moment(AT), whole(1), text("x"), text("10.0.0.1")), "12");
        }
    }

    private static void wrong(RecordFormat format, List<Literal> good, List<Literal> bad, String message) {
        InsertRows rows = new InsertRows(stream(format), List.of());
        rows.addLiterals(good);
        rows.addLiterals(good);
        assertThatThrownBy(() -> {
                    rows.addLiterals(bad);
                    rows.addLiterals(good);
                    rows.records();
                })
                .as(format + " " + bad)
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("row 3: ")
                .hasMessageContaining(message)
                .hasMessageEndingWith("nothing was stored");
    }

    @Test
    void thereIsAMostOfThem() {
        InsertRows rows = new InsertRows(stream(RecordFormat.BLOCK), List.of());
        List<Literal> wide = row(2.5, new Expression.Moment(AT), whole(1), text("x".repeat(30_000)), text("10.0.0.1"));
        refused(
                () -> {
                    for (int i = 0; i < 1000; i++) {
                        rows.addLiterals(wide);
                    }
                },
                "an INSERT takes at most 16 MiB");
    }
}
