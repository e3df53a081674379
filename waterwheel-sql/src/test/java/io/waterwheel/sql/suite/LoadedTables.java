package io.waterwheel.sql.suite;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.local.LocalSettings;
import io.waterwheel.local.LocalStream;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.SqlPlan;
import io.waterwheel.sql.SqlPlanner;
import io.waterwheel.sql.SqlView;
import io.waterwheel.sql.StatementPlan;
import io.waterwheel.sql.StreamSchemas;
import io.waterwheel.sql.exec.ResidualExecutor;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Streams in a folder that a test fills, and who answers statements over them as a coordinator does. */
public final class LoadedTables implements AutoCloseable, StreamSchemas {
    private final Map<String, Schema> schemas;
    private final Map<String, LocalStream> streams = new TreeMap<>();
    private final SqlPlanner planner = new SqlPlanner(this);
    private final SqlPlanner unpushed = new SqlPlanner(this, SqlPlanner.Pushdown.NOTHING);
    private final ResidualExecutor executor;
    private final Instant now;
    private final List<Query> asked = new ArrayList<>();
    private final Map<String, SqlView> views = new TreeMap<>();

    /**
     * Empty streams.
     *
     * @param executor of what is more than one query; the caller closes it
     * @param now what statements call so
     */
    public LoadedTables(Path folder, Map<String, Schema> schemas, ResidualExecutor executor, Instant now)
            throws IOException {
        this.schemas = new TreeMap<>(schemas);
        this.executor = executor;
        this.now = now;
        for (Map.Entry<String, Schema> schema : this.schemas.entrySet()) {
            String name = schema.getKey();
            streams.put(name, LocalStream.open(folder.resolve(name), name, schema.getValue(), LocalSettings.DEFAULT));
        }
    }

    /** The queries of the last statement, as they were asked. */
    public List<Query> asked() {
        return asked;
    }

    /**
     * Rows of values in the order of the fields: boxed numbers, texts, byte arrays, also of addresses and UUIDs, times
     * in their own units.
     */
    public void insert(String name, List<List<@Nullable Object>> rows) throws IOException {
        LocalStream stream = Objects.requireNonNull(streams.get(name));
        TupleBlock block = new TupleBlock(stream.layout(), rows.size());
        String timeField = Objects.requireNonNull(schemas.get(name)).timeField();
        for (int row = 0; row < rows.size(); row++) {
            List<@Nullable Object> values = rows.get(row);
            for (int field = 0; field < values.size(); field++) {
                put(block, timeField, field, row, values.get(field));
            }
        }
        block.setSize(rows.size());
        stream.insert(block);
    }

    /** Makes chunks of all rows. */
    public void flush() throws IOException {
        for (LocalStream stream : streams.values()) {
            stream.flush();
        }
    }

    private static void put(TupleBlock block, String timeField, int field, int row, @Nullable Object value) {
        if (value == null) {
            block.setNullMask(row, block.nullMask(row) | 1L << block.layout().nullBit(field));
            return;
        }
        FieldType type = block.layout().fields().get(field).type();
        int column = block.layout().columnOf(field);
        if (column == RowLayout.KEY) {
            block.keys()[row] = (Long) value;
            return;
        } else if (column == RowLayout.TIME) {
            block.times()[row] = (Long) value;
            return;
        }
        byte[] bytes = block.column(column);
        switch (type.kind()) {
            case LONG, TIMESTAMP, TIMESTAMP_NS -> LittleEndian.putLong(bytes, row * 8, (Long) value);
            case TIMESTAMP_US -> {
                LittleEndian.putLong(bytes, row * 8, (Long) value);
                if (block.layout().fields().get(field).name().equals(timeField)) {
                    block.times()[row] = Math.floorDiv((Long) value, 1000L);
                }
            }
            case INT -> LittleEndian.putInt(bytes, row * 4, (Integer) value);
            case DOUBLE -> LittleEndian.putLong(bytes, row * 8, Double.doubleToRawLongBits((Double) value));
            case FLOAT -> LittleEndian.putInt(bytes, row * 4, Float.floatToRawIntBits((Float) value));
            case BOOLEAN -> bytes[row] = (byte) ((Boolean) value ? 1 : 0);
            case DECIMAL -> {
                BigDecimal decimal = (BigDecimal) value;
                long cell = type.variable()
                        ? block.addToArena(Decimals.bytes(decimal, type.precision(), type.scale()), 0, 16)
                        : Decimals.unscaled(decimal, type.precision(), type.scale());
                LittleEndian.putLong(bytes, row * 8, cell);
            }
            case IPV4 -> LittleEndian.putInt(bytes, row * 4, new BigInteger((byte[]) value).intValue());
            case STRING, BYTES, IPV6, UUID -> {
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
        return schemas.get(name);
    }

    @Override
    public @Nullable SqlView view(String name) {
        return views.get(name);
    }

    /** Makes a view. */
    public void add(SqlView view) {
        views.put(view.name(), view);
    }

    /** As a coordinator plans it. */
    public StatementPlan plan(String statement) {
        return planner.plan(statement, now);
    }

    /** The rows of a statement's answer: whole numbers as longs, times in their own units, bytes as text of numbers. */
    public List<List<@Nullable Object>> answer(String statement) throws InterruptedException {
        return answer(plan(statement));
    }

    /** The same, where the engine reads whole streams and the executor does all the rest. */
    public List<List<@Nullable Object>> answerUnpushed(String statement) throws InterruptedException {
        return answer(unpushed.plan(statement, now));
    }

    private List<List<@Nullable Object>> answer(StatementPlan plan) throws InterruptedException {
        asked.clear();
        Rows rows = new Rows();
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
            rows.places = IntStream.range(0, residual.fields().size()).boxed().toList();
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
            return System.nanoTime() + 300_000_000_000L;
        }
    }

    /** A value in the form in which answers are compared. */
    static @Nullable Object comparable(@Nullable Object value) {
        if (value instanceof Integer number) {
            return number.longValue();
        } else if (value instanceof Float number) {
            return number.doubleValue();
        } else if (value instanceof byte[] bytes) {
            return Arrays.toString(bytes);
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
