package io.waterwheel.sql;

import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An expression of the engine that an executor evaluates among what it computes itself, by the engine's own code: so it
 * means the same, to the last bit, wherever it is evaluated. To the executor it is a function, whose name tells the
 * types of its arguments; the last argument is the expression.
 *
 * <p>An example: {@code SQRT(a.price * b.weight)} is {@code ww_engine_D_D(..., 'SQRT(c0)')}.
 *
 * @param takes types of the fields that the expression names, c0, c1 and so on, each of which may be null
 * @param yields the type of its value
 * @param expression in the engine's own syntax
 */
public record EngineCall(List<Column> takes, Column yields, String expression) {
    /** Most fields of an expression: no function takes more values that differ from row to row. */
    public static final int MOST_ARGUMENTS = 3;

    /** A type that is handed over. Of a time it is the number of its units since 1970. */
    public enum Column {
        BIGINT('B'),
        DOUBLE('D'),
        VARCHAR('T'),
        MILLIS('M'),
        MICROS('U'),
        NANOS('N');

        private final char letter;

        Column(char letter) {
            this.letter = letter;
        }

        private FieldType field() {
            return switch (this) {
                case BIGINT -> FieldType.LONG;
                case DOUBLE -> FieldType.DOUBLE;
                case VARCHAR -> FieldType.STRING;
                case MILLIS -> FieldType.TIMESTAMP;
                case MICROS -> FieldType.TIMESTAMP_US;
                case NANOS -> FieldType.TIMESTAMP_NS;
            };
        }

        /** Whether it is one of times. */
        public boolean isTime() {
            return ValueType.of(field()).isTimestamp();
        }

        /** Of values of this type; null for one that is not handed over. */
        public static @Nullable Column of(@Nullable ValueType type) {
            for (Column column : values()) {
                if (ValueType.of(column.field()) == type) {
                    return column;
                }
            }
            return null;
        }
    }

    public EngineCall {
        takes = List.copyOf(takes);
        if (takes.size() > MOST_ARGUMENTS) {
            throw new IllegalArgumentException("an expression of " + takes.size() + " fields");
        }
    }

    /** The fields that the expression names. */
    public List<Field> fields() {
        List<Field> fields = new ArrayList<>();
        for (Column column : takes) {
            fields.add(new Field("c" + fields.size(), column.field(), true));
        }
        return fields;
    }

    /** The name of the function. */
    public String function() {
        StringBuilder name =
                new StringBuilder("ww_engine_").append(yields.letter).append('_');
        takes.forEach(column -> name.append(column.letter));
        return name.toString();
    }
}
