package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.Query;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.SqlPlan;
import io.waterwheel.sql.suite.LoadedTables;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Questions about several fields, as the benchmark of dimensions asks them, as statements. */
final class DimensionStatementsTest {
    private static final long BEGIN = Instant.parse("2026-11-24T00:00:00Z").toEpochMilli();
    private static final int ROWS = 6_000;

    private static final Schema WEATHER = new Schema(
            List.of(
                    new Field("element", FieldType.STRING, false),
                    new Field("latitude", FieldType.DOUBLE, false),
                    new Field("longitude", FieldType.DOUBLE, false),
                    new Field("value", FieldType.INT, false),
                    new Field("day", FieldType.TIMESTAMP, false)),
            new KeySpec.Dimensions(
                    List.of(
                            new Dimension("element", 2, List.of(), List.of("SNOW", "TMAX", "TMIN")),
                            new Dimension("latitude", 5, List.of("20", "50"), List.of()),
                            new Dimension("longitude", 5, List.of("-130", "-60"), List.of()),
                            new Dimension("value", 4, List.of("-400", "400"), List.of())),
                    List.of(),
                    List.of()),
            "day");

    @TempDir
    static Path folder;

    private final List<List<@Nullable Object>> rows = new ArrayList<>();

    /** The query of the engine leaves out the leaves that ranges of the key's fields do. */
    @Test
    void eachIsOneQueryWithTheCellsOfItsDimensions() throws Exception {
        Random random = new Random(3);
        for (int row = 0; row < ROWS; row++) {
            rows.add(List.of(
                    List.of("PRCP", "SNOW", "TMAX", "TMIN").get(random.nextInt(4)),
                    20 + random.nextInt(300) / 10.0,
                    -130 + random.nextInt(700) / 10.0,
                    random.nextInt(800) - 400,
                    BEGIN + random.nextInt(1000) * 60_000L));
        }
        try (DuckDbExecutor executor = new DuckDbExecutor(new DuckDbSettings(256 << 20, 1 << 30, 1, 2), 24);
                LoadedTables tables =
                        new LoadedTables(folder, Map.of("weather", WEATHER), executor, Instant.ofEpochMilli(BEGIN))) {
            tables.insert("weather", rows);
            tables.flush();
            ask(
                    tables,
                    "element = 'TMAX' AND latitude BETWEEN 30.5 AND 40 AND longitude BETWEEN -100 AND -80.25",
                    List.of(
                            new KeyRange("element", "TMAX", "TMAX"),
                            new KeyRange("latitude", "30.5", "40.0"),
                            new KeyRange("longitude", "-100.0", "-80.25")),
                    row -> row.get(0).equals("TMAX") && in(row, 1, 30.5, 40) && in(row, 2, -100, -80.25));
            ask(
                    tables,
                    "element = 'PRCP' AND value >= 250",
                    List.of(new KeyRange("element", "PRCP", "PRCP"), new KeyRange("value", "250", null)),
                    row -> row.get(0).equals("PRCP") && in(row, 3, 250, 400));
            ask(
                    tables,
                    "latitude <= 25 AND value <= -100 AND day >= TIMESTAMP '2026-11-24 04:00:00'",
                    List.of(new KeyRange("latitude", null, "25.0"), new KeyRange("value", null, "-100")),
                    row -> in(row, 1, 20, 25) && in(row, 3, -400, -100) && in(row, 4, BEGIN + 14_400_000.0, 1e15));
        }
    }

    private static boolean in(List<@Nullable Object> row, int column, double low, double high) {
        double value = ((Number) Objects.requireNonNull(row.get(column))).doubleValue();
        return value >= low && value <= high;
    }

    /** By which leaves are left out. */
    private static Object cells(Query query) {
        StreamInfo stream = new StreamInfo("weather", 1, WEATHER, RecordFormat.BLOCK, "weather", 1, 1);
        return Objects.requireNonNull(ResolvedQuery.of(query, stream).spec().cells());
    }

    private void ask(
            LoadedTables tables, String condition, List<KeyRange> ranges, Predicate<List<@Nullable Object>> met)
            throws InterruptedException {
        String statement = "SELECT COUNT(*), MAX(value) FROM weather WHERE " + condition;
        SqlPlan plan = (SqlPlan) tables.plan(statement);
        assertThat(cells(plan.query()))
                .as(statement)
                .usingRecursiveComparison()
                .isEqualTo(cells(Query.of("weather").withKeyRanges(ranges)));
        List<List<@Nullable Object>> found = rows.stream().filter(met).toList();
        long most = found.stream()
                .mapToLong(row -> (Integer) Objects.requireNonNull(row.get(3)))
                .max()
                .orElseThrow();
        assertThat(tables.answer(statement)).as(statement).containsExactly(List.of((long) found.size(), most));
    }
}
