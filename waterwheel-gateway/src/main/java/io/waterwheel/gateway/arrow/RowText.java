package io.waterwheel.gateway.arrow;

import io.waterwheel.gateway.answer.Utf8Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** A row of Arrow columns as a JSON object, for people who read dead letters. Pure functions. */
final class RowText {
    private RowText() {}

    /**
     * The row in JSON: times as numbers in the unit of their column, binary in base64.
     *
     * @param most bytes that it may have
     * @return null when it has more
     * @throws io.waterwheel.gateway.http.HttpFailure when an offset of the columns is wrong
     */
    static byte @Nullable [] of(ArrowColumn[] columns, int row, int most) {
        Utf8Buffer out = new Utf8Buffer();
        char separator = '{';
        for (ArrowColumn column : columns) {
            int place = column.place(row);
            if (place >= 0) {
                if (bytes(column.holder(), place) > most) {
                    return null;
                }
                out.put((byte) separator);
                separator = ',';
                byte[] name = column.name().getBytes(StandardCharsets.UTF_8);
                out.jsonString(name, 0, name.length);
                out.put((byte) ':');
                value(column.holder(), place, out);
                if (out.length() > most) {
                    return null;
                }
            }
        }
        if (separator == '{') {
            out.put((byte) separator);
        }
        out.put((byte) '}');
        return Arrays.copyOf(out.bytes(), out.length());
    }

    /** Bytes of a value as it lies: it takes as many at least. */
    private static int bytes(ArrowColumn column, int place) {
        return switch (column.type().kind()) {
            case TEXT, BINARY, FIXED_BINARY -> {
                column.from(place);
                yield column.length(place);
            }
            case NULL, BOOLEAN, INTEGER, FLOATING, TIME, DECIMAL -> 0;
        };
    }

    private static void value(ArrowColumn column, int place, Utf8Buffer out) {
        switch (column.type().kind()) {
            case BOOLEAN -> out.ascii(Boolean.toString(column.truth(place)));
            case INTEGER, TIME -> {
                long value = column.integer(place);
                out.ascii(column.type().signed() ? Long.toString(value) : Long.toUnsignedString(value));
            }
            case FLOATING -> {
                double value = column.floating(place);
                out.ascii(Double.isFinite(value) ? Double.toString(value) : "\"" + value + "\"");
            }
            case DECIMAL -> out.ascii(column.decimal(place).toString());
            case TEXT -> {
                int from = column.from(place);
                out.jsonString(column.bytes(), from, column.length(place));
            }
            case BINARY, FIXED_BINARY -> {
                int from = column.from(place);
                byte[] value = Arrays.copyOfRange(column.bytes(), from, from + column.length(place));
                byte[] text = Base64.getEncoder().encode(value);
                out.jsonString(text, 0, text.length);
            }
            case NULL -> out.ascii("null");
        }
    }
}
