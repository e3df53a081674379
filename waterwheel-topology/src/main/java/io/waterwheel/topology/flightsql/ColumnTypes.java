package io.waterwheel.topology.flightsql;

import com.google.protobuf.ByteString;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.topology.rpc.FlightExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.sql.FlightSqlColumnMetadata;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;

/** Columns of tables, and parameters, as Arrow has them. */
final class ColumnTypes {
    private ColumnTypes() {}

    /** The type of a field's column: addresses and UUIDs are text in SQL. */
    private static FieldType shown(FieldType type) {
        return type == FieldType.IPV4 || type.hasSixteenBytes() ? FieldType.STRING : type;
    }

    /** The columns of a table; each says what it is called in SQL, and whether it may be null. */
    static Schema table(
            FlightExtension.Services services,
            String schemaName,
            String table,
            List<Field> fields,
            FlightExtension.Form form) {
        Schema plain = schema(
                services,
                fields.stream()
                        .map(field -> new Field(field.name(), shown(field.type()), field.nullable()))
                        .toList(),
                new FlightExtension.Form(false, form.zoned(), form.nanos()));
        List<org.apache.arrow.vector.types.pojo.Field> told = new ArrayList<>();
        for (int f = 0; f < fields.size(); f++) {
            org.apache.arrow.vector.types.pojo.Field column = plain.getFields().get(f);
            FlightSqlColumnMetadata.Builder facts = new FlightSqlColumnMetadata.Builder()
                    .catalogName(CatalogService.CATALOG)
                    .schemaName(schemaName)
                    .tableName(table)
                    .typeName(TypeRows.name(fields.get(f).type()))
                    .isAutoIncrement(false)
                    .isCaseSensitive(true)
                    .isReadOnly(!schemaName.equals(CatalogService.SCHEMA))
                    .isSearchable(true);
            told.add(new org.apache.arrow.vector.types.pojo.Field(
                    column.getName(),
                    new org.apache.arrow.vector.types.pojo.FieldType(
                            column.isNullable(),
                            column.getType(),
                            null,
                            facts.build().getMetadataMap()),
                    null));
        }
        return new Schema(told);
    }

    /**
     * What a statement's question marks take.
     *
     * @param millis whether all times are announced as ones of milliseconds, as {@link BoundRow} knows again
     */
    static Schema parameters(
            FlightExtension.Services services, List<ValueType> types, FlightExtension.Form form, boolean millis) {
        List<Field> fields = new ArrayList<>();
        for (ValueType type : types) {
            FieldType shown = shown(type.fieldType());
            fields.add(
                    new Field("p" + (fields.size() + 1), millis && isFine(shown) ? FieldType.TIMESTAMP : shown, true));
        }
        // A value that is given counts what its type does.
        Schema announced = schema(services, fields, new FlightExtension.Form(form.nullable(), form.zoned(), false));
        List<org.apache.arrow.vector.types.pojo.Field> told = new ArrayList<>();
        for (int f = 0; f < fields.size(); f++) {
            org.apache.arrow.vector.types.pojo.Field one = announced.getFields().get(f);
            told.add(
                    millis && isFine(types.get(f).fieldType())
                            ? new org.apache.arrow.vector.types.pojo.Field(
                                    one.getName(),
                                    new org.apache.arrow.vector.types.pojo.FieldType(
                                            one.isNullable(), one.getType(), null, Map.of(BoundRow.COARSE, "true")),
                                    null)
                            : one);
        }
        return new Schema(told);
    }

    private static boolean isFine(FieldType type) {
        return type == FieldType.TIMESTAMP_US || type == FieldType.TIMESTAMP_NS;
    }

    private static Schema schema(FlightExtension.Services services, List<Field> fields, FlightExtension.Form form) {
        List<ColumnSink.Column> columns = new ArrayList<>();
        for (Field field : fields) {
            columns.add(new ColumnSink.Column(field.name(), columns.size()));
        }
        return services.schema(fields, columns, form);
    }

    static ByteString bytes(Schema schema) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            MessageSerializer.serialize(new WriteChannel(Channels.newChannel(bytes)), schema);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ByteString.copyFrom(bytes.toByteArray());
    }
}
