package io.waterwheel.sql.duckdb;

import io.waterwheel.query.Query;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.SqlView;
import io.waterwheel.sql.StatementPlan;
import io.waterwheel.sql.exec.ResidualExecutor;
import io.waterwheel.sql.suite.LoadedTables;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Two streams of random rows, part in chunks and part in memory, and who answers statements over them. */
final class TwoStreams implements AutoCloseable {
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

    private static final List<Long> LONGS = List.of(
            Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE, Long.MAX_VALUE - 1, (1L << 53) + 1, -(1L << 53) - 1);
    private static final List<Integer> INTS = List.of(Integer.MIN_VALUE, Integer.MAX_VALUE);
    /** None of which a sum would hang on the order of the others: DuckDB's are not exact, as the engine's are. */
    private static final List<Double> DOUBLES =
            List.of(Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0);

    private static final List<Float> FLOATS =
            List.of(Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, -0.0f);

    /** The query of the view "turned", whose columns stand in another order than those of the stream. */
    static final String TURNED =
            "SELECT note, price + 1 AS price, amount, moment, id FROM orders WHERE amount IS NOT NULL";

    private final LoadedTables streams;
    final List<List<@Nullable Object>> orders = new ArrayList<>();
    final List<List<@Nullable Object>> visits = new ArrayList<>();

    /** How often a value that may be is an extreme one, one in so many; 0: never. */
    private final int extremes;

    TwoStreams(Path folder, Random random, ResidualExecutor executor) throws IOException {
        this(folder, random, executor, 0);
    }

    /** @param extremes one in so many numbers is at an end of its type, infinite, NaN or -0.0; 0: none */
    TwoStreams(Path folder, Random random, ResidualExecutor executor, int extremes) throws IOException {
        this.extremes = extremes;
        this.streams = new LoadedTables(folder, Map.of("orders", ORDERS, "visits", VISITS), executor, NOW);
        streams.add(new SqlView(
                "dear",
                List.of("id", "moment", "amount", "price", "note"),
                "SELECT id, moment, amount, price, note FROM orders WHERE amount > -2 OR price IS NULL"));
        streams.add(new SqlView("turned", List.of("note", "price", "amount", "moment", "id"), TURNED));
        for (int round = 0; round < 2; round++) {
            insert("orders", ORDERS, orders, random, 1 + random.nextInt(120));
            insert("visits", VISITS, visits, random, 1 + random.nextInt(120));
            if (round == 0) {
                streams.flush();
            }
        }
    }

    private void insert(String name, Schema schema, List<List<@Nullable Object>> all, Random random, int count)
            throws IOException {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            List<@Nullable Object> values = new ArrayList<>();
            for (Field field : schema.fields()) {
                values.add(field.nullable() && random.nextInt(6) == 0 ? null : value(field, random));
            }
            rows.add(values);
        }
        all.addAll(rows);
        streams.insert(name, rows);
    }

    private Object value(Field field, Random random) {
        if (extremes > 0 && !field.name().equals("id") && random.nextInt(extremes) == 0) {
            List<?> values =
                    switch (field.type().kind()) {
                        case LONG -> LONGS;
                        case INT -> INTS;
                        case DOUBLE -> DOUBLES;
                        case FLOAT -> FLOATS;
                        default -> List.of();
                    };
            if (!values.isEmpty()) {
                return values.get(random.nextInt(values.size()));
            }
        }
        return switch (field.type().kind()) {
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

    /** As {@link LoadedTables#answerUnpushed}. */
    List<List<@Nullable Object>> answerUnpushed(String statement) throws InterruptedException {
        return streams.answerUnpushed(statement);
    }

    StatementPlan plan(String statement) {
        return streams.plan(statement);
    }

    /** As {@link LoadedTables#answer}. */
    List<List<@Nullable Object>> answer(String statement) throws InterruptedException {
        return streams.answer(statement);
    }

    /** The queries of the last statement, as they were asked. */
    List<Query> asked() {
        return streams.asked();
    }

    @Override
    public void close() throws IOException {
        streams.close();
    }
}
