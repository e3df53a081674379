package io.waterwheel.topology.sql;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.View;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.SystemTable;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tables about the streams and the server: SQL's information_schema, and those of schema waterwheel, some of which
 * {@link ServerTables} has.
 */
final class SystemTables {
    static final String CATALOG = "waterwheel";
    /** The schema of streams, views and tables of files. */
    static final String STREAMS = "public";

    private static final String INFORMATION = "information_schema";

    private static final List<SystemTable> ABOUT_STREAMS = List.of(
            new SystemTable(INFORMATION, "schemata", List.of(text("catalog_name"), text("schema_name"))),
            new SystemTable(
                    INFORMATION,
                    "tables",
                    List.of(text("table_catalog"), text("table_schema"), text("table_name"), text("table_type"))),
            new SystemTable(
                    INFORMATION,
                    "views",
                    List.of(text("table_catalog"), text("table_schema"), text("table_name"), text("view_definition"))),
            new SystemTable(
                    INFORMATION,
                    "columns",
                    List.of(
                            text("table_catalog"),
                            text("table_schema"),
                            text("table_name"),
                            text("column_name"),
                            number("ordinal_position"),
                            text("is_nullable"),
                            text("data_type"),
                            new Field("datetime_precision", FieldType.LONG, true))),
            new SystemTable(
                    CATALOG,
                    "streams",
                    List.of(
                            text("stream_name"),
                            text("topic"),
                            number("partitions"),
                            number("indexers"),
                            text("record_format"),
                            text("key_fields"),
                            text("time_field"),
                            number("fields"))),
            new SystemTable(
                    CATALOG,
                    "fields",
                    List.of(
                            text("stream_name"),
                            text("field_name"),
                            number("ordinal_position"),
                            text("field_type"),
                            new Field("nullable", FieldType.BOOLEAN, false),
                            new Field("field_role", FieldType.STRING, true))));

    /** All of them; {@link #read} knows their rows. */
    static final List<SystemTable> ALL =
            Stream.concat(ABOUT_STREAMS.stream(), ServerTables.ALL.stream()).toList();

    private final Supplier<List<StreamInfo>> streams;
    private final ServerTables server;
    private final Views views;

    /** The views that there are. */
    interface Views {
        List<View> all();

        /** The tables of files. */
        default List<SystemTable> files() {
            return List.of();
        }

        /** None of one that cannot be planned now, as when its stream was dropped. */
        List<Field> columns(View view);
    }

    /** @param streams all there are, in their order */
    SystemTables(Supplier<List<StreamInfo>> streams, Views views, ServerTables server) {
        this.streams = streams;
        this.views = views;
        this.server = server;
    }

    /** The table of a qualified name; null when there is none. */
    static @Nullable SystemTable of(String qualifiedName) {
        return ALL.stream()
                .filter(one -> one.qualifiedName().equalsIgnoreCase(qualifiedName))
                .findFirst()
                .orElse(null);
    }

    static Field text(String name) {
        return new Field(name, FieldType.STRING, false);
    }

    static Field number(String name) {
        return new Field(name, FieldType.LONG, false);
    }

    /**
     * Hands over the rows of a table as they are now, a page at a time.
     *
     * @param table its qualified name
     * @param goOn is asked now and then; throws to end it
     * @return what is missing, a sentence each
     */
    List<String> read(String table, Runnable goOn, Consumer<TupleBlock> taker) {
        List<String> missing = List.of();
        RowPages rows = new RowPages(Objects.requireNonNull(of(table)).fields(), taker);
        switch (table) {
            case "information_schema.schemata" ->
                List.of(INFORMATION, STREAMS, CATALOG).forEach(schema -> rows.add(CATALOG, schema));
            case "information_schema.tables" -> {
                ALL.forEach(one -> rows.add(CATALOG, one.schema(), one.name(), "SYSTEM TABLE"));
                streams.get().forEach(stream -> rows.add(CATALOG, STREAMS, stream.name(), "BASE TABLE"));
                views.files().forEach(file -> rows.add(CATALOG, STREAMS, file.name(), "BASE TABLE"));
                views.all().forEach(view -> rows.add(CATALOG, STREAMS, view.name(), "VIEW"));
            }
            case "information_schema.views" ->
                views.all().forEach(view -> rows.add(CATALOG, STREAMS, view.name(), view.query()));
            case "information_schema.columns" -> {
                ALL.forEach(one -> columns(rows, one.schema(), one.name(), one.fields()));
                streams.get()
                        .forEach(stream -> columns(
                                rows, STREAMS, stream.name(), stream.schema().fields()));
                views.files().forEach(file -> columns(rows, STREAMS, file.name(), file.fields()));
                views.all().forEach(view -> columns(rows, STREAMS, view.name(), views.columns(view)));
            }
            case "waterwheel.streams" -> streams.get().forEach(stream -> stream(rows, stream));
            case "waterwheel.fields" -> streams.get().forEach(stream -> fields(rows, stream));
            default -> missing = server.read(table, streams.get(), rows, goOn);
        }
        rows.end();
        return missing;
    }

    /**
     * Refuses a table that lacks something.
     *
     * @throws WaterwheelException code INCOMPLETE, unless an answer may be partial
     */
    static void requireWhole(List<String> missing, boolean allowPartial) {
        if (!missing.isEmpty() && !allowPartial) {
            throw new WaterwheelException(
                    ErrorCode.INCOMPLETE, "the answer is not complete: " + String.join("; ", missing));
        }
    }

    private static void columns(RowPages rows, String schema, String table, List<Field> fields) {
        for (int f = 0; f < fields.size(); f++) {
            Field field = fields.get(f);
            rows.add(
                    CATALOG,
                    schema,
                    table,
                    field.name(),
                    f + 1L,
                    field.nullable() ? "YES" : "NO",
                    type(field.type()),
                    precision(field.type()));
        }
    }

    /** What SQL calls it, docs/sql.md. */
    private static String type(FieldType type) {
        if (type.isDecimal()) {
            return type.name();
        }
        return switch (type.physical()) {
            case INT32, INT64 -> type.isTimestamp() ? "TIMESTAMP" : "BIGINT";
            case FLOAT32, FLOAT64 -> "DOUBLE";
            case BOOLEAN -> "BOOLEAN";
            case UINT32 -> "VARCHAR";
            case VARIABLE -> type == FieldType.BYTES ? "VARBINARY" : "VARCHAR";
        };
    }

    private static @Nullable Long precision(FieldType type) {
        if (!type.isTimestamp()) {
            return null;
        }
        return switch (type.resolution()) {
            case SECONDS -> 0L;
            case MILLISECONDS -> 3L;
            case MICROSECONDS -> 6L;
            case NANOSECONDS -> 9L;
        };
    }

    private static void stream(RowPages rows, StreamInfo stream) {
        Schema schema = stream.schema();
        rows.add(
                stream.name(),
                stream.topic(),
                (long) stream.partitions(),
                (long) stream.indexers(),
                stream.format().toString().toLowerCase(Locale.ROOT),
                String.join(
                        ", ",
                        schema.key().roles().stream().map(KeySpec.Role::field).toList()),
                schema.timeField(),
                (long) schema.fields().size());
    }

    private static void fields(RowPages rows, StreamInfo stream) {
        Schema schema = stream.schema();
        for (int f = 0; f < schema.fields().size(); f++) {
            Field field = schema.fields().get(f);
            rows.add(
                    stream.name(),
                    field.name(),
                    f + 1L,
                    field.type().schemaName(),
                    field.nullable(),
                    OwnStatements.role(schema, field.name()));
        }
    }
}
