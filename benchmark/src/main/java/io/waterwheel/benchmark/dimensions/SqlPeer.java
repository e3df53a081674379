package io.waterwheel.benchmark.dimensions;

import io.waterwheel.benchmark.FetchedDriver;
import io.waterwheel.query.KeyRange;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rows of a set in a table of another database, which is asked by SQL. */
final class SqlPeer implements QuestionPeers.Side {
    /** An R*-tree of SQLite has no more. */
    private static final int MOST_OF_TREE = 5;

    private static final int BATCH = 10_000;
    /** Around every value: of a null an R*-tree knows nothing. */
    private static final double FAR = 1e30;

    private final String name;
    private final Connection connection;
    private final Schema schema;
    /** Fields that have a column, but for the time, which is {@code moment}. */
    private final List<String> columns;
    /** Fields of the R*-tree; none without one. {@code moment} is the time. */
    private final List<String> tree;
    /** By field that is text, a number for each value in the tree. */
    private final Map<String, Map<String, Integer>> numbers = new LinkedHashMap<>();

    private SqlPeer(String name, Connection connection, QuestionSet set, List<String> tree) {
        this.name = name;
        this.connection = connection;
        this.schema = set.rows().schema();
        this.tree = tree;
        Set<String> used = new LinkedHashSet<>(set.dimensions());
        set.questions().forEach(question -> {
            used.add(question.aggregated());
            question.ranges().forEach(range -> used.add(Objects.requireNonNull(range.field())));
        });
        this.columns = List.copyOf(used);
    }

