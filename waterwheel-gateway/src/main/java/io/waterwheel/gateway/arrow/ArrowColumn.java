package io.waterwheel.gateway.arrow;

import io.waterwheel.tuple.LittleEndian;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** One column of a record batch, read where it lies in the body. Immutable; its bytes are the caller's. */
final class ArrowColumn {
    private static final ColumnType NOTHING = new ColumnType(ColumnType.Kind.NULL, 0, false, 0);

    /** A part of the body. */
    record Slice(int from, int length) {}

    private final String name;
    private final ColumnType type;
    private final byte[] bytes;
    private final int rows;
    private final Slice validity;
    private final Slice offsets;
    private final Slice data;
    /** What the whole numbers of this column stand for; null where they stand for themselves. */
    private final @Nullable ArrowColumn dictionary;

    /**
     * A column whose buffers are as long as its rows need.
     *
     * @param buffers as many as the type has, in the order of the format
     * @throws io.waterwheel.gateway.http.HttpFailure when they are too short
     */
    ArrowColumn(
            String name, ColumnType type, byte[] bytes, int rows, Slice[] buffers, @Nullable ArrowColumn dictionary) {
        this.name = name;
        this.type = type;
        this.bytes = bytes;
        this.rows = rows;
        this.dictionary = dictionary;
        Slice none = new Slice(0, 0);
        validity = buffers.length > 0 ? buffers[0] : none;
        offsets = type.variable() ? buffers[1] : none;
        data = buffers.length > 1 ? buffers[buffers.length - 1] : none;
        if (validity.length() > 0) {
            require(validity, (rows + 7L) / 8, "validity");
        }
        switch (type.kind()) {
            case NULL -> {}
            case BOOLEAN -> require(data, (rows + 7L) / 8, "values");
            case TEXT, BINARY -> require(offsets, rows == 0 ? 0 : (rows + 1L) * type.width(), "offsets");
            case INTEGER, FLOATING, TIME, FIXED_BINARY, DECIMAL -> require(data, (long) rows * type.width(), "values");
        }
    }

    /** A column that says nothing, for a field that the body does not have. */
    static ArrowColumn nothing(String name, int rows) {
        return new ArrowColumn(name, NOTHING, new byte[0], rows, new Slice[0], null);
    }

    private void require(Slice buffer, long needed, String what) {
        if (buffer.length() < needed) {
            throw IpcMessages.bad("column " + name + ": " + rows + " rows need " + needed + " bytes of " + what
                    + ", there are " + buffer.length());
        }
    }

    String name() {
        return name;
    }

    /** What the values are, behind a dictionary too. */
    ColumnType type() {
        return dictionary == null ? type : dictionary.type;
    }

    /** The column that holds the value of a row: this one, or its dictionary. */
    ArrowColumn holder() {
        return dictionary == null ? this : dictionary;
    }

    /** The place of a row's value in its {@link #holder}; -1 for null. */
    int place(int row) {
        if (isNull(row)) {
            return -1;
        }
        if (dictionary == null) {
            return row;
        }
        long place = integer(row);
        if (place < 0 || place >= dictionary.rows) {
            throw IpcMessages.bad("column " + name + ": row " + row + " has the value " + Long.toUnsignedString(place)
                    + " of a dictionary that has " + dictionary.rows);
        }
        return dictionary.isNull((int) place) ? -1 : (int) place;
    }

    private boolean isNull(int row) {
        return type.kind() == ColumnType.Kind.NULL
                || (validity.length() > 0 && (bytes[validity.from() + (row >> 3)] >> (row & 7) & 1) == 0);
    }

    boolean truth(int place) {
        return (bytes[data.from() + (place >> 3)] >> (place & 7) & 1) != 0;
    }

    /** A whole number or a time; unsigned ones of 64 bits as they lie. */
    long integer(int place) {
        int at = data.from() + place * type.width();
        return switch (type.width()) {
            case 1 -> type.signed() ? bytes[at] : bytes[at] & 0xFFL;
            case 2 -> type.signed() ? LittleEndian.getShort(bytes, at) : LittleEndian.getShort(bytes, at) & 0xFFFFL;
            case 4 -> type.signed() ? LittleEndian.getInt(bytes, at) : LittleEndian.getInt(bytes, at) & 0xFFFFFFFFL;
            default -> LittleEndian.getLong(bytes, at);
        };
    }

    double floating(int place) {
        int at = data.from() + place * type.width();
        return type.width() == 4 ? LittleEndian.getFloat(bytes, at) : LittleEndian.getDouble(bytes, at);
    }

    /** A decimal, of any number of digits. */
    BigDecimal decimal(int place) {
        int width = type.width();
        int at = data.from() + place * width;
        byte[] number = new byte[width];
        for (int i = 0; i < width; i++) {
            number[i] = bytes[at + width - 1 - i];
        }
        return new BigDecimal(new BigInteger(number), type.scale());
    }

    byte[] bytes() {
        return bytes;
    }

    /** Where a value of text or bytes begins in {@link #bytes}. */
    int from(int place) {
        if (!type.variable()) {
            return data.from() + place * type.width();
        }
        long from = offset(place);
        long to = offset(place + 1);
        if (from < 0 || from > to || to > data.length()) {
            throw IpcMessages.bad("column " + name + ": the offsets " + from + " and " + to + " of row " + place
                    + " do not fit " + data.length() + " bytes of values");
        }
        return data.from() + (int) from;
    }

    /** Bytes of a value; ask {@link #from} first, which checks. */
    int length(int place) {
        return type.variable() ? (int) (offset(place + 1) - offset(place)) : type.width();
    }

    private long offset(int index) {
        int at = offsets.from() + index * type.width();
        return type.width() == 4 ? LittleEndian.getInt(bytes, at) : LittleEndian.getLong(bytes, at);
    }
}
