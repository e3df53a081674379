package io.waterwheel.schema;

import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.Ipv4;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * Reads the values that divide a field into cells. Keys are made by them, and made again to read what is stored: the
 * cuts of a dimension are the same for ever. They are {@link Long} of whole numbers, timestamps as they are counted,
 * addresses and booleans; {@link Double} of floats and doubles; byte arrays of text and bytes, as many bytes of each as
 * tell its cells apart. Stateless but for the field.
 */
public final class Cuts {
    private final Field field;

    public Cuts(Field field) {
        this.field = field;
    }

    /**
     * The cuts of a dimension that is not open, ascending, no two equal.
     *
     * @param bits of the dimension
     * @throws IllegalArgumentException when its texts are no values of the field, or not in order; says which
     */
    public List<Object> of(Dimension dimension, int bits) {
        if (field.type().physical() == PhysicalType.BOOLEAN) {
            return List.of(1L);
        }
        int cells = (1 << bits) - (field.nullable() ? 1 : 0);
        int bytes = Math.max(Dimension.LEAST_BYTES, dimension.bytes());
        return dimension.range().isEmpty() ? listed(dimension.cuts(), bytes) : even(dimension.range(), cells);
    }

    private List<Object> listed(List<String> texts, int bytes) {
        List<Object> cuts = new ArrayList<>(texts.size());
        for (String text : texts) {
            Object cut = value("cuts", text, bytes);
            if (field.type().variable()
                    && !cuts.isEmpty()
                    && compare(cuts.get(cuts.size() - 1), cut) == 0
                    && !text.equals(texts.get(cuts.size() - 1))) {
                throw new IllegalArgumentException("cuts: expected values that differ in their first " + bytes
                        + " bytes, by which cells are told apart, got '" + text + "' after '"
                        + texts.get(cuts.size() - 1) + "'"
                        + (bytes < mostBytes() ? "; 'bytes: " + mostBytes() + "' tells them apart by more" : ""));
            }
            if (!cuts.isEmpty() && compare(cuts.get(cuts.size() - 1), cut) >= 0) {
                throw new IllegalArgumentException("cuts: expected ascending values, got '" + text + "' after '"
                        + texts.get(cuts.size() - 1) + "'");
            }
            cuts.add(cut);
        }
        return cuts;
    }

    /** Of a value that may be of use to tell it apart. */
    private int mostBytes() {
        return field.type().isDecimal() || field.type().hasSixteenBytes() ? 16 : Dimension.MAX_BYTES;
    }

    private List<Object> even(List<String> range, int cells) {
        if (field.type().variable()) {
            throw new IllegalArgumentException("values of type " + field.type().schemaName()
                    + " cannot be divided evenly: expected cuts, got a range");
        }
        if (range.size() != 2) {
            throw new IllegalArgumentException("range: expected [LO, HI], got " + range);
        }
        Object low = value("range", range.get(0), Dimension.LEAST_BYTES);
        Object high = value("range", range.get(1), Dimension.LEAST_BYTES);
        if (compare(low, high) >= 0) {
            throw new IllegalArgumentException(
                    "range: expected the lower value first, got " + range.get(0) + " to " + range.get(1));
        }
        List<Object> cuts = new ArrayList<>();
        for (int i = 1; i < cells; i++) {
            Object cut = low instanceof Long from
                    ? (Object) between(from, (Long) high, i, cells)
                    : between((Double) low, (Double) high, i, cells);
            if (compare(low, cut) < 0 && (cuts.isEmpty() || compare(cuts.get(cuts.size() - 1), cut) < 0)) {
                cuts.add(cut);
            }
        }
        return cuts;
    }

    private static Long between(long low, long high, int part, int parts) {
        BigInteger width =
                BigInteger.valueOf(high).subtract(BigInteger.valueOf(low)).add(BigInteger.ONE);
        BigInteger above = width.multiply(BigInteger.valueOf(part)).divide(BigInteger.valueOf(parts));
        return BigInteger.valueOf(low).add(above).longValueExact();
    }

    /** The width may be beyond what a double holds. */
    private static Double between(double low, double high, int part, int parts) {
        double share = (double) part / parts;
        return low * (1 - share) + high * share;
    }

    /** Text and bytes are told apart by the bytes that keys are made of. */
    private static int compare(Object left, Object right) {
        if (left instanceof Long number) {
            return Long.compare(number, (Long) right);
        } else if (left instanceof Double number) {
            return Double.compare(number + 0.0, (Double) right + 0.0);
        }
        return Arrays.compareUnsigned((byte[]) left, (byte[]) right);
    }

    private Object value(String member, String text, int bytes) {
        try {
            return switch (field.type().physical()) {
                case INT32, INT64 -> whole(text);
                case UINT32 -> address(text);
                // Rows are compared as floats: 0.7 is the float that rows have, which is a little less.
                case FLOAT32 -> finite(Float.parseFloat(text));
                case FLOAT64 -> finite(Double.parseDouble(text));
                case VARIABLE -> prefix(text, bytes);
                case BOOLEAN -> throw new IllegalStateException("a boolean has no cuts to read");
            };
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new IllegalArgumentException(
                    member + ": expected " + (isOfFloats() ? "finite values" : "values") + " of type "
                            + field.type().schemaName() + ", got '" + text + "'",
                    e);
        }
    }

    private boolean isOfFloats() {
        PhysicalType type = field.type().physical();
        return type == PhysicalType.FLOAT32 || type == PhysicalType.FLOAT64;
    }

    private Long whole(String text) {
        if (field.type().isTimestamp() && text.indexOf(':') >= 0) {
            return field.type()
                    .resolution()
                    .units(OffsetDateTime.parse(text.replace(' ', 'T')).toInstant());
        }
        if (field.type().isTimestamp() && text.indexOf('-') > 0) {
            return field.type()
                    .resolution()
                    .units(LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC));
        }
        if (field.type().isDecimal()) {
            return unscaled(text).longValueExact();
        }
        long value = Long.parseLong(text);
        if (field.type().physical() == PhysicalType.INT32 && value != (int) value) {
            throw new IllegalArgumentException("beyond 32 bits");
        }
        return value;
    }

    private BigInteger unscaled(String text) {
        try {
            return Decimals.unscaledOf(
                    Decimals.value(text), field.type().precision(), field.type().scale());
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("no value of the field", e);
        }
    }

    private static Long address(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        long address = Ipv4.parse(bytes, 0, bytes.length);
        if (address < 0) {
            throw new IllegalArgumentException("no address");
        }
        return address;
    }

    private static Double finite(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("no finite number");
        }
        return value;
    }

    /** Keys tell values apart by their first bytes, shorter ones filled up with zeros. */
    private byte[] prefix(String text, int length) {
        byte[] bytes =
                switch (field.type().kind()) {
                    case STRING -> text.getBytes(StandardCharsets.UTF_8);
                    case UUID, IPV6 -> sixteen(text);
                    case DECIMAL -> Decimals.bytes(unscaled(text));
                    default -> Base64.getDecoder().decode(text);
                };
        return Arrays.copyOf(bytes, length);
    }

    private byte[] sixteen(String text) {
        byte[] written = text.getBytes(StandardCharsets.UTF_8);
        byte[] bytes = new byte[FieldType.SIXTEEN];
        if (!field.type().parseSixteen(written, 0, written.length, bytes)) {
            throw new IllegalArgumentException("expected " + field.type().sixteenExpected());
        }
        return bytes;
    }
}
