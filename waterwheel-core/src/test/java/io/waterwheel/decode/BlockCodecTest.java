package io.waterwheel.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class BlockCodecTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("t", FieldType.TIMESTAMP, false),
                    new Field("id", FieldType.LONG, false),
                    new Field("name", FieldType.STRING, true)),
            new KeySpec.Ordered("id"),
            "t");

    /** The example of docs/tuple-block-format.md. */
    private static final String EXAMPLE = "57575442 01 03 0000 e7f3b153 01000000 02000000 00000000"
            + "0700000000000000 e803000000000000 00 0000000002000000 6162";

    @Test
    void writesTheExampleOfTheDocument() {
        assertThat(HexFormat.of().formatHex(BlockCodec.encode(example(), true))).isEqualTo(EXAMPLE.replace(" ", ""));
    }

    @Test
    void appendsBehindWhatIsThere() {
        byte[] bytes = BlockCodec.encode(example(), true);
        TupleBlock into = example();
        for (int i = 0; i < 3; i++) {
            assertThat(BlockCodec.decode(ByteBuffer.wrap(bytes).asReadOnlyBuffer(), into))
                    .isTrue();
        }
        assertThat(into.size()).isEqualTo(4);
        for (int r = 0; r < 4; r++) {
            assertThat(List.of(into.keys()[r], into.times()[r], into.value(2, r)))
                    .isEqualTo(List.of(7L, 1000L, "ab"));
        }
    }

    @Test
    void everyCutAndEveryFlippedBitIsRefusedOrReadable() {
        byte[] bytes = BlockCodec.encode(example(), true);
        TupleBlock into = new TupleBlock(RowLayout.of(SCHEMA), 4);
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> BlockCodec.decode(cut, 0, cut.length, into))
                    .isInstanceOf(BlockFormatException.class);
        }
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            into.clear();
            try {
                BlockCodec.decode(flipped, 0, flipped.length, into);
                assertThat(bit / 8).as("the header is checked whole").isGreaterThanOrEqualTo(BlockCodec.HEADER_BYTES);
                into.value(2, 0);
            } catch (BlockFormatException e) {
                assertThat(into.size()).isZero();
                assertThat(into.arenaSize()).isZero();
            }
        }
    }

    @Test
    void saysWhatIsWrong() {
        byte[] bytes = BlockCodec.encode(example(), true);
        bytes[45] = 3; // the length in the reference
        assertThatThrownBy(() -> BlockCodec.decode(bytes, 0, bytes.length, example()))
                .hasMessage("tuple block: column 1, row 0: value at 0 of length 3: expected at most 32768 bytes within"
                        + " the arena of 2");
        byte[] other = BlockCodec.encode(example(), true);
        other[8]++;
        assertThatThrownBy(() -> BlockCodec.decode(other, 0, other.length, example()))
                .hasMessage("tuple block: fingerprint at byte 8: expected 53b1f3e7, got 53b1f3e8; the block was made"
                        + " for another schema");
        byte[] cut = Arrays.copyOf(bytes, 50);
        assertThatThrownBy(() -> BlockCodec.decode(cut, 0, 50, example()))
                .hasMessage("tuple block: rows 1 of 25 bytes and an arena of 2 bytes make 51 bytes, got 50 (cut off?)");
    }

    private static TupleBlock example() {
        TupleBlock block = new TupleBlock(RowLayout.of(SCHEMA), 1);
        block.keys()[0] = 7;
        block.times()[0] = 1000;
        block.setNullMask(0, 0);
        io.waterwheel.tuple.LittleEndian.putLong(block.column(1), 0, block.addToArena(new byte[] {'a', 'b'}, 0, 2));
        block.setSize(1);
        return block;
    }
}
