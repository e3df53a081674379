package io.waterwheel.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.decode.RandomRows;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Cells by table beside a count of cuts, codes of text beside a loop, and keys of columns beside those of blocks. */
final class ScaleTest {
    private static final int SEEDS = Rounds.of(200, 20_000);

    @Test
    void tablesOfTheSameCutsAreOne() {
        long[] cuts = {1, 5, 9};
        assertThat(Scale.of(cuts, false)).isSameAs(Scale.of(cuts.clone(), false));
        assertThat(Scale.of(cuts, false)).isNotEqualTo(Scale.of(new long[] {1, 5}, false));
        // The numbers of these codes are other cuts.
        assertThat(Scale.of(cuts, false)).isNotEqualTo(Scale.of(cuts, true));
    }

    @Test
    void aNumbersCellIsTheNumberOfCutsThatAreNotAboveIt() {
        for (long round = 0; round < SEEDS; round++) {
            long seed = round;
            Random random = new Random(seed);
            double width = Math.pow(10, random.nextInt(40) - 20);
            double[] cuts = random.doubles(1 + random.nextInt(40))
                    .map(at -> seed % 5 == 0 ? Double.longBitsToDouble((long) (at * 50)) : (at - 0.5) * width)
                    .map(cut -> seed % 7 == 0 ? cut * Double.MAX_VALUE : cut)
                    .filter(Double::isFinite)
                    .map(cut -> cut + 0.0)
                    .sorted()
                    .distinct()
                    .toArray();
            Scale scale =
                    Scale.of(Arrays.stream(cuts).mapToLong(KeyCodec::ofDouble).toArray(), true);
            double[] others = {
                0,
                -0.0,
                Double.MIN_VALUE,
                -Double.MIN_VALUE,
                Double.MAX_VALUE,
                -Double.MAX_VALUE,
                Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY
            };
            for (int i = 0; i < 200; i++) {
                double value = i < others.length
                        ? others[i]
                        : i % 3 == 0 && cuts.length > 0
                                ? Math.nextUp(cuts[random.nextInt(cuts.length)]) - (i % 2) * Double.MIN_VALUE
                                : (random.nextDouble() - 0.5) * width * 1.2;
                long expected = Arrays.stream(cuts).filter(cut -> cut <= value).count();
                assertThat(scale.cell(value)).as("seed %s, %s", seed, value).isEqualTo((int) expected);
                assertThat(scale.search(KeyCodec.ofDouble(value)))
                        .as("seed %s, %s", seed, value)
                        .isEqualTo((int) expected);
            }
            assertThat(scale.cell(Double.NaN)).isEqualTo(cuts.length);
        }
    }

    @Test
    void aCodesCellIsTheNumberOfCutsThatAreNotAboveIt() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int bits = random.nextInt(64);
            long[] cuts = random.longs(random.nextInt(40))
                    .map(cut -> bits == 0 ? Long.MIN_VALUE + (cut & 3) : cut >> bits)
                    .sorted()
                    .distinct()
                    .toArray();
            Scale scale = Scale.of(cuts, false);
            long[] others = {0, Long.MAX_VALUE, Long.MIN_VALUE};
            for (int i = 0; i < 100; i++) {
                long code = i < others.length
                        ? others[i]
                        : i % 2 == 0 && cuts.length > 0
                                ? cuts[random.nextInt(cuts.length)] + random.nextInt(3) - 1
                                : random.nextLong() >> bits;
                int expected =
                        (int) Arrays.stream(cuts).filter(cut -> cut <= code).count();
                assertThat(scale.cell(code)).as("seed %s, %s", seed, code).isEqualTo(expected);
                assertThat(scale.cellOfText(code)).as("seed %s, %s", seed, code).isEqualTo(expected);
                assertThat(scale.search(code)).as("seed %s, %s", seed, code).isEqualTo(expected);
            }
        }
    }

    @Test
    void codesOfTextAreThoseOfItsFirstBytes() {
        Random random = new Random(1);
        byte[] bytes = new byte[24];
        random.nextBytes(bytes);
        for (int offset = 0; offset <= bytes.length; offset++) {
            for (int length = 0; length <= bytes.length - offset; length++) {
                long code = 0;
                for (int i = 0; i < 8; i++) {
                    code = (code << 8) | (i < length ? bytes[offset + i] & 0xFF : 0);
                }
                assertThat(KeyCodec.ofBytes(bytes, offset, length))
                        .as("%s bytes from %s", length, offset)
                        .isEqualTo(code ^ Long.MIN_VALUE);
            }
        }
    }

    /** By the columns of a leaf, as a chunk is written; one wrong bit is found. */
    @Test
    void keysThatColumnsGiveAreThoseOfBlocks() throws Exception {
        FieldType[] types = FieldType.values();
        for (long seed = 0; seed < SEEDS / 4; seed++) {
            Random random = new Random(seed);
            List<Field> fields = new ArrayList<>();
            fields.add(new Field("t", FieldType.TIMESTAMP, false));
            for (int f = 0; f < 2 + random.nextInt(6); f++) {
                FieldType type = types[random.nextInt(types.length)];
                fields.add(new Field("f" + f, type, random.nextBoolean()));
            }
            Schema schema = new Schema(fields, RandomRows.dimensions(fields, random), "t");
            RowLayout layout = RowLayout.of(schema);
            TupleBlock block = new TupleBlock(layout, 0);
            RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, schema);
            for (int row = 0; row < 50; row++) {
                String line = RandomRows.csv(schema, RandomRows.row(schema, random), random);
                decoder.decode(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)), block);
            }
            KeyMaker.of(layout, schema).fill(block, 0, (index, reason) -> {
                throw new AssertionError(reason);
            });
            DerivedKeys derived = Objects.requireNonNull(KeyScheme.of(schema).derived(layout));
            long[][] values = new long[derived.columns()][];
            for (int i = 0; i < values.length; i++) {
                values[i] = bits(block, derived, i);
            }
            long[] keys = Arrays.copyOf(block.keys(), block.size());
            assertThat(derived.makes(keys, values, block.size()))
                    .as("seed %s", seed)
                    .isTrue();
            keys[random.nextInt(keys.length)] ^= 1;
            assertThat(derived.makes(keys, values, block.size()))
                    .as("seed %s", seed)
                    .isFalse();
        }
    }

    /** By row the bits of a value, of text its code. */
    private static long[] bits(TupleBlock block, DerivedKeys derived, int index) {
        int column = derived.column(index);
        RowLayout layout = block.layout();
        byte[] bytes = block.column(column);
        long[] bits = new long[block.size()];
        for (int row = 0; row < bits.length; row++) {
            int width = layout.width(column);
            for (int b = width - 1; b >= 0; b--) {
                bits[row] = (bits[row] << 8) | (bytes[row * width + b] & 0xFF);
            }
            if (column != layout.nullMaskColumn() && layout.variable(column)) {
                long reference = LittleEndian.getLong(bytes, row * 8);
                bits[row] = derived.code(
                        index,
                        block.arena(),
                        TupleBlock.referenceOffset(reference),
                        TupleBlock.referenceLength(reference));
            } else if (width == 4) {
                bits[row] = (int) bits[row];
            }
        }
        return bits;
    }
}
