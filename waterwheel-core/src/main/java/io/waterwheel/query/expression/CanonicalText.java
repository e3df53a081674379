package io.waterwheel.query.expression;

import io.waterwheel.schema.FieldType;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Addresses and UUIDs as the text that a CAST makes of them, which each of them has one of. */
public final class CanonicalText {
    private CanonicalText() {}

    /** The value that such a text stands for; null when no value of the type has this text. */
    public static Expression.@Nullable Literal literal(ValueType type, String text) {
        if (type.hasSixteenBytes()) {
            byte[] written = text.getBytes(StandardCharsets.UTF_8);
            byte[] bytes = new byte[FieldType.SIXTEEN];
            boolean canonical = type.fieldType().parseSixteen(written, 0, written.length, bytes)
                    && type.fieldType().textOfSixteen(bytes, 0).equals(text);
            return canonical ? new Expression.Sixteen(type, text) : null;
        }
        return type == ValueType.IPV4 ? address(text) : null;
    }

    private static Expression.@Nullable Literal address(String text) {
        String[] parts = text.split("\\.", -1);
        int bits = 0;
        for (String part : parts) {
            if (!part.matches("0|[1-9][0-9]{0,2}") || Integer.parseInt(part) > 255) {
                return null;
            }
            bits = bits << 8 | Integer.parseInt(part);
        }
        return parts.length == 4 ? new Expression.Address(bits) : null;
    }
}