    /** @param withTree an R*-tree in place of an index over all dimensions */
    static SqlPeer sqlite(String jar, Path folder, QuestionSet set, boolean withTree) throws Exception {
        String url = "jdbc:sqlite:" + folder.resolve(withTree ? "tree.db" : "index.db");
        Connection connection =
                FetchedDriver.SQLITE.load(FetchedDriver.SQLITE.jar(jar)).connect(url, new Properties());
        List<String> tree = new ArrayList<>();
        if (withTree) {
            tree.addAll(set.dimensions()
                    .subList(0, Math.min(MOST_OF_TREE, set.dimensions().size())));
            if (tree.size() < MOST_OF_TREE) {
                tree.add("moment");
            }
        }
        SqlPeer peer = new SqlPeer(withTree ? "SQLite, R*-tree" : "SQLite, index", connection, set, tree);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode=OFF");
            statement.execute("PRAGMA synchronous=OFF");
            statement.execute("PRAGMA cache_size=-1000000");
            statement.execute("PRAGMA mmap_size=4000000000");
        }
        peer.load(set.rows());
        try (Statement statement = connection.createStatement()) {
            if (!withTree) {
                statement.execute("CREATE INDEX i ON t (" + String.join(", ", set.dimensions()) + ", moment)");
            }
            statement.execute("ANALYZE");
        }
        return peer;
    }

    static SqlPeer duck(String jar, Path folder, QuestionSet set) throws Exception {
        Connection connection =
                FetchedDriver.DUCKDB.load(FetchedDriver.DUCKDB.jar(jar)).connect("jdbc:duckdb:", new Properties());
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET threads=1");
        }
        SqlPeer peer = new SqlPeer("DuckDB", connection, set, List.of());
        peer.copy(set.rows(), folder.resolve("rows.csv"));
        return peer;
    }

    private Field field(String column) {
        return schema.fields().get(schema.indexOf(column));
    }

    private boolean isText(String column) {
        return !column.equals("moment") && field(column).type().variable();
    }

    private String type(String column) {
        PhysicalType type = field(column).type().physical();
        return switch (type) {
            case FLOAT32, FLOAT64 -> "DOUBLE";
            case VARIABLE -> "VARCHAR";
            default -> "BIGINT";
        };
    }

    private String table() {
        StringBuilder table = new StringBuilder("CREATE TABLE t (id INTEGER PRIMARY KEY, moment BIGINT");
        columns.forEach(column -> table.append(", ").append(column).append(' ').append(type(column)));
        return table + ")";
    }

    /** Loads a file of all rows: DuckDB takes minutes for a million rows that come one by one. */
    private void copy(Rows rows, Path file) throws IOException, SQLException {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            int id = 0;
            for (TupleBlock block : rows.blocks()) {
                for (int r = 0; r < block.size(); r++) {
                    out.append(Integer.toString(++id)).append(',').append(Long.toString(block.times()[r]));
                    for (String column : columns) {
                        out.append(',').append(cell(block.value(schema.indexOf(column), r)));
                    }
                    out.append('\n');
                }
            }
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(table());
            statement.execute("COPY t FROM '" + file
                    + "' (HEADER false, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULL '', ALLOW_QUOTED_NULLS false)");
        }
    }

    private static String cell(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        return value instanceof Number
                ? value.toString()
                : '"' + value.toString().replace("\"", "\"\"") + '"';
    }

    private void load(Rows rows) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(table());
            if (!tree.isEmpty()) {
                StringBuilder bounds = new StringBuilder("CREATE VIRTUAL TABLE r USING rtree(id");
                tree.forEach(column -> bounds.append(", ")
                        .append(column)
                        .append("_0, ")
                        .append(column)
                        .append("_1"));
                statement.execute(bounds + ")");
            }
        }
        connection.setAutoCommit(false);
        try (PreparedStatement row = insert("t", 2 + columns.size());
                PreparedStatement box = tree.isEmpty() ? null : insert("r", 1 + 2 * tree.size())) {
            int id = 0;
            for (TupleBlock block : rows.blocks()) {
                for (int r = 0; r < block.size(); r++) {
                    add(block, r, ++id, row, box);
                    if (id % BATCH == 0) {
                        flush(row, box);
                    }
                }
            }
            flush(row, box);
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    private PreparedStatement insert(String table, int values) throws SQLException {
        return connection.prepareStatement("INSERT INTO " + table + " VALUES (?" + ", ?".repeat(values - 1) + ")");
    }

    private static void flush(PreparedStatement row, @Nullable PreparedStatement box) throws SQLException {
        row.executeBatch();
        if (box != null) {
            box.executeBatch();
        }
    }

    private void add(TupleBlock block, int r, int id, PreparedStatement row, @Nullable PreparedStatement box)
            throws SQLException {
        row.setInt(1, id);
        row.setLong(2, block.times()[r]);
        for (int c = 0; c < columns.size(); c++) {
            row.setObject(3 + c, block.value(schema.indexOf(columns.get(c)), r));
        }
        row.addBatch();
        if (box != null) {
            box.setInt(1, id);
            for (int d = 0; d < tree.size(); d++) {
                String column = tree.get(d);
                Object value = column.equals("moment") ? block.times()[r] : block.value(schema.indexOf(column), r);
                box.setDouble(2 + 2 * d, value == null ? -FAR : number(column, value));
                box.setDouble(3 + 2 * d, value == null ? FAR : number(column, value));
            }
            box.addBatch();
        }
    }

    /** A value in the tree: of text, a number that was not there before, or that of the same text. */
    private double number(String column, Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        Map<String, Integer> of = numbers.computeIfAbsent(column, text -> new LinkedHashMap<>());
        return of.computeIfAbsent(value.toString(), text -> of.size());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double ask(Question question) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql(question))) {
            found.next();
            double answer = found.getDouble(1);
            return found.wasNull() ? Double.NaN : answer;
        }
    }

    private String sql(Question question) {
        List<String> all = new ArrayList<>();
        for (KeyRange range : question.ranges()) {
            String column = Objects.requireNonNull(range.field());
            bounds(all, column, range.low(), range.high());
        }
        if (!question.times().equals(TimeInterval.ALL)) {
            bounds(
                    all,
                    "moment",
                    Long.toString(question.times().from()),
                    Long.toString(question.times().to()));
        }
        String from = tree.isEmpty() ? "t" : "r JOIN t ON t.id = r.id";
        return "SELECT " + question.aggregate() + " FROM " + from + " WHERE " + String.join(" AND ", all);
    }

    private void bounds(List<String> all, String column, @Nullable String low, @Nullable String high) {
        if (low != null && low.equals(high)) {
            all.add("t." + column + " = " + literal(column, low));
        } else {
            all.add(low == null ? "t." + column + " IS NOT NULL" : "t." + column + " >= " + literal(column, low));
            if (high != null) {
                all.add("t." + column + " <= " + literal(column, high));
            }
        }
        if (!tree.contains(column)) {
            return;
        }
        if (!isText(column)) {
            if (low != null) {
                all.add("r." + column + "_1 >= " + low);
            }
            if (high != null) {
                all.add("r." + column + "_0 <= " + high);
            }
        } else if (low != null && low.equals(high)) {
            // Numbers of text have no order: only one text has a range.
            Integer number = numbers.getOrDefault(column, Map.of()).get(low);
            all.add("r." + column + "_1 >= " + (number == null ? -1 : number));
            all.add("r." + column + "_0 <= " + (number == null ? -1 : number));
        }
    }

    private String literal(String column, String value) {
        return isText(column) ? "'" + value.replace("'", "''") + "'" : value;
    }

    @Override
    public void close() throws IOException {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IOException(name + " cannot be closed", e);
        }
    }
}
