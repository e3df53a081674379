package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.sqllogic.SqlLogicFile;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Files of sqllogictest against a whole server by the published JDBC driver: a small one of our own, and those of the
 * folder that {@code -Dwaterwheel.sqllogictest} names.
 */
final class SqlLogicByJdbc {
    /** Of one INSERT. */
    private static final int ROWS = 1000;

    private final WaterwheelClient client;
    private final String address;

    SqlLogicByJdbc(WaterwheelClient client, String url) {
        this.client = client;
        this.address = url.replace("grpc://", "");
    }

    void answersAsTheFilesSay() throws Exception {
        List<SqlLogicFile> files = new ArrayList<>(List.of(SqlLogicFile.own()));
        String folder = System.getProperty("waterwheel.sqllogictest");
        if (folder == null) {
            System.out.println("SKIPPED by JDBC: the files of sqllogictest, for there is no"
                    + " -Dwaterwheel.sqllogictest=FOLDER with files such as select1.test");
        } else {
            List<SqlLogicFile> theirs = SqlLogicFile.all(Path.of(folder));
            assertThat(theirs).as("files in %s", folder).isNotEmpty();
            files.addAll(theirs);
        }
        SqlLogicFile.Outcome outcome = new SqlLogicFile.Outcome(0, List.of(), List.of(), 0);
        for (SqlLogicFile file : files) {
            outcome = outcome.plus(outcome(file));
        }
        System.out.printf("%d files by JDBC: %s%n", files.size(), outcome);
        assertThat(outcome.wrong()).isEmpty();
        assertThat(outcome.refused()).isEmpty();
        assertThat(outcome.right()).isPositive();
    }

    private SqlLogicFile.Outcome outcome(SqlLogicFile file) throws Exception {
        List<String> made = new ArrayList<>();
        try (Connection connection =
                        DriverManager.getConnection("jdbc:arrow-flight-sql://" + address + "/?useEncryption=false");
                Statement statement = connection.createStatement()) {
            for (Map.Entry<String, SqlLogicFile.Table> table : file.tables().entrySet()) {
                create(statement, file.name(), table.getKey(), table.getValue());
                made.add(table.getKey());
                fill(statement, table.getKey(), table.getValue());
            }
            return file.ask(query -> rows(statement.executeQuery(query)), SQLException.class);
        } finally {
            for (String name : made) {
                client.drop(name);
            }
        }
    }

    /** The key and the time are our own. Files have tables of the same names, so each has topics of its own. */
    private static void create(Statement statement, String file, String name, SqlLogicFile.Table table)
            throws SQLException {
        StringBuilder declared = new StringBuilder();
        for (int c = 0; c < table.columns().size(); c++) {
            declared.append(table.columns().get(c)[0])
                    .append(
                            switch (table.type(c)) {
                                case 'I' -> " BIGINT, ";
                                case 'R' -> " DOUBLE, ";
                                default -> " VARCHAR, ";
                            });
        }
        statement.executeUpdate("CREATE STREAM " + name + " (" + declared
                + "row_number_ BIGINT, row_time_ TIMESTAMP) KEY (row_number_) TIME (row_time_)"
                + " WITH (topic = '" + file + "-" + name + "')");
    }

    /** Half of the rows in chunks, half in memory. */
    private void fill(Statement statement, String name, SqlLogicFile.Table table) throws Exception {
        StringBuilder columns = new StringBuilder();
        for (String[] column : table.columns()) {
            columns.append(column[0]).append(", ");
        }
        int half = table.rows().size() / 2;
        for (int from = 0; from < table.rows().size(); ) {
            int to = Math.min(from + ROWS, from < half ? half : table.rows().size());
            List<String> rows = new ArrayList<>();
            for (int row = from; row < to; row++) {
                rows.add("(" + String.join(", ", table.rows().get(row)) + ", " + row
                        + ", TIMESTAMP '2026-11-24 00:00:00')");
            }
            statement.executeUpdate("INSERT INTO " + name + " (" + columns + "row_number_, row_time_) VALUES "
                    + String.join(", ", rows));
            List<List<@Nullable Object>> verdict = rows(statement.executeQuery("SHOW VERDICT"));
            // What is seen once is seen by all that come later.
            List<List<@Nullable Object>> seen = rows(statement.executeQuery(
                    "SELECT /*+ at_least('" + verdict.get(0).get(3) + "') */ COUNT(*) FROM " + name));
            assertThat(seen).containsExactly(List.of((Object) (long) to));
            if (to == half) {
                client.flush(name);
            }
            from = to;
        }
    }

    private static List<List<@Nullable Object>> rows(ResultSet result) throws SQLException {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        try (result) {
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<@Nullable Object> row = new ArrayList<>();
                for (int c = 1; c <= columns; c++) {
                    row.add(result.getObject(c));
                }
                rows.add(row);
            }
        }
        return rows;
    }
}
