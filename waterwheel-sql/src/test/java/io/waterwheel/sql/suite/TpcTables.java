package io.waterwheel.sql.suite;

import io.trino.tpcds.Results;
import io.trino.tpcds.Session;
import io.trino.tpcds.Table;
import io.trino.tpcds.column.Column;
import io.trino.tpch.TpchColumn;
import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import java.io.IOException;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The tables of TPC-H and TPC-DS as streams: decimals are doubles, days are the moments at which they begin. The key is
 * a column of the primary key. What has no day has a time of its own, {@code arrived}.
 */
final class TpcTables {
    private static final int BLOCK = 8192;
    private static final long DAY_MILLIS = 86_400_000;
    private static final String ARRIVED = "arrived";

    /** Of TPC-H, the tables whose rows have a day that is never missing. */
    private static final Map<String, String> DAYS = Map.of("lineitem", "l_shipdate", "orders", "o_orderdate");

    private TpcTables() {}

    private record Source(Schema schema, Iterator<List<@Nullable Object>> rows) {}

    static Map<String, Schema> schemasOfH() {
        return schemas(ofH(0.01));
    }

    static Map<String, Schema> schemasOfDs() {
        return schemas(ofDs(0.01));
    }

    private static Map<String, Schema> schemas(Map<String, Source> sources) {
        Map<String, Schema> schemas = new TreeMap<>();
        sources.forEach((name, source) -> schemas.put(name, source.schema()));
        return schemas;
    }

    /** Fills the tables whose names {@code wanted} takes; the others stay empty. */
    static void loadH(double scale, Predicate<String> wanted, LoadedTables streams, DuckDbTwin twin)
            throws IOException, SQLException {
        load(ofH(scale), wanted, streams, twin);
    }

    /** The same. */
    static void loadDs(double scale, Predicate<String> wanted, LoadedTables streams, DuckDbTwin twin)
            throws IOException, SQLException {
        load(ofDs(scale), wanted, streams, twin);
    }

    private static void load(
            Map<String, Source> sources, Predicate<String> wanted, LoadedTables streams, DuckDbTwin twin)
            throws IOException, SQLException {
        for (Map.Entry<String, Source> entry : sources.entrySet()) {
            String name = entry.getKey();
            Source source = entry.getValue();
            twin.create(name, source.schema());
            List<List<@Nullable Object>> block = new ArrayList<>();
            while (wanted.test(name) && source.rows().hasNext()) {
                block.add(source.rows().next());
                if (block.size() == BLOCK || !source.rows().hasNext()) {
                    streams.insert(name, block);
                    twin.insert(name, source.schema(), block);
                    block.clear();
                }
            }
        }
    }

    private static Map<String, Source> ofH(double scale) {
        Map<String, Source> sources = new TreeMap<>();
        for (TpchTable<?> table : TpchTable.getTables()) {
            sources.put(table.getTableName(), source(table, scale));
        }
        return sources;
    }

    private static <E extends TpchEntity> Source source(TpchTable<E> table, double scale) {
        List<Field> fields = new ArrayList<>();
        for (TpchColumn<E> column : table.getColumns()) {
            FieldType type =
                    switch (column.getType().getBase()) {
                        case INTEGER, IDENTIFIER -> FieldType.LONG;
                        case DOUBLE -> FieldType.DOUBLE;
                        case DATE -> FieldType.TIMESTAMP;
                        case VARCHAR -> FieldType.STRING;
                    };
            fields.add(new Field(column.getColumnName(), type, false));
        }
        String time = DAYS.getOrDefault(table.getTableName(), ARRIVED);
        if (time.equals(ARRIVED)) {
            fields.add(new Field(ARRIVED, FieldType.TIMESTAMP, false));
        }
        Schema schema =
                new Schema(fields, new KeySpec.Ordered(table.getColumns().get(0).getColumnName()), time);
        Iterator<E> rows = table.createGenerator(scale, 1, 1).iterator();
        return new Source(schema, new Iterator<>() {
            private long number;

            @Override
            public boolean hasNext() {
                return rows.hasNext();
            }

            @Override
            public List<@Nullable Object> next() {
                E row = rows.next();
                List<@Nullable Object> values = new ArrayList<>();
                for (TpchColumn<E> column : table.getColumns()) {
                    values.add(
                            switch (column.getType().getBase()) {
                                case INTEGER -> (Object) (long) column.getInteger(row);
                                case IDENTIFIER -> column.getIdentifier(row);
                                case DOUBLE -> column.getDouble(row);
                                case DATE -> column.getDate(row) * DAY_MILLIS;
                                case VARCHAR -> column.getString(row);
                            });
                }
                if (time.equals(ARRIVED)) {
                    values.add(number++);
                }
                return values;
            }
        });
    }

    private static Map<String, Source> ofDs(double scale) {
        Map<String, Source> sources = new TreeMap<>();
        Session session = Session.getDefaultSession().withScale(scale);
        for (Table table : Table.getBaseTables()) {
            if (table != Table.DBGEN_VERSION) {
                sources.put(table.getName().toLowerCase(Locale.ROOT), source(table, session));
            }
        }
        return sources;
    }

    private static Source source(Table table, Session session) {
        String name = table.getName().toLowerCase(Locale.ROOT);
        Column[] columns = table.getColumns();
        // Of facts the first column may be null.
        boolean fact = name.endsWith("_sales") || name.endsWith("_returns");
        String key = Arrays.stream(columns)
                .map(column -> column.getName().toLowerCase(Locale.ROOT))
                .filter(column -> !fact || column.endsWith("_item_sk"))
                .findFirst()
                .orElseThrow();
        List<Field> fields = new ArrayList<>();
        for (Column column : columns) {
            FieldType type =
                    switch (column.getType().getBase()) {
                        case INTEGER, IDENTIFIER -> FieldType.LONG;
                        case DECIMAL -> FieldType.DOUBLE;
                        case DATE -> FieldType.TIMESTAMP;
                        case VARCHAR, CHAR, TIME -> FieldType.STRING;
                    };
            String written = column.getName().toLowerCase(Locale.ROOT);
            fields.add(new Field(written, type, !written.equals(key)));
        }
        fields.add(new Field(ARRIVED, FieldType.TIMESTAMP, false));
        Schema schema = new Schema(fields, new KeySpec.Ordered(key), ARRIVED);
        // A generator of sales yields a list of a row of its own and one of the returns.
        Session own = session.withTable(table);
        Iterator<List<List<@Nullable String>>> rows = rows(table, own);
        return new Source(schema, new Iterator<>() {
            private long number;

            @Override
            public boolean hasNext() {
                return rows.hasNext();
            }

            @Override
            public List<@Nullable Object> next() {
                List<@Nullable String> row = rows.next().get(0);
                List<@Nullable Object> values = new ArrayList<>();
                for (int c = 0; c < columns.length; c++) {
                    values.add(value(fields.get(c).type(), row.get(c)));
                }
                values.add(number++);
                return values;
            }
        });
    }

    @SuppressWarnings("unchecked")
    private static Iterator<List<List<@Nullable String>>> rows(Table table, Session session) {
        return (Iterator<List<List<@Nullable String>>>)
                (Iterator<?>) Results.constructResults(table, session).iterator();
    }

    private static @Nullable Object value(FieldType type, @Nullable String text) {
        if (text == null) {
            return null;
        }
        return switch (type.kind()) {
            case LONG -> (Object) Long.parseLong(text);
            case DOUBLE -> Double.parseDouble(text);
            case TIMESTAMP -> LocalDate.parse(text).toEpochDay() * DAY_MILLIS;
            default -> text;
        };
    }
}
