package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.exec.ResidualExecutor;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DuckDB's process: what happens when it ends, when nothing more is wanted of it, and when it may take no more. */
@Timeout(600)
final class DuckDbExecutorTest {
    /** Enough for a busy machine, which may also have to start DuckDB's process first. */
    private static final int PATIENCE_MILLIS = 120_000;

    /** Rows without end, and nothing that is kept of them. */
    private static final String ENDLESS =
            "SELECT count(*) AS c0 FROM range(1000000) a, range(1000000) b, range(1000000) c";

    private static final DuckDbExecutor EXECUTOR = new DuckDbExecutor(new DuckDbSettings(64 << 20, 16 << 20, 1, 1));

    @AfterAll
    static void close() {
        EXECUTOR.close();
    }

    private static ResidualPlan select(String text) {
        return new ResidualPlan(
                List.of(), text, List.of(new Field("c0", FieldType.LONG, true)), List.of("n"), List.of());
    }

    /** The one number that a SELECT has. */
    private static @Nullable Object number(String text) throws InterruptedException {
        Taker taker = new Taker(() -> false, PATIENCE_MILLIS);
        EXECUTOR.execute(select(text), (leaf, query, rows) -> {}, taker);
        return taker.last;
    }

    private static class Taker implements ResidualExecutor.Asker {
        private final BooleanSupplier cancelled;
        private final long deadline;
        private @Nullable Object last;

        Taker(BooleanSupplier cancelled, long millis) {
            this.cancelled = cancelled;
            this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        }

        @Override
        public void take(TupleBlock rows) {
            last = rows.value(0, rows.size() - 1);
        }

        @Override
        public boolean cancelled() {
            return cancelled.getAsBoolean();
        }

        @Override
        public long deadlineNanos() {
            return deadline;
        }
    }

