package io.waterwheel.chunk.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.chunk.PatternRows;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Integers come back as they were, take about what was estimated, and bytes that are none are refused. */
final class IntegersTest {
    private final IntegerEncoder encoder = new IntegerEncoder();
    private final IntegerDecoder decoder = new IntegerDecoder();
    private final ChunkBuffer out = new ChunkBuffer();

    @Test
    void comeBackAsTheyWere() {
        for (long seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            int count = random.nextInt(4) == 0 ? random.nextInt(70) : random.nextInt(2049);
            long[] values = new long[count];
            PatternRows.longs(random, count, values);
            out.clear();
            long bits = encoder.plan(values, count);
            encoder.write(out);
            assertThat(decode(count)).as("seed %s", seed).isEqualTo(values);
            assertThat(out.size() * 8L).as("seed %s", seed).isLessThan(bits + bits / 4 + 800);
            assertThat(out.size()).as("seed %s", seed).isLessThan(count * 8 + 100);
        }
    }

    private long[] decode(int count) {
        PartCursor in = new PartCursor("f");
        in.set(Arrays.copyOf(out.array(), out.size() + 8), 0, out.size(), 0, 0, 0);
        long[] decoded = new long[count];
        decoder.read(in, count, decoded);
        in.requireEnd();
        return decoded;
    }

    @Test
    void patternsTakeWhatTheyShould() {
        assertThat(bytes(i -> 77_000_000_000L)).isLessThan(10);
        assertThat(bytes(i -> 1_000_000_000_000L + i * 1000L)).isLessThan(20);
        assertThat(bytes(i -> 1_000_000_000_000L + (i * 7919L % 2048) * 1000)).isLessThan(2048 * 11 / 8 + 30);
        assertThat(bytes(i -> (i * 31L % 5) * 0x123456789L)).isLessThan(2048 * 3 / 8 + 60);
        assertThat(bytes(i -> i % 100 == 7 ? Long.MAX_VALUE : (i * 31L) % 16)).isLessThan(2048 / 2 + 250);
        assertThat(bytes(i -> i / 100 * 0x123456789ABL)).isLessThan(250);
    }

    private int bytes(java.util.function.IntToLongFunction value) {
        long[] values = new long[2048];
        Arrays.setAll(values, value);
        out.clear();
        encoder.write(values, values.length, out);
        assertThat(decode(values.length)).isEqualTo(values);
        return out.size();
    }

    @Test
    void bytesThatAreNoneAreRefusedOrAreOthers() {
        for (long seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            byte[] bytes = new byte[8 + random.nextInt(200)];
            random.nextBytes(bytes);
            bytes[0] = (byte) random.nextInt(7);
            int count = 1 + random.nextInt(100);
            PartCursor in = new PartCursor("f");
            in.set(bytes, 0, bytes.length - 8, 0, 0, 0);
            try {
                decoder.read(in, count, new long[count]);
            } catch (CorruptChunkException e) {
                assertThat(e.part()).as("seed %s", seed).isEqualTo("leaf 0, keys");
            }
        }
    }

    @Test
    void integersInIntegersWithoutEndAreRefused() {
        byte[] bytes = new byte[200];
        for (int i = 0; i < 192; i += 2) {
            bytes[i] = ChunkFormat.INTEGERS_DELTA; // first 0, then steps that are delta again
        }
        PartCursor in = new PartCursor("f");
        in.set(bytes, 0, 192, 0, 0, 0);
        assertThatThrownBy(() -> decoder.read(in, 100, new long[100]))
                .isInstanceOf(CorruptChunkException.class)
                .hasMessageContaining("deep");
    }

    /** Packed steps are read in one pass: at the depth at which nothing may follow they are refused all the same. */
    @Test
    void packedStepsTooDeepAreRefused() {
        byte[] bytes = new byte[64];
        int at = 0;
        for (int depth = 0; depth <= ChunkFormat.MAX_DEPTH; depth++) {
            bytes[at] = ChunkFormat.INTEGERS_DELTA;
            at += 2;
        }
        bytes[at] = ChunkFormat.INTEGERS_PACKED; // of 0 bits, with base and unit 0
        PartCursor in = new PartCursor("f");
        in.set(bytes, 0, at + 4, 0, 0, 0);
        assertThatThrownBy(() -> decoder.read(in, 100, new long[100])).hasMessageContaining("deep");
        // One less is deep enough.
        in.set(bytes, 2, at + 2, 0, 0, 0);
        decoder.read(in, 100, new long[100]);
        in.requireEnd();
    }

