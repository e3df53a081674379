package io.waterwheel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.decode.RandomRows;
import io.waterwheel.geo.Box;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import java.nio.ByteBuffer;
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

    @Test
    void parametersThatDoNotFitAreRefused() {
        RowLayout layout = RowLayout.of(POSITION);
        byte[] right =
                Objects.requireNonNull(KeyScheme.of(POSITION).derived(layout)).parameters();
        assertThatThrownBy(() -> KeyScheme.derived(2, layout, ByteBuffer.wrap(right)))
                .hasMessage("expected kind 1, got 2");
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