    private static void assertFails(String text, Taker taker, String code) {
        assertThatThrownBy(() -> EXECUTOR.execute(select(text), (leaf, query, rows) -> {}, taker))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void endsWhatIsLateOrNotWanted() throws Exception {
        assertFails(ENDLESS, new Taker(() -> false, 300), "TIMEOUT");
        AtomicLong asked = new AtomicLong();
        assertFails(ENDLESS, new Taker(() -> asked.incrementAndGet() > 3, PATIENCE_MILLIS), "CANCELLED");
        String steps = "WITH RECURSIVE s(c0) AS ((SELECT CAST(1 AS BIGINT)) UNION ALL (SELECT c0 + 1 FROM s)) SELECT"
                + " count(*) AS c0 FROM s";
        assertFails(steps, new Taker(() -> false, 300), "TIMEOUT");
        asked.set(0);
        assertFails(steps, new Taker(() -> asked.incrementAndGet() > 3, PATIENCE_MILLIS), "CANCELLED");
        // One statement at a time: neither of those is still at work.
        assertThat(number("SELECT CAST(1 AS BIGINT) AS c0")).isEqualTo(1L);
    }

    /** Also while a table of regions, or a side, is made. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void endsTablesThatAreNotWanted(boolean side) throws Exception {
        String table = "SELECT row_number() OVER () AS n, CAST(a.range AS VARCHAR) AS shape"
                + " FROM range(1000000) a, range(1000000) b WHERE a.range + b.range < 0";
        ResidualPlan plan = new ResidualPlan(
                List.of(),
                List.of(),
                List.of(),
                side ? List.of(table) : List.of(),
                side ? List.of() : List.of(table),
                "SELECT CAST(1 AS BIGINT) AS c0",
                List.of(new Field("c0", FieldType.LONG, true)),
                List.of("n"),
                List.of());
        assertThatThrownBy(() -> EXECUTOR.execute(plan, (leaf, query, rows) -> {}, new Taker(() -> false, 300)))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("TIMEOUT"));
        assertThat(number("SELECT count(*) AS c0 FROM duckdb_temporary_files()"))
                .isEqualTo(0L);
    }

    /** One that is made already goes too, while the second is made or both are asked. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void endsWhatIsJoinedWithTwoTablesOfRegions(boolean made) throws Exception {
        String one = "SELECT CAST(1 AS BIGINT) AS n, 'POLYGON((0 0, 1 0, 1 1, 0 0))' AS shape";
        String endless = "SELECT row_number() OVER () AS n, CAST(a.range AS VARCHAR) AS shape"
                + " FROM range(1000000) a, range(1000000) b WHERE a.range + b.range < 0";
        String asked = "SELECT count(*) AS c0 FROM range(1000000) a, range(1000000) b WHERE"
                + " len(ww_regions(getvariable('regions'), a.range / 1e6, 0.1))"
                + " + len(ww_regions(getvariable('regions') + 1, b.range / 1e6, 0.1)) < 0";
        // Each statement takes as many numbers for its tables; this one also starts DuckDB's process.
        long before = firstTable(one);
        AtomicLong looks = new AtomicLong();
        assertThatThrownBy(() -> EXECUTOR.execute(
                        withRegions(List.of(one, made ? one : endless), asked),
                        (leaf, query, rows) -> {},
                        new Taker(() -> looks.incrementAndGet() > 8, PATIENCE_MILLIS)))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("CANCELLED"));
        assertThat(firstTable(one)).isEqualTo(before + 2L * RegionTables.MOST_TABLES);
        for (int table = 0; table < 2; table++) {
            String gone = "SELECT len(ww_regions(CAST(" + (before + RegionTables.MOST_TABLES + table)
                    + " AS BIGINT), 0.5, 0.1)) AS c0";
            // The session ends a moment later than its statement.
            Waiting.until("a table is gone", () -> {
                try {
                    number(gone);
                    return false;
                } catch (WaterwheelException e) {
                    return String.valueOf(e.getMessage()).contains("there are no regions");
                }
            });
        }
    }

    /** The number that the first table of regions of a statement has. */
    private static long firstTable(String region) throws InterruptedException {
        Taker taker = new Taker(() -> false, PATIENCE_MILLIS);
        EXECUTOR.execute(
                withRegions(List.of(region), "SELECT CAST(getvariable('regions') AS BIGINT) AS c0"),
                (leaf, query, rows) -> {},
                taker);
        return (Long) Objects.requireNonNull(taker.last);
    }

    private static ResidualPlan withRegions(List<String> regions, String select) {
        return new ResidualPlan(
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                regions,
                select,
                List.of(new Field("c0", FieldType.LONG, true)),
                List.of("n"),
                List.of());
    }

    /** The thread is wanted elsewhere, and DuckDB's process goes on. */
    @Test
    void endsWhenInterrupted() throws Exception {
        assertThat(number("SELECT CAST(1 AS BIGINT) AS c0")).isEqualTo(1L);
        ProcessHandle process = Objects.requireNonNull(EXECUTOR.process());
        Thread waiting = Thread.currentThread();
        AtomicLong asked = new AtomicLong();
        BooleanSupplier interrupts = () -> {
            if (asked.incrementAndGet() == 2) {
                waiting.interrupt();
            }
            return false;
        };
        assertThatThrownBy(() -> EXECUTOR.execute(
                        select(ENDLESS), (leaf, query, rows) -> {}, new Taker(interrupts, PATIENCE_MILLIS)))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(number("SELECT CAST(2 AS BIGINT) AS c0")).isEqualTo(2L);
        assertThat(Objects.requireNonNull(EXECUTOR.process()).pid()).isEqualTo(process.pid());
    }

    /** Which of a plan's texts is answered: by a double of the rows, one of its table's two columns. */
    @ParameterizedTest
    @CsvSource({
        "1e280, 0, 2",
        "0, -1e30, 2",
        "NaN, 0, 1",
        "0, -Infinity, 1",
        "-1e300, 0, 1",
        "0, Infinity, 1",
    })
    void looksForInfiniteSumsWhereThereAreSuchDoubles(double one, float other, long text) throws Exception {
        List<Field> fields = List.of(new Field("a", FieldType.DOUBLE, true), new Field("b", FieldType.FLOAT, true));
        ResidualPlan.Leaf leaf = new ResidualPlan.Leaf(Query.builder("orders").build(), fields, List.of(0, 1));
        ResidualPlan plan = new ResidualPlan(
                List.of(leaf),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                "SELECT CAST(1 AS BIGINT) AS c0",
                "SELECT CAST(2 AS BIGINT) AS c0",
                List.of(new Field("c0", FieldType.LONG, true)),
                List.of("n"),
                List.of());
        Taker taker = new Taker(() -> false, PATIENCE_MILLIS);
        EXECUTOR.execute(
                plan,
                (number, query, rows) -> {
                    TupleBlock block = new TupleBlock(RowLayout.ofFields(fields), 3);
                    LittleEndian.putLong(block.column(block.layout().columnOf(0)), 8, Double.doubleToRawLongBits(one));
                    LittleEndian.putInt(block.column(block.layout().columnOf(1)), 4, Float.floatToRawIntBits(other));
                    block.setSize(3);
                    rows.take(block);
                    block.clear();
                    rows.take(block);
                },
                taker);
        assertThat(taker.last).isEqualTo(text);
    }

    /** What the engine fails of is told as it is. */
    @Test
    void failuresOfTheEngineAreItsOwn() {
        ResidualPlan.Leaf leaf = new ResidualPlan.Leaf(
                Query.builder("orders").build(), List.of(new Field("a", FieldType.LONG, true)), List.of(0));
        ResidualPlan plan = new ResidualPlan(
                List.of(leaf),
                "SELECT * FROM leaf0",
                List.of(new Field("c0", FieldType.LONG, true)),
                List.of("n"),
                List.of());
        assertThatThrownBy(() -> EXECUTOR.execute(
                        plan,
                        (number, query, rows) -> {
                            throw new UncheckedIOException(new IOException("no such chunk"));
                        },
                        new Taker(() -> false, PATIENCE_MILLIS)))
                .isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void waitsForATurnOnlyWhileItIsWanted() throws Exception {
        AtomicBoolean begun = new AtomicBoolean();
        AtomicBoolean enough = new AtomicBoolean();
        Thread other = new Thread(() -> assertFails(
                ENDLESS,
                new Taker(
                        () -> {
                            begun.set(true);
                            return enough.get();
                        },
                        PATIENCE_MILLIS),
                "CANCELLED"));
        other.start();
        Waiting.until("the other is at work", begun::get);
        assertFails(ENDLESS, new Taker(() -> true, PATIENCE_MILLIS), "CANCELLED");
        enough.set(true);
        other.join();
    }

    @Test
    void answersLongTextsInSeveralMessages() throws Exception {
        long[] rows = new long[2];
        ResidualPlan plan = new ResidualPlan(
                List.of(),
                "SELECT repeat('ü', 16000) AS c0 FROM range(4000)",
                List.of(new Field("c0", FieldType.STRING, true)),
                List.of("t"),
                List.of());
        EXECUTOR.execute(plan, (leaf, query, taker) -> {}, new Taker(() -> false, PATIENCE_MILLIS) {
            @Override
            public void take(TupleBlock block) {
                rows[0] += block.size();
                rows[1] = Math.max(rows[1], block.arenaSize());
                assertThat(((String) Objects.requireNonNull(block.value(0, block.size() - 1))).length())
                        .isEqualTo(16_000);
            }
        });
        assertThat(rows[0]).isEqualTo(4000);
        assertThat(rows[1]).isLessThan(2 << 20);
        ResidualPlan tooLong =
                new ResidualPlan(List.of(), "SELECT repeat('x', 32769) AS c0", plan.fields(), List.of("t"), List.of());
        assertThatThrownBy(() ->
                        EXECUTOR.execute(tooLong, (leaf, query, taker) -> {}, new Taker(() -> false, PATIENCE_MILLIS)))
                .hasMessageContaining("a value of 32769 bytes");
    }

    /** Values of every type that a leaf shows are the same in DuckDB, the longest and nulls among them. */
    @Test
    void hasValuesOfEveryType() throws Exception {
        FieldType money = FieldType.decimal(9, 2);
        FieldType long38 = FieldType.decimal(38, 3);
        List<FieldType> types = List.of(
                FieldType.INT,
                FieldType.LONG,
                FieldType.FLOAT,
                FieldType.DOUBLE,
                FieldType.BOOLEAN,
                FieldType.TIMESTAMP,
                FieldType.TIMESTAMP_US,
                FieldType.TIMESTAMP_NS,
                FieldType.STRING,
                FieldType.BYTES,
                money,
                long38);
        List<Field> fields = IntStream.range(0, types.size())
                .mapToObj(f -> new Field("f" + f, types.get(f), true))
                .toList();
        byte[] broken = {'a', (byte) 0xFF, 'b'};
        List<List<Object>> rows = List.of(
                List.of(
                        Integer.MIN_VALUE,
                        Long.MIN_VALUE,
                        -0.5f,
                        -0.0,
                        true,
                        -1L,
                        -1L,
                        -1L,
                        "",
                        new byte[0],
                        -5L,
                        "-1.005"),
                List.of(
                        7,
                        Long.MAX_VALUE,
                        1e30f,
                        1e300,
                        false,
                        1L << 52,
                        1L << 62,
                        1L << 62,
                        "é\0 long enough",
                        broken,
                        5L,
                        "9".repeat(35) + ".125"),
                List.of(
                        Integer.MAX_VALUE,
                        0L,
                        0f,
                        Double.NaN,
                        true,
                        0L,
                        0L,
                        0L,
                        broken,
                        "ab".getBytes(StandardCharsets.UTF_8),
                        0L,
                        "0.000"));
        TupleBlock block = new TupleBlock(RowLayout.ofFields(fields), 4);
        for (int row = 0; row < 3; row++) {
            for (int f = 0; f < types.size(); f++) {
                put(block, f, row, rows.get(row).get(f));
            }
        }
        block.setSize(4);
        for (int f = 0; f < types.size(); f++) {
            block.setNullMask(3, block.nullMask(3) | 1L << block.layout().nullBit(f));
        }
        List<String> shown = List.of(
                "c11 = -2147483648 AND c0 = -9223372036854775808 AND c1 = -0.5 AND CAST(c2 AS VARCHAR) = '-0.0' AND c3"
                        + " AND epoch_ms(c4) = -1 AND epoch_us(c5) = -1 AND epoch_ns(c6) = -1 AND c7 = ''"
                        + " AND octet_length(c8) = 0 AND c9 = -0.05 AND c10 = -1.005",
                "c11 = 7 AND c0 = 9223372036854775807 AND c1 > 9e29 AND c2 = 1e300 AND NOT c3"
                        + " AND epoch_ms(c4) = 4503599627370496 AND epoch_us(c5) = 4611686018427387904"
                        + " AND epoch_ns(c6) = 4611686018427387904 AND c7 = 'é' || chr(0) || ' long enough'"
                        + " AND c8 = from_hex('61FF62') AND c9 = 0.05 AND CAST(c10 AS VARCHAR) = repeat('9', 35) || '.125'",
                "c11 = 2147483647 AND c0 = 0 AND c1 = 0 AND isnan(c2) AND c3 AND c4 = CAST('1970-01-01' AS TIMESTAMP_MS)"
                        + " AND c5 = CAST('1970-01-01' AS TIMESTAMP) AND c6 = CAST('1970-01-01' AS TIMESTAMP_NS)"
                        + " AND c7 = 'a' || chr(65533) || 'b' AND c8 = from_hex('6162') AND c9 = 0 AND c10 = 0",
                "coalesce(c0, c1, c2, c11) IS NULL AND c3 IS NULL AND coalesce(c4, c5, c6) IS NULL AND c7 IS NULL"
                        + " AND c8 IS NULL AND c9 IS NULL AND c10 IS NULL");
        // Columns are the fields in another order: the first comes last.
        List<Integer> places = IntStream.range(0, types.size())
                .mapToObj(c -> (c + 1) % types.size())
                .toList();
        for (String condition : shown) {
            ResidualPlan plan = new ResidualPlan(
                    List.of(new ResidualPlan.Leaf(Query.builder("s").build(), fields, places)),
                    "SELECT count(*) AS c0 FROM leaf0 WHERE " + condition,
                    List.of(new Field("c0", FieldType.LONG, true)),
                    List.of("n"),
                    List.of());
            Taker taker = new Taker(() -> false, PATIENCE_MILLIS);
            // More rows than a vector has.
            EXECUTOR.execute(plan, (leaf, query, to) -> IntStream.range(0, 1000).forEach(i -> to.take(block)), taker);
            assertThat(taker.last).as(condition).isEqualTo(1000L);
        }
    }

    /** Times that DuckDB has not end the statement by name, in the middle of its rows; not below a null. */
    @Test
    void refusesTimesThatDuckDbHasNot() throws Exception {
        List<Field> fields = List.of(
                new Field("ms", FieldType.TIMESTAMP, true),
                new Field("us", FieldType.TIMESTAMP_US, true),
                new Field("ns", FieldType.TIMESTAMP_NS, true));
        ResidualPlan plan = new ResidualPlan(
                List.of(new ResidualPlan.Leaf(Query.builder("s").build(), fields, List.of(0, 1, 2))),
                "SELECT count(c0) + count(c1) + count(c2) AS c0 FROM leaf0",
                List.of(new Field("c0", FieldType.LONG, true)),
                List.of("n"),
                List.of());
        for (int f = 0; f < 3; f++) {
            long most = f == 0 ? Long.MAX_VALUE / 1000 : Long.MAX_VALUE - 1;
            for (long time : new long[] {most, -most, most + 1, -most - 1}) {
                TupleBlock block = new TupleBlock(RowLayout.ofFields(fields), 2);
                block.setSize(2);
                for (int row = 0; row < 2; row++) {
                    for (int g = 0; g < 3; g++) {
                        put(block, g, row, g == f ? time : 0L);
                    }
                }
                block.setNullMask(0, 0);
                block.setNullMask(1, 1L << block.layout().nullBit(f));
                ResidualExecutor.LeafReader many =
                        (leaf, query, rows) -> IntStream.range(0, 500).forEach(i -> rows.take(block));
                Taker taker = new Taker(() -> false, PATIENCE_MILLIS);
                if (Math.abs(time) > most) {
                    String name = fields.get(f).name();
                    assertThatThrownBy(() -> EXECUTOR.execute(plan, many, taker))
                            .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                                    .isEqualTo("SQL_VALUE"))
                            .hasMessageContaining("column '" + name + "' has the ")
                            .hasMessageContaining(String.valueOf(time));
                } else {
                    EXECUTOR.execute(plan, many, taker);
                    assertThat(taker.last).isEqualTo(2500L);
                }
            }
        }
    }

    private static void put(TupleBlock block, int field, int row, Object value) {
        FieldType type = block.layout().fields().get(field).type();
        byte[] column = block.column(block.layout().columnOf(field));
        if (value instanceof Integer number) {
            LittleEndian.putInt(column, row * 4, number);
        } else if (value instanceof Float number) {
            LittleEndian.putInt(column, row * 4, Float.floatToRawIntBits(number));
        } else if (value instanceof Boolean truth) {
            column[row] = (byte) (truth ? 1 : 0);
        } else if (value instanceof Long number) {
            LittleEndian.putLong(column, row * 8, number);
        } else if (value instanceof Double number) {
            LittleEndian.putLong(column, row * 8, Double.doubleToRawLongBits(number));
        } else {
            byte[] bytes = value instanceof byte[] raw
                    ? raw
                    : type.isDecimal()
                            ? Decimals.bytes(new BigDecimal((String) value), type.precision(), type.scale())
                            : ((String) value).getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(column, row * 8, block.addToArena(bytes, 0, bytes.length));
        }
    }

    /** However many joins there are, what narrows a leaf stays a condition that the engine takes. */
    @Test
    void narrowsOnlyAsFarAsAConditionMayGo() throws Exception {
        List<Field> text = List.of(new Field("t", FieldType.STRING, true));
        ResidualPlan.Leaf small = new ResidualPlan.Leaf(
                Query.builder("a").where(Expression.parse("t > 'x'")).build(), text, List.of(0));
        ResidualPlan.Leaf large = new ResidualPlan.Leaf(Query.builder("b").build(), text, List.of(0));
        ResidualPlan plan = new ResidualPlan(
                List.of(small, large),
                "SELECT count(*) AS c0 FROM leaf1",
                List.of(new Field("c0", FieldType.LONG, true)),
                List.of("n"),
                IntStream.range(0, 40)
                        .mapToObj(i -> new ResidualPlan.Narrowing(
                                "leaf0", 0, 1, new Expression.FieldValue("t" + i), ValueType.STRING))
                        .toList());
        TupleBlock block = new TupleBlock(RowLayout.ofFields(text), 1000);
        for (int row = 0; row < 1000; row++) {
            byte[] value = ("x".repeat(50) + row).getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(
                    block.column(block.layout().columnOf(0)), row * 8, block.addToArena(value, 0, value.length));
        }
        block.setSize(1000);
        List<Query> asked = new ArrayList<>();
        EXECUTOR.execute(
                plan,
                (leaf, query, rows) -> {
                    asked.add(query);
                    rows.take(block);
                },
                new Taker(() -> false, PATIENCE_MILLIS));
        Expression where = Objects.requireNonNull(asked.get(1).where());
        where.requireLimits();
        assertThat(where.toString().length()).isBetween(100_000, 400_000);
    }

    /** Of more values than narrow a query: rows that have none of them do not go to DuckDB. */
    @Test
    void handsOverOnlyRowsThatAreJoined() throws Exception {
        List<Field> fields = List.of(new Field("n", FieldType.LONG, true), new Field("t", FieldType.STRING, true));
        ResidualPlan.Leaf small =
                new ResidualPlan.Leaf(Query.builder("a").build().withSelect(List.of("n", "t")), fields, List.of(0, 1));
        ResidualPlan.Leaf large =
                new ResidualPlan.Leaf(Query.builder("b").build().withSelect(List.of("n", "t")), fields, List.of(0, 1));
        // No join, so that what was handed over is seen.
        ResidualPlan plan = new ResidualPlan(
                List.of(small, large),
                "SELECT CAST(sum(hash(c0, c1) % 1000000) AS BIGINT) AS c0 FROM leaf1",
                List.of(new Field("c0", FieldType.LONG, true)),
                List.of("n"),
                List.of(new ResidualPlan.Narrowing("leaf0", 0, 1, new Expression.FieldValue("n"), ValueType.INTEGER)));
        Taker taker = new Taker(() -> false, PATIENCE_MILLIS);
        EXECUTOR.execute(
                plan,
                (leaf, query, rows) -> {
                    assertThat(query.where())
                            .as("10,000 are too many for a query")
                            .isNull();
                    int step = leaf == 0 ? 2 : 1;
                    TupleBlock block = new TupleBlock(RowLayout.ofFields(fields), 20_000 / step);
                    for (int row = 0; row < 20_000 / step; row++) {
                        put(block, 0, row, (long) row * step);
                        put(block, 1, row, "t" + row);
                        if (row % 5 == 4) {
                            block.setNullMask(row, 1L << block.layout().nullBit(row % 2));
                        }
                    }
                    block.setSize(20_000 / step);
                    rows.take(block);
                },
                taker);
        // In the first table every tenth row has no number; in the second rows 4, 14, ... have none.
        assertThat(taker.last)
                .isEqualTo(number("SELECT CAST(sum(hash(n, t) % 1000000) AS BIGINT) AS c0 FROM (SELECT i AS n,"
                        + " CASE WHEN i % 10 <> 9 THEN 't' || i END AS t FROM range(20000) r(i)"
                        + " WHERE i % 2 = 0 AND i % 10 <> 4 AND i % 20 <> 8)"));
    }

    /**
     * Groups that the text merges again are asked for where they are fewer than the tuples and the engine can have
     * them; whichever is read, the answer is the same.
     */
    @ParameterizedTest
    @CsvSource({
        "100, 4, none, LIMIT",
        "70000, 4, none, LIMIT GROUPS",
        "70000, 1, none, LIMIT ALL",
        "70000, 4, INTEGER_OVERFLOW, LIMIT GROUPS ALL",
        "70000, 4, QUERY_MEMORY, LIMIT GROUPS ALL",
        "70000, 4, SPILL_FAILED, LIMIT GROUPS ALL",
        "70000, 4, TIMEOUT, LIMIT GROUPS"
    })
    void readsGroupsOrTuples(int tuples, int perKey, String failure, String expected) throws Exception {
        List<Field> fields = List.of(new Field("k", FieldType.LONG, false), new Field("n", FieldType.LONG, false));
        ResidualPlan.Leaf singles = new ResidualPlan.Leaf(
                Query.builder("a").build().withSelect(List.of("k", "1 AS n")), fields, List.of(0, 1));
        ResidualPlan.Leaf groups = new ResidualPlan.Leaf(
                Query.builder("a")
                        .build()
                        .withResult(new ResultSpec.Aggregates(
                                List.of(Aggregate.parse("count(*) AS n")), List.of(NamedExpression.field("k")), null)),
                fields,
                List.of(0, 1),
                singles);
        ResidualPlan plan = new ResidualPlan(
                List.of(groups),
                "SELECT CAST(sum(c1) AS BIGINT) AS c0 FROM leaf0",
                List.of(new Field("c0", FieldType.LONG, true)),
                List.of("n"),
                List.of());
        List<String> asked = new ArrayList<>();
        ResidualExecutor.LeafReader engine = (leaf, query, rows) -> {
            if (query.result() instanceof ResultSpec.Rows limited) {
                asked.add(limited.limit() == Query.NO_LIMIT ? "ALL" : "LIMIT");
                rows.take(counts(fields, (int) Math.min(limited.limit(), tuples), perKey, 1));
                return;
            }
            asked.add("GROUPS");
            rows.take(counts(fields, tuples / perKey, 1, perKey));
            if (!failure.equals("none")) {
                throw new WaterwheelException(ErrorCode.valueOf(failure), "planted");
            }
        };
        Taker taker = new Taker(() -> false, PATIENCE_MILLIS);
        if (failure.equals("TIMEOUT")) {
            assertThatThrownBy(() -> EXECUTOR.execute(plan, engine, taker)).hasMessage("planted");
        } else {
            EXECUTOR.execute(plan, engine, taker);
            assertThat(taker.last).isEqualTo((long) tuples);
        }
        assertThat(asked).containsExactly(expected.split(" "));
    }

    private static TupleBlock counts(List<Field> fields, int rows, int perKey, long count) {
        TupleBlock block = new TupleBlock(RowLayout.ofFields(fields), rows);
        for (int row = 0; row < rows; row++) {
            LittleEndian.putLong(block.column(block.layout().columnOf(0)), row * 8, row / perKey);
            LittleEndian.putLong(block.column(block.layout().columnOf(1)), row * 8, count);
        }
        block.setSize(rows);
        return block;
    }

    @Test
    void readsSystemTables() throws Exception {
        List<Field> fields = List.of(new Field("t", FieldType.STRING, false), new Field("n", FieldType.LONG, true));
        ResidualPlan plan = new ResidualPlan(
                List.of(),
                List.of(new ResidualPlan.SystemLeaf("waterwheel.streams", fields)),
                List.of(),
                List.of(),
                List.of(),
                "SELECT sum(c1)::BIGINT AS c0 FROM system0 WHERE c0 = 'a'",
                List.of(new Field("c0", FieldType.LONG, true)),
                List.of("n"),
                List.of());
        TupleBlock block = new TupleBlock(RowLayout.ofFields(fields), 2);
        for (int row = 0; row < 2; row++) {
            byte[] value = {(byte) ('a' + row)};
            LittleEndian.putLong(block.column(block.layout().columnOf(0)), row * 8, block.addToArena(value, 0, 1));
            LittleEndian.putLong(block.column(block.layout().columnOf(1)), row * 8, 40 + row);
        }
        block.setSize(2);
        Taker taker = new Taker(() -> false, PATIENCE_MILLIS);
        EXECUTOR.execute(
                plan,
                new ResidualExecutor.LeafReader() {
                    @Override
                    public void read(int leaf, Query query, ResidualExecutor.Rows rows) {
                        throw new IllegalStateException("no stream is read");
                    }

                    @Override
                    public void readSystem(String name, ResidualExecutor.Rows rows) {
                        assertThat(name).isEqualTo("waterwheel.streams");
                        rows.take(block);
                    }
                },
                taker);
        assertThat(taker.last).isEqualTo(40L);
    }

    @Test
    void startsAgainAfterACrash() throws Exception {
        assertThat(number("SELECT CAST(2 AS BIGINT) AS c0")).isEqualTo(2L);
        ProcessHandle process = Objects.requireNonNull(EXECUTOR.process());
        ResidualExecutor.Load before = EXECUTOR.load();
        assertThat(before.starts()).isPositive();
        assertThat(before.running()).isZero();
        assertThat(before.atOnce()).isEqualTo(1);
        if (Files.exists(Path.of("/proc/self/status"))) {
            assertThat(before.residentBytes()).isBetween(10L << 20, 2L << 30);
        }
        AtomicLong asked = new AtomicLong();
        BooleanSupplier kills = () -> {
            assertThat(EXECUTOR.load().running()).isEqualTo(1);
            if (asked.incrementAndGet() == 2) {
                assertThat(process.destroyForcibly()).isTrue();
            }
            return false;
        };
        assertFails(ENDLESS, new Taker(kills, PATIENCE_MILLIS), "SQL_EXECUTOR_ENDED");
        assertThat(number("SELECT CAST(3 AS BIGINT) AS c0")).isEqualTo(3L);
        assertThat(Objects.requireNonNull(EXECUTOR.process()).pid()).isNotEqualTo(process.pid());
        assertThat(EXECUTOR.load().starts()).isEqualTo(before.starts() + 1);
    }

    @Test
    void takesNoMoreThanItMay() throws Exception {
        // Forty megabytes are more than its disk, and with its working memory more than its memory.
        String sorted = "SELECT CAST(max(n) AS BIGINT) AS c0 FROM (SELECT row_number() OVER (ORDER BY hash(r)) AS n,"
                + " repeat('x', 100) || r AS t FROM range(4000000) t(r) ORDER BY t DESC OFFSET 1)";
        assertFails(sorted, new Taker(() -> false, PATIENCE_MILLIS), "QUERY_MEMORY");
        assertThat(number("SELECT count(*) AS c0 FROM range(1000)")).isEqualTo(1000L);
    }

    @Test
    void readsNoFiles() {
        for (String text : List.of(
                "SELECT count(*) AS c0 FROM read_csv('/etc/passwd')",
                "SELECT count(*) AS c0 FROM '/etc/passwd'",
                "SELECT count(*) AS c0 FROM glob('/*')")) {
            assertFails(text, new Taker(() -> false, PATIENCE_MILLIS), "BUG");
        }
    }
}