    /** Of few rows each, and of many. */
    @Test
    void runsOfAnyLengthComeBack() {
        for (int length : new int[] {1, 3, 7, 31, 32, 33, 700, 2048}) {
            Random random = new Random(length);
            long[] values = new long[2048];
            long value = 0;
            for (int i = 0; i < values.length; i++) {
                value = i % length == 0 ? random.nextLong() : value;
                values[i] = value;
            }
            out.clear();
            encoder.write(values, values.length, out);
            assertThat(decode(values.length)).as("runs of %s", length).isEqualTo(values);
            if (length > 1 && length < 2048) {
                assertThat(out.array()[0]).as("runs of %s", length).isEqualTo((byte) ChunkFormat.INTEGERS_RUNS);
            }
        }
    }

    /** This writer packs no steps of 0 or 64 bits; others may. */
    @Test
    void packedStepsOfAnyWidthAddUp() {
        for (int bits : new int[] {0, 1, 7, 8, 9, 31, 55, 56, 64}) {
            for (int count : new int[] {1, 2, 3, 8, 9, 2047, 2048}) {
                Random random = new Random(100 * bits + count);
                long first = random.nextLong();
                long[] packed = new long[count];
                long[] expected = new long[count];
                expected[0] = first;
                for (int i = 0; i < count - 1; i++) {
                    packed[i] = bits == 0 ? 0 : random.nextLong() >>> (64 - bits);
                    expected[i + 1] = expected[i] - 5 + 3 * packed[i];
                }
                out.clear();
                out.putByte(ChunkFormat.INTEGERS_DELTA);
                out.putNumber(first);
                if (count > 1) {
                    out.putByte(ChunkFormat.INTEGERS_PACKED);
                    out.putByte(bits);
                    out.putNumber(-5);
                    out.putNumber(3);
                    long bytes = BitPacking.bytes(count - 1, bits);
                    out.reserve(bytes + 8);
                    BitPacking.pack(packed, count - 1, bits, out.array(), out.size());
                    out.setSize(out.size() + (int) bytes);
                }
                assertThat(decode(count))
                        .as("%s steps of %s bits", count - 1, bits)
                        .isEqualTo(expected);
                PartCursor in = new PartCursor("f");
                in.set(Arrays.copyOf(out.array(), out.size() + 8), 0, out.size() - 1, 0, 0, 0);
                assertThatThrownBy(() -> decoder.read(in, count, new long[count]))
                        .as("%s steps of %s bits, cut off", count - 1, bits)
                        .isInstanceOf(CorruptChunkException.class);
            }
        }
    }

    /** Runs of values 0, 1, 2 and so on with these lengths. */
    private void refusedRuns(int count, long[] lengths, String message) {
        long[] values = new long[lengths.length];
        Arrays.setAll(values, i -> i);
        out.clear();
        out.putByte(ChunkFormat.INTEGERS_RUNS);
        out.putShort(lengths.length);
        encoder.write(values, values.length, out);
        encoder.write(lengths, lengths.length, out);
        assertThatThrownBy(() -> decode(count))
                .isInstanceOf(CorruptChunkException.class)
                .hasMessageContaining(message);
    }

    @Test
    void runsThatDoNotFitAreRefused() {
        for (int rows : new int[] {8, 2048}) {
            // Short ones of few rows, and long ones.
            for (int runs : new int[] {2, 4}) {
                long[] right = new long[runs];
                Arrays.fill(right, rows / runs);
                for (long wrong : new long[] {0, -1, rows / runs + 1, (1L << 32) + 1}) {
                    long[] lengths = right.clone();
                    lengths[runs - 1] = wrong;
                    refusedRuns(rows, lengths, "a run of 1 to " + rows / runs + " rows");
                }
                long[] few = right.clone();
                few[0]--;
                refusedRuns(rows, few, "runs of " + rows + " rows in all");
                long[] more = Arrays.copyOf(right, runs + 1);
                more[runs] = 1;
                refusedRuns(rows, more, "a run of 1 to 0 rows");
            }
        }
    }

    @Test
    void codesOfNoValueAreRefused() {
        for (long wrong : new long[] {3, -1}) {
            long[] codes = {0, 1, 2, wrong};
            out.clear();
            out.putByte(ChunkFormat.INTEGERS_DICTIONARY);
            out.putShort(3);
            encoder.write(new long[] {7, 8, 9}, 3, out);
            out.putByte(Long.SIZE);
            out.reserve(codes.length * 8L);
            BitPacking.pack(codes, codes.length, Long.SIZE, out.array(), out.size());
            out.setSize(out.size() + codes.length * 8);
            assertThatThrownBy(() -> decode(codes.length))
                    .isInstanceOf(CorruptChunkException.class)
                    .hasMessageContaining("a code below 3");
        }
    }
}
