package io.waterwheel.topology.sql;

import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.sql.StatementPlan;
import io.waterwheel.topology.rpc.ColumnSink;
import java.util.List;

/**
 * What a statement takes and returns. Immutable.
 *
 * @param parameters the types that its question marks are to have
 * @param fields of the answer
 * @param columns that show them
 * @param streams that are asked
 */
public record StatementShape(
        List<ValueType> parameters, List<Field> fields, List<ColumnSink.Column> columns, List<String> streams) {
    public StatementShape {
        parameters = List.copyOf(parameters);
        fields = List.copyOf(fields);
        columns = List.copyOf(columns);
        streams = List.copyOf(streams);
    }

    static StatementShape of(List<ValueType> parameters, StatementPlan plan) {
        return new StatementShape(parameters, plan.fields(), columns(plan), plan.streams());
    }

    static StatementShape of(OwnStatements.Own own) {
        return new StatementShape(List.of(), own.rows().fields(), columns(own), List.of());
    }

    /** Of an answer whose columns are its fields. */
    static StatementShape of(List<ValueType> parameters, List<Field> fields, List<String> streams) {
        List<ColumnSink.Column> columns = new java.util.ArrayList<>();
        fields.forEach(field -> columns.add(new ColumnSink.Column(field.name(), columns.size())));
        return new StatementShape(parameters, fields, columns, streams);
    }

    /** Of an explanation. */
    static StatementShape explained(List<ValueType> parameters, StatementPlan plan) {
        return new StatementShape(
                parameters, OwnStatements.PLAN, List.of(new ColumnSink.Column("plan", 0)), plan.streams());
    }

    static List<ColumnSink.Column> columns(StatementPlan plan) {
        return plan.columns().stream()
                .map(column -> new ColumnSink.Column(column.label(), column.field()))
                .toList();
    }

    static List<ColumnSink.Column> columns(OwnStatements.Own own) {
        List<ColumnSink.Column> columns = new java.util.ArrayList<>();
        own.labels().forEach(label -> columns.add(new ColumnSink.Column(label, columns.size())));
        return columns;
    }
}
