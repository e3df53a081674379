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
import io.waterwheel.sqllogic.SqlLogicFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of sqllogictest: a small one of our own, and those of a folder that an option names. */
final class SqlLogicTest {
    @TempDir
    Path folder;

    @Test
    void answersAsOurFileSays() throws Exception {
        check(List.of(SqlLogicFile.own()));
    }

    @Test
    @Timeout(3600)
    void answersAsTheFilesSay() throws Exception {
        String name = System.getProperty("waterwheel.sqllogictest");
        assumeTrue(name != null, "no -Dwaterwheel.sqllogictest=FOLDER with files such as select1.test");
        check(SqlLogicFile.all(Path.of(name)));
    }

    private void check(List<SqlLogicFile> files) throws Exception {
        SqlLogicFile.Outcome outcome = new SqlLogicFile.Outcome(0, List.of(), List.of(), 0);
        try (DuckDbExecutor executor = new DuckDbExecutor(new DuckDbSettings(256 << 20, 1L << 30, 1, 2))) {
            for (SqlLogicFile file : files) {
                try (LoadedTables tables = loaded(folder.resolve(file.name()), file, executor)) {
                    outcome = outcome.plus(file.ask(tables::answer, WaterwheelException.class));
                }
            }
        }
        System.out.printf("%d files: %s%n", files.size(), outcome);
        assertThat(outcome.wrong()).isEmpty();
        assertThat(outcome.refused()).isEmpty();
        assertThat(outcome.right()).isPositive();
    }

    /** The tables of the file, half of their rows in chunks and half in memory; the key and the time are our own. */
    private static LoadedTables loaded(Path folder, SqlLogicFile file, DuckDbExecutor executor) throws IOException {
        Map<String, Schema> schemas = new HashMap<>();
        file.tables().forEach((name, table) -> schemas.put(name, schema(table)));
        LoadedTables tables = new LoadedTables(folder, schemas, executor, Instant.EPOCH);
        for (Map.Entry<String, SqlLogicFile.Table> table : file.tables().entrySet()) {
            List<List<@Nullable Object>> rows = rows(table.getValue());
            tables.insert(table.getKey(), rows.subList(0, rows.size() / 2));
            tables.flush();
            tables.insert(table.getKey(), rows.subList(rows.size() / 2, rows.size()));
        }
        return tables;
    }

    private static Schema schema(SqlLogicFile.Table table) {
        List<Field> fields = new ArrayList<>();
        for (int c = 0; c < table.columns().size(); c++) {
            FieldType type =
                    switch (table.type(c)) {
                        case 'I' -> FieldType.LONG;
                        case 'R' -> FieldType.DOUBLE;
                        default -> FieldType.STRING;
                    };
            fields.add(new Field(table.columns().get(c)[0], type, true));
        }
        fields.add(new Field("row_number_", FieldType.LONG, false));
        fields.add(new Field("row_time_", FieldType.TIMESTAMP, false));
        return new Schema(fields, new KeySpec.Ordered("row_number_"), "row_time_");
    }

    private static List<List<@Nullable Object>> rows(SqlLogicFile.Table table) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (List<String> written : table.rows()) {
            List<@Nullable Object> row = new ArrayList<>();
            for (int c = 0; c < written.size(); c++) {
                String text = written.get(c);
                row.add(
                        text.equals("NULL")
                                ? null
                                : switch (table.type(c)) {
                                    case 'I' -> (Object) Long.parseLong(text);
                                    case 'R' -> Double.parseDouble(text);
                                    default -> text.substring(1, text.length() - 1);
                                });
            }
            row.add((long) rows.size());
            row.add((long) rows.size());
            rows.add(row);
        }
        return rows;
    }
}
