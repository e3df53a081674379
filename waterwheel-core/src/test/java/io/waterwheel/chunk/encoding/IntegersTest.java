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
        for (int length : new int[] {1, 2, 7, 33, 700, 2048}) {
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
        }
    }
}
