package io.waterwheel.topology.flightsql;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.sql.SystemTable;
import io.waterwheel.topology.rpc.FlightExtension;
import io.waterwheel.topology.sql.Statements;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.arrow.flight.CloseSessionRequest;
import org.apache.arrow.flight.CloseSessionResult;
import org.apache.arrow.flight.GetSessionOptionsRequest;
import org.apache.arrow.flight.GetSessionOptionsResult;
import org.apache.arrow.flight.NoOpSessionOptionValueVisitor;
import org.apache.arrow.flight.SessionOptionValue;
import org.apache.arrow.flight.SessionOptionValueFactory;
import org.apache.arrow.flight.SetSessionOptionsRequest;
import org.apache.arrow.flight.SetSessionOptionsResult;
import org.apache.arrow.flight.sql.BasicFlightSqlProducer;
import org.apache.arrow.flight.sql.SqlInfoBuilder;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetCrossReference;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetDbSchemas;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetExportedKeys;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetImportedKeys;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetPrimaryKeys;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetSqlInfo;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetTables;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetXdbcTypeInfo;
import org.jspecify.annotations.Nullable;

/** What drivers ask about the server: its tables and columns, what it can, and its sessions. Thread-safe. */
abstract class CatalogService extends BasicFlightSqlProducer {
    /** Drivers want a name. */
    static final String CATALOG = "waterwheel";

    static final String SCHEMA = "public";
    private static final String TABLE = "TABLE";
    private static final String VIEW = "VIEW";
    /** What a table is called in the standard's information schema: Grafana asks for tables of this type. */
    private static final String BASE_TABLE = "BASE TABLE";

    private static final String SYSTEM_TABLE = "SYSTEM TABLE";

    private final FlightExtension.Services services;
    private final Statements statements;
    private final SqlInfoBuilder facts = SqlFacts.all();

    CatalogService(FlightExtension.Services services, Statements statements) {
        this.services = services;
        this.statements = statements;
    }

    final FlightExtension.Services services() {
        return services;
    }

    /** Of the call that this thread was given. */
    final FlightSqlSession session() {
        return FlightSqlSession.of(services.headers());
    }

    final FlightExtension.Form form(FlightSqlSession session) {
        return StatementHandles.form(session.zoned(services.headers()), session.nanos());
    }

    // Tables and columns.

    private void answer(ServerStreamListener listener, AnswerRows.Filling filling) {
        services.run(() -> AnswerRows.send(services.allocator(), listener, filling), listener::error);
    }

    @Override
    public void getStreamCatalogs(CallContext context, ServerStreamListener listener) {
        answer(listener, rows -> {
            rows.of(Schemas.GET_CATALOGS_SCHEMA);
            rows.add(Map.of("catalog_name", CATALOG));
        });
    }

    @Override
    public void getStreamSchemas(CommandGetDbSchemas command, CallContext context, ServerStreamListener listener) {
        answer(listener, rows -> {
            rows.of(Schemas.GET_SCHEMAS_SCHEMA);
            if (!isCatalog(command.hasCatalog() ? command.getCatalog() : null)) {
                return;
            }
            Stream.concat(Stream.of(SCHEMA), statements.systemTables().stream().map(SystemTable::schema))
                    .distinct()
                    .sorted()
                    .filter(schema -> !command.hasDbSchemaFilterPattern()
                            || NamePattern.matches(command.getDbSchemaFilterPattern(), schema))
                    .forEach(schema -> rows.add(Map.of("catalog_name", CATALOG, "db_schema_name", schema)));
        });
    }

    /** Whether a filter, which is null for any, leaves ours. */
    private static boolean isCatalog(@Nullable String name) {
        return name == null || name.equals(CATALOG);
    }

    @Override
    public void getStreamTableTypes(CallContext context, ServerStreamListener listener) {
        answer(listener, rows -> {
            rows.of(Schemas.GET_TABLE_TYPES_SCHEMA);
            rows.add(Map.of("table_type", SYSTEM_TABLE));
            rows.add(Map.of("table_type", TABLE));
            rows.add(Map.of("table_type", VIEW));
        });
    }

    @Override
    public void getStreamTables(CommandGetTables command, CallContext context, ServerStreamListener listener) {
        FlightExtension.Form form = form(session());
        answer(listener, rows -> {
            rows.of(command.getIncludeSchema() ? Schemas.GET_TABLES_SCHEMA : Schemas.GET_TABLES_SCHEMA_NO_SCHEMA);
            if (!isCatalog(command.hasCatalog() ? command.getCatalog() : null)) {
                return;
            }
            // In the order that drivers promise: by type, then by schema and name.
            statements.systemTables().stream()
                    .sorted(Comparator.comparing(SystemTable::qualifiedName))
                    .forEach(table ->
                            addTable(SYSTEM_TABLE, table.schema(), table.name(), table.fields(), command, form, rows));
            Map<String, List<Field>> tables = new TreeMap<>(statements.fileTables());
            statements.streams().forEach((name, schema) -> tables.put(name, schema.fields()));
            tables.forEach((name, fields) -> addTable(TABLE, SCHEMA, name, fields, command, form, rows));
            statements.views().forEach((name, fields) -> addTable(VIEW, SCHEMA, name, fields, command, form, rows));
        });
    }

