package io.waterwheel.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.decode.RandomRows;
import io.waterwheel.schema.DecimalTypes;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class KeyCodecTest {
    private static final double[] NUMBERS = {
        0,
        1,
        1.5,
        Double.MIN_VALUE,
        Double.MIN_NORMAL,
        Float.MIN_VALUE,
        Float.MAX_VALUE,
        Double.MAX_VALUE,
        Double.POSITIVE_INFINITY,
        4.9e-310
    };
    private static final String[] TEXTS = {
        "", "a", "a\0", "ab", "abcdefgh", "abcdefgha", "abcdefgi", "b", "\u007f", "é", "日本", "🚀", "zzzzzzzzzzzz"
    };

    /**
     * Keys keep the order of values, equal values have equal keys, and unequal ones unequal keys where it is said so.
     */
    @ParameterizedTest
    @MethodSource("io.waterwheel.schema.DecimalTypes#all")
    void keysKeepTheOrderOfValues(FieldType type) {
        for (long seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            String a = value(type, random);
            String b = random.nextInt(10) == 0 ? a : value(type, random);
            Field field = new Field("k", type, false);
            long keyA = KeyCodec.ofText(field, a);
            long keyB = KeyCodec.ofText(field, b);
            int order = compare(type, a, b);
            int keys = Long.compare(keyA, keyB);
            String as = "seed " + seed + " " + type + " '" + a + "' '" + b + "'";
            if (KeyCodec.isExact(type)) {
                assertThat(keys).as(as).isEqualTo(order);
            } else {
                assertThat(keys == 0 || keys == order).as(as).isTrue();
            }
            assertThat(KeyCodec.domain(type).contains(keyA)).as(as).isTrue();
        }
    }

    /** The key that a block's row gets is the key of the same value as text. */
    @ParameterizedTest
    @MethodSource("io.waterwheel.schema.DecimalTypes#all")
    void blocksGetTheKeysOfTheirValues(FieldType type) {
        Schema schema = new Schema(
                List.of(new Field("k", type, false), new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        RowLayout layout = RowLayout.of(schema);
        Random random = new Random(3);
        TupleBlock block = new TupleBlock(layout, 100);
        List<Long> expected = new ArrayList<>();
        for (int row = 0; row < 100; row++) {
            String text = value(type, random);
            long key = KeyCodec.ofText(schema.fields().get(0), text);
            expected.add(key);
            if (layout.columnOf(0) == RowLayout.KEY) {
                block.keys()[row] = key;
                continue;
            }
            byte[] column = block.column(0);
            switch (type.kind()) {
                case FLOAT -> LittleEndian.putInt(column, row * 4, Float.floatToRawIntBits(Float.parseFloat(text)));
                case DOUBLE ->
                    LittleEndian.putLong(column, row * 8, Double.doubleToRawLongBits(Double.parseDouble(text)));
                case BOOLEAN -> column[row] = (byte) key;
                default -> {
                    byte[] bytes = type == FieldType.BYTES
                            ? java.util.Base64.getDecoder().decode(text)
                            : type.isDecimal()
                                    ? Decimals.bytes(new BigDecimal(text), type.precision(), type.scale())
                                    : type.hasSixteenBytes() ? sixteen(type, text) : text.getBytes(UTF_8);
                    LittleEndian.putLong(column, row * 8, block.addToArena(bytes, 0, bytes.length));
                }
            }
        }
        block.setSize(100);
        assertThat(KeyMaker.of(layout, schema).fill(block, 0, (index, reason) -> {}))
                .isZero();
        assertThat(Arrays.stream(block.keys(), 0, 100).boxed().toList()).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(
            value = FieldType.Kind.class,
            names = {"FLOAT", "DOUBLE"})
    void notANumberIsRefusedAndTheOthersMoveUp(FieldType.Kind kind) {
        FieldType type = FieldType.valueOf(kind.name());
        Schema schema = new Schema(
                List.of(new Field("k", type, false), new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 3);
        double[] values = {1, Double.NaN, -0.0};
        for (int row = 0; row < 3; row++) {
            block.times()[row] = row;
            if (type == FieldType.DOUBLE) {
                LittleEndian.putLong(block.column(0), row * 8, Double.doubleToRawLongBits(values[row]));
            } else {
                LittleEndian.putInt(block.column(0), row * 4, Float.floatToRawIntBits((float) values[row]));
            }
        }
        block.setSize(3);
        List<String> refused = new ArrayList<>();
        assertThat(KeyMaker.of(RowLayout.of(schema), schema)
                        .fill(block, 0, (index, reason) -> refused.add(index + reason)))
                .isEqualTo(1);
        assertThat(refused).containsExactly("1field 'k': expected a number, for it is the key, got NaN");
        assertThat(block.size()).isEqualTo(2);
        assertThat(block.times()[1]).isEqualTo(2);
        assertThat(block.keys()[1]).as("the key of 0.0").isZero();
        assertThat(((Number) block.value(0, 1)).doubleValue())
                .as("the value stays")
                .isEqualTo(-0.0);
    }

    @Test
    void whatIsNoValueIsSaidSo() {
        assertThatThrownBy(() -> KeyCodec.ofText(new Field("k", FieldType.IPV4, false), "10.0.0"))
                .hasMessage("key field 'k': expected a value of type ipv4, got '10.0.0'");
        assertThatThrownBy(() -> KeyCodec.ofText(new Field("k", FieldType.DOUBLE, false), "NaN"))
                .hasMessageContaining("got 'NaN'");
        assertThatThrownBy(() -> KeyCodec.ofText(new Field("k", FieldType.TIMESTAMP, false), "2021-10-07T12:00:00"))
                .hasMessageContaining("expected a value of type timestamp");
        assertThat(KeyCodec.ofText(new Field("k", FieldType.TIMESTAMP, false), "1970-01-01 01:00:01+01:00"))
                .isEqualTo(1000);
        assertThat(KeyCodec.ofText(new Field("k", FieldType.TIMESTAMP_US, false), "1970-01-01T00:00:01+00:00"))
                .isEqualTo(1_000_000);
    }

    private static byte[] sixteen(FieldType type, String text) {
        byte[] bytes = new byte[FieldType.SIXTEEN];
        assertThat(type.parseSixteen(text.getBytes(UTF_8), 0, text.length(), bytes))
                .as(text)
                .isTrue();
        return bytes;
    }

    private static String value(FieldType type, Random random) {
        return switch (type.kind()) {
            case INT -> Integer.toString(random.nextInt() >> random.nextInt(32));
            case LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS ->
                Long.toString(random.nextInt(9) == 0 ? Long.MIN_VALUE : random.nextLong() >> random.nextInt(64));
            case IPV4 -> Ipv4.text(random.nextInt() >> random.nextInt(32));
            case BOOLEAN -> Boolean.toString(random.nextBoolean());
            case FLOAT, DOUBLE -> {
                double value = random.nextBoolean()
                        ? NUMBERS[random.nextInt(NUMBERS.length)]
                        : Double.longBitsToDouble(random.nextLong() & ~(1L << 62));
                value = Double.isNaN(value) ? 7 : random.nextBoolean() ? -value : value;
                yield type == FieldType.FLOAT ? Float.toString((float) value) : Double.toString(value);
            }
            case STRING -> TEXTS[random.nextInt(TEXTS.length)] + TEXTS[random.nextInt(TEXTS.length)];
            case DECIMAL -> DecimalTypes.value(type, random).toPlainString();
            case UUID, IPV6 -> type.object(RandomRows.sixteen(random)).toString();
            case BYTES -> {
                byte[] bytes = new byte[random.nextInt(11)];
                random.nextBytes(bytes);
                yield java.util.Base64.getEncoder().encodeToString(bytes);
            }
        };
    }

    private static int compare(FieldType type, String a, String b) {
        return switch (type.kind()) {
            case INT, LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> Long.compare(Long.parseLong(a), Long.parseLong(b));
            case IPV4 -> {
                String[] x = a.split("\\.", -1);
                String[] y = b.split("\\.", -1);
                int order = 0;
                for (int i = 0; i < 4 && order == 0; i++) {
                    order = Integer.compare(Integer.parseInt(x[i]), Integer.parseInt(y[i]));
                }
                yield order;
            }
            case DECIMAL -> new BigDecimal(a).compareTo(new BigDecimal(b));
            case BOOLEAN -> Boolean.compare(Boolean.parseBoolean(a), Boolean.parseBoolean(b));
            case FLOAT -> Double.compare(Float.parseFloat(a) + 0.0, Float.parseFloat(b) + 0.0);
            case DOUBLE -> Double.compare(Double.parseDouble(a) + 0.0, Double.parseDouble(b) + 0.0);
            case STRING -> Integer.signum(Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8)));
            case UUID, IPV6 -> Integer.signum(Arrays.compareUnsigned(sixteen(type, a), sixteen(type, b)));
            case BYTES ->
                Integer.signum(Arrays.compareUnsigned(
                        java.util.Base64.getDecoder().decode(a),
                        java.util.Base64.getDecoder().decode(b)));
        };
    }
}
