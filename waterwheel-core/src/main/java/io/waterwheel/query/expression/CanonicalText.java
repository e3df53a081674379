package io.waterwheel.query.expression;

import io.waterwheel.schema.FieldType;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Addresses and UUIDs as text: the canonical one, which a CAST makes of them and of which each has one, and their bytes
 * in hexadecimal digits, whose order is that of the values.
 */
public final class CanonicalText {
    private static final HexFormat HEX = HexFormat.of();

    private CanonicalText() {}

    /** The value that a canonical text stands for; null when no value of the type has this text. */
    public static Expression.@Nullable Literal literal(ValueType type, String text) {
        if (type.hasSixteenBytes()) {
            byte[] bytes = sixteen(type, text);
            boolean canonical =
                    bytes != null && type.fieldType().textOfSixteen(bytes, 0).equals(text);
            return canonical ? new Expression.Sixteen(type, text) : null;
        }
        return type == ValueType.IPV4 ? address(text) : null;
    }

    /**
     * The canonical text of the value that a text of any form stands for, such as {@code 2001:db8::1} for
     * {@code 2001:DB8:0::1}.
     *
     * @throws IllegalArgumentException when it stands for none
     */
    public static String of(ValueType type, String text) {
        String canonical = type == ValueType.IPV4
                ? address(text) == null ? null : text
                : sixteen(type, text) == null ? null : new Expression.Sixteen(type, text).text();
        if (canonical == null) {
            throw new IllegalArgumentException("expected " + expected(type) + ", got '" + text + "'");
        }
        return canonical;
    }

    private static String expected(ValueType type) {
        return type == ValueType.IPV4
                ? "an IPv4 address such as 192.0.2.1"
                : type.fieldType().sixteenExpected();
    }

    /** The bytes of a canonical text of any of the types in hexadecimal digits; null when it is none. */
    public static @Nullable String digits(String text) {
        if (text.indexOf('.') >= 0 && text.indexOf(':') < 0) {
            return address(text) instanceof Expression.Address address ? HEX.toHexDigits(address.bits()) : null;
        }
        byte[] bytes = sixteen(text.indexOf(':') >= 0 ? ValueType.IPV6 : ValueType.UUID, text);
        return bytes == null ? null : HEX.formatHex(bytes);
    }

    /** The value of some digits; null when no value of the type has these. */
    public static Expression.@Nullable Literal ofDigits(ValueType type, String digits) {
        if (type == ValueType.IPV4) {
            return digits.length() == 8 && isHex(digits)
                    ? new Expression.Address(HexFormat.fromHexDigits(digits))
                    : null;
        }
        return type.hasSixteenBytes() && digits.length() == 2 * FieldType.SIXTEEN && isHex(digits)
                ? new Expression.Sixteen(type, type.fieldType().textOfSixteen(HEX.parseHex(digits), 0))
                : null;
    }

    private static boolean isHex(String digits) {
        return digits.chars().allMatch(HexFormat::isHexDigit);
    }

    private static byte @Nullable [] sixteen(ValueType type, String text) {
        byte[] written = text.getBytes(StandardCharsets.UTF_8);
        byte[] bytes = new byte[FieldType.SIXTEEN];
        return type.fieldType().parseSixteen(written, 0, written.length, bytes) ? bytes : null;
    }

    /** Four numbers up to 255 without zeros before them, with dots between. */
    private static Expression.@Nullable Literal address(String text) {
        int bits = 0;
        int part = -1;
        int parts = 0;
        for (int i = 0; i <= text.length(); i++) {
            char at = i == text.length() ? '.' : text.charAt(i);
            if (at == '.' && part >= 0) {
                bits = bits << 8 | part;
                parts++;
                part = -1;
            } else if (at >= '0' && at <= '9' && part != 0) {
                part = Math.max(part, 0) * 10 + at - '0';
                if (part > 255) {
                    return null;
                }
            } else {
                return null;
            }
        }
        return parts == 4 ? new Expression.Address(bits) : null;
    }
}
