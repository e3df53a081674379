package io.waterwheel.schema;

import java.util.Arrays;
import java.util.List;

/**
 * Where each field of a row lies: in the key, in the time, or in a payload column. Shared by tuple blocks, leaves and
 * chunk files, so that moving tuples between them is copying columns.
 *
 * <p>A stored layout ({@link #of(Schema)}) has a key and a time for every row; fields that equal them take no column of
 * their own. A result layout ({@link #ofFields(List)}) has neither: all its fields are columns. When a field is
 * nullable, column 0 is the null mask: bit b of a row is set when the b-th nullable field is null.
 */
public final class RowLayout {
    /** {@link #columnOf} of a field that is the key. */
    public static final int KEY = -1;
    /** {@link #columnOf} of a field that is the time. */
    public static final int TIME = -2;

    private final List<Field> fields;
    private final boolean keyed;
    private final int[] columnOf;
    private final int[] nullBit;
    private final int[] width;
    private final boolean[] variable;
    private final int nullMaskColumn;
    private final int payloadWidth;
    private final boolean hasVariable;
    /** Made when it is asked for; 0 before. Every thread makes the same. */
    private int fingerprint;

    private RowLayout(List<Field> fields, int keyField, int timeField, boolean keyed) {
        this.fields = List.copyOf(fields);
        this.keyed = keyed;
        this.columnOf = new int[fields.size()];
        this.nullBit = new int[fields.size()];
        int nullable = 0;
        for (int f = 0; f < fields.size(); f++) {
            nullBit[f] = fields.get(f).nullable() ? nullable++ : -1;
        }
        int columns = nullable > 0 ? 1 : 0;
        for (int f = 0; f < fields.size(); f++) {
            columnOf[f] = f == timeField ? TIME : f == keyField ? KEY : columns++;
        }
        this.width = new int[columns];
        this.variable = new boolean[columns];
        if (nullable > 0) {
            nullMaskColumn = 0;
            width[0] = nullable <= 8 ? 1 : nullable <= 16 ? 2 : nullable <= 32 ? 4 : 8;
        } else {
            nullMaskColumn = -1;
        }
        boolean anyVariable = false;
        int sum = nullable > 0 ? width[0] : 0;
        for (int f = 0; f < fields.size(); f++) {
            if (columnOf[f] >= 0) {
                FieldType type = fields.get(f).type();
                width[columnOf[f]] = type.width();
                variable[columnOf[f]] = type.variable();
                anyVariable |= type.variable();
                sum += type.width();
            }
        }
        payloadWidth = sum;
        hasVariable = anyVariable;
    }

    /** The layout of stored tuples of a stream; the schema keeps it. */
    public static RowLayout of(Schema schema) {
        return schema.stored();
    }

    /** {@link #of(Schema)}, made anew. */
    static RowLayout made(Schema schema) {
        int keyField = schema.keyField();
        int timeField = schema.indexOf(schema.timeField());
        boolean isKey = keyField >= 0
                && keyField != timeField
                && schema.fields().get(keyField).type().isWholeNumber();
        // Times are kept in milliseconds: a finer timestamp needs a column besides.
        boolean isTime = schema.fields().get(timeField).type() == FieldType.TIMESTAMP;
        return new RowLayout(schema.fields(), isKey ? keyField : -1, isTime ? timeField : -1, true);
    }

    /**
     * A stored layout by its fields: what {@link #of(Schema)} makes, for who has a chunk and no schema.
     *
     * @param keyField index of the field that is the key, or -1 when no field is, or the time is
     * @param timeField index of the field that is the time
     */
    public static RowLayout ofStored(List<Field> fields, int keyField, int timeField) {
        return new RowLayout(fields, keyField, timeField, true);
    }

    /** The layout of result rows: the given fields, each in a column, no key, no time. */
    public static RowLayout ofFields(List<Field> fields) {
        return new RowLayout(fields, -1, -1, false);
    }

    public List<Field> fields() {
        return fields;
    }

    /** Whether rows have a key and a time. */
    public boolean keyed() {
        return keyed;
    }

    /** Whether a field lies in the key; keys are made from columns or the time otherwise. */
    public boolean hasKeyField() {
        for (int column : columnOf) {
            if (column == KEY) {
                return true;
            }
        }
        return false;
    }

    /** Number of payload columns, the null mask included. */
    public int columns() {
        return width.length;
    }

    /** Bytes a row takes in payload column c: 1, 2, 4 or 8. */
    public int width(int column) {
        return width[column];
    }

    /** Whether payload column c holds references into the arena. */
    public boolean variable(int column) {
        return variable[column];
    }

    /** Whether any column refers to the arena. */
    public boolean hasVariable() {
        return hasVariable;
    }

    /** Bytes a row takes in all payload columns together. */
    public int payloadWidth() {
        return payloadWidth;
    }

    /** Bytes a row takes, key and time included, arena excluded. */
    public int rowWidth() {
        return payloadWidth + (keyed ? 16 : 0);
    }

    /** The payload column of field f, or {@link #KEY}, or {@link #TIME}. */
    public int columnOf(int field) {
        return columnOf[field];
    }

    /** The column of null masks, or -1 when no field is nullable. */
    public int nullMaskColumn() {
        return nullMaskColumn;
    }

    /** The bit of field f in the null mask, or -1 when it is not nullable. */
    public int nullBit(int field) {
        return nullBit[field];
    }

    /** A number that differs, with high probability, for different layouts; part of the block format. */
    public int fingerprint() {
        int known = fingerprint;
        if (known == 0) {
            known = makeFingerprint();
            fingerprint = known;
        }
        return known;
    }

    private int makeFingerprint() {
        int hash = keyed ? 1 : 2;
        for (Field field : fields) {
            hash = hash * 31 + field.name().hashCode();
            hash = hash * 31 + field.type().schemaName().hashCode();
            hash = hash * 31 + (field.nullable() ? 1 : 0);
        }
        for (int column : columnOf) {
            hash = hash * 31 + column;
        }
        return hash;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || (other instanceof RowLayout that
                        && keyed == that.keyed
                        && fields.equals(that.fields)
                        && Arrays.equals(columnOf, that.columnOf));
    }

    @Override
    public int hashCode() {
        return fingerprint();
    }
}