    private void addTable(
            String type,
            String schema,
            String name,
            List<Field> fields,
            CommandGetTables command,
            FlightExtension.Form form,
            AnswerRows rows) {
        boolean wanted = (command.getTableTypesCount() == 0
                        || command.getTableTypesList().contains(type)
                        || (type.equals(TABLE) && command.getTableTypesList().contains(BASE_TABLE)))
                && (!command.hasDbSchemaFilterPattern()
                        || NamePattern.matches(command.getDbSchemaFilterPattern(), schema))
                && (!command.hasTableNameFilterPattern()
                        || NamePattern.matches(command.getTableNameFilterPattern(), name));
        if (!wanted) {
            return;
        }
        Map<String, Object> row = new TreeMap<>(
                Map.of("catalog_name", CATALOG, "db_schema_name", schema, "table_name", name, "table_type", type));
        if (command.getIncludeSchema()) {
            row.put(
                    "table_schema",
                    ColumnTypes.bytes(ColumnTypes.table(services, schema, name, fields, form))
                            .toByteArray());
        }
        rows.add(row);
    }

    /** A stream's key does not name one row: there are no keys in the sense of SQL. */
    @Override
    public void getStreamPrimaryKeys(
            CommandGetPrimaryKeys command, CallContext context, ServerStreamListener listener) {
        answer(listener, rows -> rows.of(Schemas.GET_PRIMARY_KEYS_SCHEMA));
    }

    @Override
    public void getStreamExportedKeys(
            CommandGetExportedKeys command, CallContext context, ServerStreamListener listener) {
        answer(listener, rows -> rows.of(Schemas.GET_EXPORTED_KEYS_SCHEMA));
    }

    @Override
    public void getStreamImportedKeys(
            CommandGetImportedKeys command, CallContext context, ServerStreamListener listener) {
        answer(listener, rows -> rows.of(Schemas.GET_IMPORTED_KEYS_SCHEMA));
    }

    @Override
    public void getStreamCrossReference(
            CommandGetCrossReference command, CallContext context, ServerStreamListener listener) {
        answer(listener, rows -> rows.of(Schemas.GET_CROSS_REFERENCE_SCHEMA));
    }

    // What the server can.

    @Override
    public void getStreamSqlInfo(CommandGetSqlInfo command, CallContext context, ServerStreamListener listener) {
        services.run(() -> facts.send(command.getInfoList(), listener), listener::error);
    }

    @Override
    public void getStreamTypeInfo(CommandGetXdbcTypeInfo command, CallContext context, ServerStreamListener listener) {
        answer(listener, rows -> {
            rows.of(Schemas.GET_TYPE_INFO_SCHEMA);
            TypeRows.of(command.hasDataType() ? command.getDataType() : null).forEach(rows::add);
        });
    }

    // Sessions.

    @Override
    public void setSessionOptions(
            SetSessionOptionsRequest request, CallContext context, StreamListener<SetSessionOptionsResult> listener) {
        try {
            FlightSqlSession session = session();
            Map<String, SetSessionOptionsResult.Error> errors = new HashMap<>();
            for (Map.Entry<String, SessionOptionValue> option :
                    request.getSessionOptions().entrySet()) {
                String value = text(option.getValue());
                // Of JDBC's URLs.
                if ((option.getKey().equals("catalog") && (value.isEmpty() || value.equals(CATALOG)))
                        || (option.getKey().equals("schema") && (value.isEmpty() || value.equals(SCHEMA)))) {
                    continue;
                }
                try {
                    session = session.with(option.getKey(), value);
                } catch (WaterwheelException e) {
                    errors.put(
                            option.getKey(),
                            new SetSessionOptionsResult.Error(
                                    FlightSqlSession.NAMES.contains(option.getKey())
                                            ? SetSessionOptionsResult.ErrorValue.INVALID_VALUE
                                            : SetSessionOptionsResult.ErrorValue.INVALID_NAME));
                }
            }
            services.headers().setCookie(session.cookie());
            listener.onNext(new SetSessionOptionsResult(errors));
            listener.onCompleted();
        } catch (RuntimeException e) {
            listener.onError(services.error(e));
        }
    }

    private static String text(SessionOptionValue value) {
        return value.acceptVisitor(new NoOpSessionOptionValueVisitor<String>() {
            @Override
            public String visit(String text) {
                return text;
            }

            @Override
            public String visit(boolean truth) {
                return Boolean.toString(truth);
            }

            @Override
            public String visit(long number) {
                return Long.toString(number);
            }

            @Override
            public String visit(double number) {
                return Double.toString(number);
            }

            @Override
            public String visit(String[] list) {
                return String.join(",", list);
            }

            @Override
            public String visit(Void nothing) {
                return "";
            }
        });
    }

    @Override
    public void getSessionOptions(
            GetSessionOptionsRequest request, CallContext context, StreamListener<GetSessionOptionsResult> listener) {
        try {
            Map<String, SessionOptionValue> options = new TreeMap<>();
            session()
                    .options()
                    .forEach((name, value) ->
                            options.put(name, SessionOptionValueFactory.makeSessionOptionValue(value)));
            listener.onNext(new GetSessionOptionsResult(options));
            listener.onCompleted();
        } catch (RuntimeException e) {
            listener.onError(services.error(e));
        }
    }

    /** The client forgets the options. */
    @Override
    public void closeSession(
            CloseSessionRequest request, CallContext context, StreamListener<CloseSessionResult> listener) {
        services.headers().setCookie(FlightSqlSession.END);
        listener.onNext(new CloseSessionResult(CloseSessionResult.Status.CLOSED));
        listener.onCompleted();
    }
}
