package io.waterwheel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.decode.RandomRows;
import io.waterwheel.geo.Box;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class KeySchemeTest {
    private static final Schema POSITION = new Schema(
            List.of(
                    new Field("lon", FieldType.DOUBLE, false),
                    new Field("id", FieldType.INT, false),
                    new Field("lat", FieldType.DOUBLE, false),
                    new Field("time", FieldType.TIMESTAMP, false)),
            new KeySpec.Position("lon", "lat", new Box(0, 0, 10, 10)),
            "time");

    private static final Schema DIMENSIONS = new Schema(
            List.of(
                    new Field("time", FieldType.TIMESTAMP, false),
                    new Field("kind", FieldType.STRING, true),
                    new Field("height", FieldType.DOUBLE, false)),
            new KeySpec.Dimensions(
                    List.of(
                            new Dimension("kind", 0, List.of(), List.of("b", "c")),
                            new Dimension("height", 3, List.of("0", "80"), List.of())),
                    List.of("kind", "height", "kind", "height", "height")),
            "time");

    private static Schema ofField(FieldType type) {
        return new Schema(
                List.of(new Field("k", type, false), new Field("time", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "time");
    }

    /** A kind of key without a line in the registry would fail only when such a stream is created. */
    @Test
    void eachKindOfKeyHasAScheme() {
        Set<Class<?>> seen = new HashSet<>();
        for (long seed = 1; seed <= 200; seed++) {
            Schema schema = RandomRows.schema(new Random(seed));
            assertThat(KeyScheme.of(schema)).isNotNull();
            seen.add(schema.key().getClass());
        }
        assertThat(seen).as("kinds that random schemas have").containsAll(permitted(KeySpec.class));
        assertThat(permitted(KeyScheme.class)).hasSameSizeAs(permitted(KeySpec.class));
    }

    private static List<Class<?>> permitted(Class<?> sealed) {
        return Arrays.asList(Objects.requireNonNull(sealed.getPermittedSubclasses()));
    }

    @Test
    void aKeyIsReadAsItIsWritten() {
        for (FieldType type : FieldType.values()) {
            KeyScheme scheme = KeyScheme.of(ofField(type));
            long key = type == FieldType.BOOLEAN ? 1 : scheme.parse(scheme.format(0));
            assertThat(scheme.parse(scheme.format(key))).as("%s", type).isEqualTo(key);
            assertThat(scheme.inexactField()).isEqualTo(type.variable() ? 0 : -1);
        }
        KeyScheme position = KeyScheme.of(POSITION);
        assertThat(position.parse(position.format(77))).isEqualTo(77);
        assertThat(position.inexactField()).isEqualTo(-1);
        assertThatThrownBy(() -> position.parse("1.5"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expected a z-order code, for the key is a position, got '1.5'");
    }

    @Test
    void conditionsOnTheFieldNarrowAndOthersDoNot() {
        Schema schema = ofField(FieldType.LONG);
        KeyNarrowing narrowing = KeyScheme.of(schema).narrowing(RowLayout.of(schema));
        narrowing.within(3, 1, 0);
        narrowing.within(RowLayout.KEY, 5, 90);
        narrowing.among(RowLayout.KEY, new long[] {1, 7, 9, 100});
        assertThat(narrowing.keys()).containsExactly(new KeyInterval(7, 7), new KeyInterval(9, 9));
        narrowing.within(RowLayout.KEY, 1, 0);
        assertThat(narrowing.keys()).isEmpty();

        KeyNarrowing position = KeyScheme.of(POSITION).narrowing(RowLayout.of(POSITION));
        position.within(0, 1, 0);
        assertThat(position.keys()).containsExactly(KeyInterval.ALL);
    }

    @Test
    void oneOfSeveralConditionsNarrows() {
        Schema schema = ofField(FieldType.LONG);
        KeyScheme scheme = KeyScheme.of(schema);
        RowLayout layout = RowLayout.of(schema);
        KeyNarrowing first = scheme.narrowing(layout);
        first.within(RowLayout.KEY, 5, 7);
        KeyNarrowing second = scheme.narrowing(layout);
        second.among(RowLayout.KEY, new long[] {9, 100});
        KeyNarrowing narrowing = scheme.narrowing(layout);
        narrowing.within(RowLayout.KEY, 6, 50);
        narrowing.any(List.of(first, second));
        assertThat(narrowing.keys()).containsExactly(new KeyInterval(6, 7), new KeyInterval(9, 9));
        narrowing.any(List.of(first, scheme.narrowing(layout)));
        assertThat(narrowing.keys()).containsExactly(new KeyInterval(6, 7), new KeyInterval(9, 9));

        scheme = KeyScheme.of(DIMENSIONS);
        layout = RowLayout.of(DIMENSIONS);
        KeyNarrowing high = scheme.narrowing(layout);
        high.within(2, KeyCodec.ofDouble(70), Long.MAX_VALUE);
        KeyNarrowing low = scheme.narrowing(layout);
        low.within(2, Long.MIN_VALUE, KeyCodec.ofDouble(5));
        KeyNarrowing none = scheme.narrowing(layout);
        none.within(2, 1, 0);
        KeyNarrowing both = scheme.narrowing(layout);
        both.any(List.of(high, low, none));
        both.amongBytes(1, new byte[][] {{'a'}});
        assertThat(both.keys()).containsExactly(new KeyInterval(0b00100, 0b00100), new KeyInterval(0b01111, 0b01111));
        both.any(List.of(none));
        assertThat(both.keys()).isEmpty();
    }

    @Test
    void keysThatAChunkLeavesOutAreMadeFromItsColumns() {
        RowLayout layout = RowLayout.of(POSITION);
        DerivedKeys written = Objects.requireNonNull(KeyScheme.of(POSITION).derived(layout));
        DerivedKeys read = KeyScheme.derived(written.kind(), layout, ByteBuffer.wrap(written.parameters()));
        assertThat(read.parameters()).isEqualTo(written.parameters());
        long key = new ZOrder(new Box(0, 0, 10, 10)).code(2.5, 7.5);
        long[][] row = {{Double.doubleToRawLongBits(2.5)}, {Double.doubleToRawLongBits(7.5)}};
        assertThat(read.makes(new long[] {key}, row, 1)).isTrue();
        assertThat(read.makes(new long[] {key + 1}, row, 1)).isFalse();

        Schema number = ofField(FieldType.LONG);
        assertThat(KeyScheme.of(number).derived(RowLayout.of(number))).isNull();
    }

    /** Null, below b, b and c are cells 0 to 3; a height below 10 has cell 0, one from 70 on cell 7. */
    @Test
    void aKeyOfDimensionsHasTheBitsOfCellsInTheOrderOfTheSchedule() {
        RowLayout layout = RowLayout.of(DIMENSIONS);
        KeyScheme scheme = KeyScheme.of(DIMENSIONS);
        assertThat(scheme.domain()).isEqualTo(new KeyInterval(0, 31));
        assertThat(scheme.parse(scheme.format(17))).isEqualTo(17);
        assertThat(scheme.tellsTuplesApart()).isFalse();
        TupleBlock block = new TupleBlock(layout, 4);
        String[] kinds = {"", "a", "bb", "d"};
        double[] heights = {-5, 10, 69.9, Double.NaN};
        for (int row = 0; row < 4; row++) {
            block.setNullMask(row, row == 0 ? 1 : 0);
            byte[] kind = kinds[row].getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(block.column(1), row * 8, block.addToArena(kind, 0, kind.length));
            LittleEndian.putLong(block.column(2), row * 8, Double.doubleToRawLongBits(heights[row]));
        }
        block.setSize(4);
        assertThat(scheme.maker(layout).fill(block, 0, (row, reason) -> {})).isZero();
        assertThat(Arrays.copyOf(block.keys(), 4)).containsExactly(0b00000, 0b00101, 0b11010, 0b11111);

        DerivedKeys written = Objects.requireNonNull(scheme.derived(layout));
        DerivedKeys read = KeyScheme.derived(written.kind(), layout, ByteBuffer.wrap(written.parameters()));
        assertThat(read.parameters()).isEqualTo(written.parameters());
        assertThat(read.keys(
                        new byte[][] {block.column(1), block.column(2), block.column(0)},
                        new byte[][] {block.arena(), {}, {}},
                        4))
                .containsExactly(0b00000, 0b00101, 0b11010, 0b11111);
    }

    @Test
    void conditionsOnDimensionsNarrow() {
        KeyNarrowing narrowing = KeyScheme.of(DIMENSIONS).narrowing(RowLayout.of(DIMENSIONS));
        assertThat(narrowing.keys()).containsExactly(KeyInterval.ALL);
        narrowing.amongBytes(1, new byte[][] {{'a'}, {'z'}});
        narrowing.within(2, KeyCodec.ofDouble(70), Long.MAX_VALUE);
        assertThat(narrowing.keys())
                .containsExactly(new KeyInterval(0b01111, 0b01111), new KeyInterval(0b11111, 0b11111));
        narrowing.within(2, 1, 0);
        assertThat(narrowing.keys()).isEmpty();
    }

    @Test
    void parametersOfDimensionsThatDoNotFitAreRefused() {
        RowLayout layout = RowLayout.of(DIMENSIONS);
        byte[] right =
                Objects.requireNonNull(KeyScheme.of(DIMENSIONS).derived(layout)).parameters();
        refused(right, 0, 9, "expected dimensions from 1 to 8, got 9");
        refused(right, 1, 3, "expected a column from 0 to 2, got 3");
        refused(right, 1, 0, "expected a column of values, got the null mask");
        refused(right, 3, 200, "expected 200 cuts, got 82 bytes");
        refused(right, 12, 0xff, "expected ascending cuts, got ");
        refused(right, right.length - 6, 64, "expected bits from 1 to 63, got 64");
        refused(right, right.length - 6, 4, "expected no more parameters, got 1 bytes");
        refused(right, right.length - 5, 1, "expected 1 to 14 bits, enough for 4 cells of 'kind', got 1");
        for (int length = 0; length < right.length; length++) {
            int cut = length;
            assertThatThrownBy(() -> KeyScheme.derived(2, layout, ByteBuffer.wrap(right, 0, cut)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static void refused(byte[] parameters, int at, int value, String message) {
        byte[] wrong = parameters.clone();
        wrong[at] = (byte) value;
        assertThatThrownBy(() -> KeyScheme.derived(2, RowLayout.of(DIMENSIONS), ByteBuffer.wrap(wrong)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void parametersThatDoNotFitAreRefused() {
        RowLayout layout = RowLayout.of(POSITION);
        byte[] right =
                Objects.requireNonNull(KeyScheme.of(POSITION).derived(layout)).parameters();
        assertThatThrownBy(() -> KeyScheme.derived(5, layout, ByteBuffer.wrap(right)))
                .hasMessage("expected kind 1 to 4, got 5");
        assertThatThrownBy(() -> KeyScheme.derived(1, layout, ByteBuffer.wrap(right, 0, 35)))
                .hasMessage("expected 36 bytes of parameters, got 35");
        byte[] intColumn = right.clone();
        intColumn[2] = 1;
        assertThatThrownBy(() -> KeyScheme.derived(1, layout, ByteBuffer.wrap(intColumn)))
                .hasMessage("expected a column of doubles, got column 1");
        byte[] upsideDown = right.clone();
        upsideDown[5 + 6] = (byte) 0x7f;
        assertThatThrownBy(() -> KeyScheme.derived(1, layout, ByteBuffer.wrap(upsideDown)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
