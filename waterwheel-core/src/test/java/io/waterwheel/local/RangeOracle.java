package io.waterwheel.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.KeyRange;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.text.Ipv4;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;

/** Ranges of values by a comparison of values as texts. */
final class RangeOracle {
    private RangeOracle() {}

    static boolean holds(FieldType type, KeyRange range, String value) {
        Comparator<String> order = order(type);
        return (range.low() == null || order.compare(range.low(), value) <= 0)
                && (range.high() == null || order.compare(value, range.high()) <= 0);
    }

    static Comparator<String> order(FieldType type) {
        return switch (type.kind()) {
            case INT, LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> Comparator.comparingLong(Long::parseLong);
            case IPV4 -> Comparator.comparingLong(text -> Ipv4.parse(text.getBytes(UTF_8), 0, text.length()));
            case BOOLEAN -> Comparator.comparing(Boolean::parseBoolean);
            case FLOAT -> Comparator.comparingDouble(text -> Float.parseFloat(text) + 0.0);
            case DOUBLE -> Comparator.comparingDouble(text -> Double.parseDouble(text) + 0.0);
            case STRING -> (a, b) -> Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8));
            case UUID, IPV6 -> (a, b) -> Arrays.compareUnsigned(sixteen(type, a), sixteen(type, b));
            case DECIMAL -> Comparator.comparing(BigDecimal::new);
            case BYTES ->
                (a, b) -> Arrays.compareUnsigned(
                        Base64.getDecoder().decode(a), Base64.getDecoder().decode(b));
        };
    }

    private static byte[] sixteen(FieldType type, String text) {
        byte[] bytes = new byte[FieldType.SIXTEEN];
        assertThat(type.parseSixteen(text.getBytes(UTF_8), 0, text.length(), bytes))
                .as(text)
                .isTrue();
        return bytes;
    }
}
