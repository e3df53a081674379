package io.waterwheel.sql.duckdb;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.local.LocalSettings;
import io.waterwheel.local.LocalStream;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.SqlPlan;
import io.waterwheel.sql.SqlPlanner;
import io.waterwheel.sql.StatementPlan;
import io.waterwheel.sql.StreamSchemas;
import io.waterwheel.sql.exec.ResidualExecutor;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Two streams of random rows, part in chunks and part in memory, and who answers statements over them. */
final class TwoStreams implements AutoCloseable, StreamSchemas {
    static final long BEGIN = Instant.parse("2026-11-24T00:00:00Z").toEpochMilli();
    private static final Instant NOW = Instant.parse("2026-11-24T03:00:00Z");

    static final Schema ORDERS = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("moment", FieldType.TIMESTAMP, false),
                    new Field("amount", FieldType.INT, true),
                    new Field("price", FieldType.DOUBLE, true),
                    new Field("note", FieldType.STRING, true),
                    new Field("paid", FieldType.BOOLEAN, true)),
            new KeySpec.Ordered("id"),
            "moment");
    static final Schema VISITS = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("moment", FieldType.TIMESTAMP_US, false),
                    new Field("level", FieldType.LONG, true),
                    new Field("weight", FieldType.FLOAT, true),
                    new Field("note", FieldType.STRING, true),
                    new Field("tag", FieldType.BYTES, true)),
            new KeySpec.Ordered("id"),
            "moment");

    private final Map<String, LocalStream> streams = new TreeMap<>();
    private final SqlPlanner planner = new SqlPlanner(this);
    private final ResidualExecutor executor;
    final List<List<@Nullable Object>> orders = new ArrayList<>();
    final List<List<@Nullable Object>> visits = new ArrayList<>();
    /** The queries of the last statement, as they were asked. */
    final List<Query> asked = new ArrayList<>();

    TwoStreams(Path folder, Random random, ResidualExecutor executor) throws IOException {
        this.executor = executor;
        streams.put("orders", LocalStream.open(folder.resolve("orders"), "orders", ORDERS, LocalSettings.DEFAULT));
        streams.put("visits", LocalStream.open(folder.resolve("visits"), "visits", VISITS, LocalSettings.DEFAULT));
        for (int round = 0; round < 2; round++) {
            insert("orders", ORDERS, orders, random, 1 + random.nextInt(120));
            insert("visits", VISITS, visits, random, 1 + random.nextInt(120));
            if (round == 0) {
                for (LocalStream stream : streams.values()) {
                    stream.flush();
                }
            }
        }
    }

    private void insert(String name, Schema schema, List<List<@Nullable Object>> all, Random random, int rows)
            throws IOException {
        LocalStream stream = Objects.requireNonNull(streams.get(name));
        TupleBlock block = new TupleBlock(stream.layout(), rows);
        for (int row = 0; row < rows; row++) {
            List<@Nullable Object> values = new ArrayList<>();
            for (Field field : schema.fields()) {
                Object value = field.nullable() && random.nextInt(6) == 0 ? null : value(field, random);
                values.add(value);
                put(block, values.size() - 1, row, value);
            }
            all.add(values);
        }
        block.setSize(rows);
        stream.insert(block);
    }

    private static Object value(Field field, Random random) {
        return switch (field.type()) {
            case LONG -> field.name().equals("id") ? (long) random.nextInt(12) : (long) random.nextInt(5) - 2;
            case INT -> random.nextInt(7) - 3;
            case DOUBLE -> (random.nextInt(41) - 20) * 0.25;
            case FLOAT -> (random.nextInt(9) - 4) * 0.5f;
            case BOOLEAN -> random.nextBoolean();
            case STRING -> List.of("a", "b", "ab", "Zürich", "東京", "", "it's").get(random.nextInt(7));
            case BYTES -> new byte[] {(byte) random.nextInt(3), -1};
            case TIMESTAMP -> BEGIN + random.nextInt(20) * 60_000L;
            case TIMESTAMP_US -> (BEGIN + random.nextInt(20) * 60_000L) * 1000 + random.nextInt(2);
            default -> throw new IllegalStateException(field.toString());
        };
    }

    private static void put(TupleBlock block, int field, int row, @Nullable Object value) {
        if (value == null) {
            block.setNullMask(row, block.nullMask(row) | 1L << block.layout().nullBit(field));
            return;
        }
        FieldType type = block.layout().fields().get(field).type();
        int column = block.layout().columnOf(field);
        if (column == io.waterwheel.schema.RowLayout.KEY) {
            block.keys()[row] = (Long) value;
            return;
        } else if (column == io.waterwheel.schema.RowLayout.TIME) {
            block.times()[row] = (Long) value;
            return;
        }
        byte[] bytes = block.column(column);
        switch (type) {
            case LONG -> LittleEndian.putLong(bytes, row * 8, (Long) value);
            case TIMESTAMP_US -> {
                LittleEndian.putLong(bytes, row * 8, (Long) value);
                block.times()[row] = Math.floorDiv((Long) value, 1000L);
            }
            case INT -> LittleEndian.putInt(bytes, row * 4, (Integer) value);
            case DOUBLE -> LittleEndian.putLong(bytes, row * 8, Double.doubleToRawLongBits((Double) value));
            case FLOAT -> LittleEndian.putInt(bytes, row * 4, Float.floatToRawIntBits((Float) value));
            case BOOLEAN -> bytes[row] = (byte) ((Boolean) value ? 1 : 0);
            case STRING, BYTES -> {
                byte[] text = value instanceof byte[] raw ? raw : ((String) value).getBytes(StandardCharsets.UTF_8);
                LittleEndian.putLong(bytes, row * 8, block.addToArena(text, 0, text.length));
            }
            default -> throw new IllegalStateException(type.toString());
        }
    }

    @Override
    public List<String> names() {
        return List.copyOf(streams.keySet());
    }

    @Override
    public @Nullable Schema schema(String name) {
        return name.equals("orders") ? ORDERS : name.equals("visits") ? VISITS : null;
    }

    StatementPlan plan(String statement) {
        return planner.plan(statement, NOW);
    }

    /** The rows of a statement's answer: whole numbers as longs, times in their own units, bytes as text of numbers. */
    List<List<@Nullable Object>> answer(String statement) throws InterruptedException {
        asked.clear();
        Rows rows = new Rows();
        StatementPlan plan = plan(statement);
        if (plan instanceof SqlPlan one) {
            read(one.query(), rows);
            rows.places = one.columns().stream().map(column -> column.field()).toList();
        } else {
            ResidualPlan residual = (ResidualPlan) plan;
            executor.execute(
                    residual,
                    (leaf, query, taker) -> {
                        Rows unused = new Rows() {
                            @Override
                            public void rows(TupleBlock block) {
                                taker.take(block);
                            }
                        };
                        read(query, unused);
                    },
                    rows);
            rows.places = java.util.stream.IntStream.range(0, residual.fields().size())
                    .boxed()
                    .toList();
        }
        return rows.shown();
    }

    private void read(Query query, Rows rows) throws InterruptedException {
        asked.add(query);
        Objects.requireNonNull(streams.get(query.stream())).answer(query, rows);
        if (rows.failure != null) {
            throw rows.failure;
        }
    }

    /** Collects an answer. */
    private static class Rows implements AnswerSink, ResidualExecutor.Asker {
        private final List<List<@Nullable Object>> all = new ArrayList<>();
        private List<Integer> places = List.of();
        private @Nullable WaterwheelException failure;

        List<List<@Nullable Object>> shown() {
            List<List<@Nullable Object>> shown = new ArrayList<>();
            for (List<@Nullable Object> row : all) {
                List<@Nullable Object> values = new ArrayList<>();
                places.forEach(place -> values.add(row.get(place)));
                shown.add(values);
            }
            return shown;
        }

        @Override
        public void start(List<Field> fields) {}

        @Override
        public void rows(TupleBlock block) {
            take(block);
        }

        @Override
        public void take(TupleBlock block) {
            for (int row = 0; row < block.size(); row++) {
                List<@Nullable Object> values = new ArrayList<>();
                for (int f = 0; f < block.layout().fields().size(); f++) {
                    values.add(comparable(block.value(f, row)));
                }
                all.add(values);
            }
        }

        @Override
        public void finish(Verdict verdict) {}

        @Override
        public void fail(WaterwheelException reason) {
            failure = reason;
        }

        @Override
        public boolean cancelled() {
            return false;
        }

        @Override
        public long deadlineNanos() {
            return System.nanoTime() + 60_000_000_000L;
        }
    }

    /** A value in the form in which answers are compared. */
    static @Nullable Object comparable(@Nullable Object value) {
        if (value instanceof Integer number) {
            return number.longValue();
        } else if (value instanceof Float number) {
            return number.doubleValue();
        } else if (value instanceof byte[] bytes) {
            return java.util.Arrays.toString(bytes);
        }
        return value;
    }

    @Override
    public void close() throws IOException {
        for (LocalStream stream : streams.values()) {
            stream.close();
        }
    }
}
