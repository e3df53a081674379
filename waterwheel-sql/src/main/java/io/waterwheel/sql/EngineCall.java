package io.waterwheel.sql;

import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An expression of the engine that an executor evaluates among what it computes itself, by the engine's own code: so it
 * means the same, to the last bit, wherever it is evaluated. The executor knows it by the name of a function, which
 * tells the types of its columns, and by a text that is the function's last argument.
 *
 * <p>An example: {@code SQRT(a.price * b.weight)} is {@code ww_engine_D_D(..., 'D;SQRT(c0)')}.
 *
 * @param takes fields that the expression names, c0, c1 and so on, each of which may be null; at most
 *     {@link #MOST_ARGUMENTS}
 * @param expression in the engine's own syntax
 */
public record EngineCall(List<FieldType> takes, String expression) {
    /** Most values that differ from row to row. */
    public static final int MOST_ARGUMENTS = 3;

    /** How a value is handed over: as a whole number, a double or a text. Times are whole numbers, bytes base 64. */
    public enum Column {
        BIGINT('B'),
        DOUBLE('D'),
        VARCHAR('T');

        private final char letter;

        Column(char letter) {
            this.letter = letter;
        }
    }

    /** By letter: long, double, string, bytes, and times of three, six and nine digits. */
    private static final String LETTERS = "BDTXMUN";

    private static final List<FieldType> TYPES = List.of(
            FieldType.LONG,
            FieldType.DOUBLE,
            FieldType.STRING,
            FieldType.BYTES,
            FieldType.TIMESTAMP,
            FieldType.TIMESTAMP_US,
            FieldType.TIMESTAMP_NS);

    private static final String TIMES = "MUN";

    public EngineCall {
        takes = List.copyOf(takes);
        if (takes.size() > MOST_ARGUMENTS) {
            throw new IllegalArgumentException("a call with " + takes.size() + " arguments");
        }
    }

    /** The type of a column for values of this type; null for one that is not handed over. */
    public static @Nullable FieldType field(ValueType type) {
        return switch (type.kind()) {
            case INTEGER -> FieldType.LONG;
            case DOUBLE -> FieldType.DOUBLE;
            case STRING -> FieldType.STRING;
            case BYTES -> FieldType.BYTES;
            case TIMESTAMP -> FieldType.TIMESTAMP;
            case TIMESTAMP_US -> FieldType.TIMESTAMP_US;
            case TIMESTAMP_NS -> FieldType.TIMESTAMP_NS;
            case BOOLEAN, IPV4, IPV6, UUID, NULL, DECIMAL -> null;
        };
    }

    /** How values of a field are handed over. */
    public static Column column(FieldType type) {
        char letter = LETTERS.charAt(TYPES.indexOf(type));
        return letter == 'D'
                ? Column.DOUBLE
                : letter == 'B' || TIMES.indexOf(letter) >= 0 ? Column.BIGINT : Column.VARCHAR;
    }

    /** The fields that the expression names. */
    public List<Field> fields() {
        List<Field> fields = new ArrayList<>();
        for (FieldType type : takes) {
            fields.add(new Field("c" + fields.size(), type, true));
        }
        return fields;
    }

    /** The name of the function. */
    public static String function(Column yields, List<Column> takes) {
        StringBuilder name = new StringBuilder("ww_engine_").append(yields.letter);
        takes.forEach(column ->
                name.append(name.length() == "ww_engine_D".length() ? "_" : "").append(column.letter));
        return name.toString();
    }

    /** What the function's last argument is. */
    public String text() {
        StringBuilder text = new StringBuilder();
        takes.forEach(type -> text.append(LETTERS.charAt(TYPES.indexOf(type))));
        return text.append(';').append(expression).toString();
    }

    /** The call of a text. */
    public static EngineCall of(String text) {
        int end = text.indexOf(';');
        List<FieldType> takes = new ArrayList<>();
        for (int i = 0; i < end; i++) {
            takes.add(TYPES.get(LETTERS.indexOf(text.charAt(i))));
        }
        return new EngineCall(takes, text.substring(end + 1));
    }
}
