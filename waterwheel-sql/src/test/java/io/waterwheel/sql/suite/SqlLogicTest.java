package io.waterwheel.sql.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.duckdb.DuckDbExecutor;
import io.waterwheel.sql.duckdb.DuckDbSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of sqllogictest, from a folder that {@code -Dwaterwheel.sqllogictest} names. */
final class SqlLogicTest {
    private static final Pattern CREATE = Pattern.compile("(?is)CREATE TABLE (\\w+)\\s*\\((.*)\\)\\s*");
    private static final Pattern INSERT =
            Pattern.compile("(?is)INSERT INTO (\\w+)\\s*\\(([^)]*)\\)\\s*VALUES\\s*\\(([^)]*)\\)\\s*");

    @TempDir
    Path folder;

    @Test
    @Timeout(3600)
    void answersAsTheFilesSay() throws Exception {
        String name = System.getProperty("waterwheel.sqllogictest");
        assumeTrue(name != null, "no -Dwaterwheel.sqllogictest=FOLDER with files such as select1.test");
        List<Path> files;
        try (Stream<Path> all = Files.list(Path.of(name))) {
            files = all.filter(file -> file.getFileName().toString().contains(".test"))
                    .sorted()
                    .toList();
        }
        List<String> wrong = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        int right = 0;
        try (DuckDbExecutor executor = new DuckDbExecutor(new DuckDbSettings(256 << 20, 1L << 30, 1, 2))) {
            for (Path file : files) {
                List<SqlLogicFile.Part> parts = SqlLogicFile.read(file);
                try (LoadedTables tables = loaded(folder.resolve(file.getFileName()), parts, executor)) {
                    for (SqlLogicFile.Part part : parts) {
                        if (!part.isQuery() || part.skipped()) {
                            continue;
                        }
                        String where = file.getFileName() + ":" + part.line() + ": " + part.text();
                        try {
                            if (part.isAnsweredBy(written(part, tables.answer(part.text())))) {
                                right++;
                            } else {
                                wrong.add(where);
                            }
                        } catch (WaterwheelException e) {
                            refused.add(where + ": " + e.getMessage());
                        }
                    }
                }
            }
        }
        System.out.printf(
                "%d files: %d answers right, %d wrong, %d refused%n",
                files.size(), right, wrong.size(), refused.size());
        assertThat(wrong).isEmpty();
        assertThat(refused).isEmpty();
        assertThat(right).isPositive();
    }

    private static List<List<String>> written(SqlLogicFile.Part part, List<List<@Nullable Object>> rows) {
        String types = part.words().get(1);
        List<List<String>> written = new ArrayList<>();
        for (List<@Nullable Object> row : rows) {
            List<String> values = new ArrayList<>();
            for (int c = 0; c < row.size(); c++) {
                values.add(SqlLogicFile.written(types.charAt(c), row.get(c)));
            }
            written.add(values);
        }
        return written;
    }

    /** The tables of the file's statements, all filled before its first query; the key and the time are our own. */
    private static LoadedTables loaded(Path folder, List<SqlLogicFile.Part> parts, DuckDbExecutor executor)
            throws IOException {
        Map<String, Schema> schemas = new LinkedHashMap<>();
        Map<String, List<List<@Nullable Object>>> rows = new LinkedHashMap<>();
        for (SqlLogicFile.Part part : parts) {
            Matcher create = CREATE.matcher(part.text());
            Matcher insert = INSERT.matcher(part.text());
            boolean unused = part.isQuery() || part.skipped();
            if (!unused && create.matches()) {
                schemas.put(create.group(1), schema(create.group(2)));
                rows.put(create.group(1), new ArrayList<>());
            } else if (!unused && insert.matches()) {
                List<List<@Nullable Object>> table = rows.get(insert.group(1));
                Schema schema = schemas.get(insert.group(1));
                assertThat(table).as(part.text()).isNotNull();
                table.add(row(schema, insert, table.size()));
            } else if (!unused) {
                throw new IOException("line " + part.line() + ": expected CREATE TABLE or INSERT, got " + part.text());
            }
        }
        LoadedTables tables = new LoadedTables(folder, schemas, executor, Instant.EPOCH);
        for (Map.Entry<String, List<List<@Nullable Object>>> table : rows.entrySet()) {
            // Half of the rows in chunks, half in memory.
            int half = table.getValue().size() / 2;
            tables.insert(table.getKey(), table.getValue().subList(0, half));
            tables.flush();
            tables.insert(
                    table.getKey(),
                    table.getValue().subList(half, table.getValue().size()));
        }
        return tables;
    }

    private static Schema schema(String columns) {
        List<Field> fields = new ArrayList<>();
        for (String column : columns.split(",", -1)) {
            String[] words = column.strip().split("\\s+", -1);
            FieldType type =
                    switch (words[1].toUpperCase(Locale.ROOT).replaceAll("\\(.*", "")) {
                        case "INTEGER", "INT", "BIGINT" -> FieldType.LONG;
                        case "REAL", "FLOAT", "DOUBLE" -> FieldType.DOUBLE;
                        default -> FieldType.STRING;
                    };
            fields.add(new Field(words[0], type, true));
        }
        fields.add(new Field("row_number_", FieldType.LONG, false));
        fields.add(new Field("row_time_", FieldType.TIMESTAMP, false));
        return new Schema(fields, new KeySpec.Ordered("row_number_"), "row_time_");
    }

    private static List<@Nullable Object> row(Schema schema, Matcher insert, long number) {
        List<String> names =
                Arrays.stream(insert.group(2).split(",", -1)).map(String::strip).toList();
        List<String> values =
                Arrays.stream(insert.group(3).split(",", -1)).map(String::strip).toList();
        List<@Nullable Object> row = new ArrayList<>();
        for (Field field : schema.fields().subList(0, schema.fields().size() - 2)) {
            String text = values.get(names.indexOf(field.name()));
            row.add(
                    text.equals("NULL")
                            ? null
                            : switch (field.type()) {
                                case LONG -> (Object) Long.parseLong(text);
                                case DOUBLE -> Double.parseDouble(text);
                                default -> text.substring(1, text.length() - 1);
                            });
        }
        row.add(number);
        row.add(number);
        return row;
    }
}
