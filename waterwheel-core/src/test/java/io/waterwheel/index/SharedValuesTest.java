package io.waterwheel.index;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Values of a tree's column, each read back by its reference. */
final class SharedValuesTest {
    @Test
    void everyReferenceLeadsToItsValue() {
        for (long seed = 0; seed < 40; seed++) {
            Random random = new Random(seed);
            // Few and many values, short and long ones, some that begin and end alike.
            int values = 1 + random.nextInt(new int[] {2, 60, 3000, 100_000}[random.nextInt(4)]);
            int length = random.nextInt(40);
            byte[] middle = new byte[random.nextInt(30)];
            PagePool pool = new PagePool(1 << 26);
            Arena arena = new Arena(pool);
            SharedValues shared = new SharedValues(arena);
            byte[] source = new byte[100];
            for (int i = 0; i < 20_000; i++) {
                byte[] value = value(random.nextInt(values), length, middle);
                int offset = random.nextBoolean() ? source.length - value.length : random.nextInt(20);
                random.nextBytes(source);
                System.arraycopy(value, 0, source, offset, value.length);
                long reference = shared.add(source, offset, value.length);
                assertThat(text(arena, reference))
                        .as("seed %s, value %s", seed, i)
                        .isEqualTo(value);
                if (i % 700 == 0) {
                    shared.endBatch(700, Long.MAX_VALUE);
                }
            }
            arena.recycle();
        }
    }

    private static byte[] value(int number, int length, byte[] middle) {
        Random random = new Random(number);
        byte[] value = new byte[random.nextInt(length + 1) + middle.length];
        random.nextBytes(value);
        if (value.length > 16 + middle.length && number % 2 == 0) {
            // Only between its first and its last eight bytes it differs from some others.
            Arrays.fill(value, 0, 8, (byte) 1);
            Arrays.fill(value, value.length - 8, value.length, (byte) 2);
        }
        return value;
    }

    private static byte[] text(Arena arena, long reference) {
        int length = TupleBlock.referenceLength(reference);
        if (length == 0) {
            return new byte[0];
        }
        int at = TupleBlock.referenceOffset(reference);
        byte[] slab = arena.slabs()[at / PagePool.SLAB_BYTES];
        return Arrays.copyOfRange(slab, at % PagePool.SLAB_BYTES, at % PagePool.SLAB_BYTES + length);
    }

    @Test
    void fewValuesAreHeldAboutOnce() {
        PagePool pool = new PagePool(1 << 26);
        Arena arena = new Arena(pool);
        SharedValues shared = new SharedValues(arena);
        Set<Long> references = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            byte[] value = ("value " + i * 31 % 1000).getBytes(UTF_8);
            references.add(shared.add(value, 0, value.length));
            if (i % 1000 == 999) {
                shared.endBatch(1000, Long.MAX_VALUE);
            }
        }
        // Three with the same slots push each other out: as they come in turns, each time.
        assertThat(references).hasSizeLessThan(25_000);
        references.clear();
        for (int i = 0; i < 100_000; i++) {
            byte[] value = ("value " + i / 100).getBytes(UTF_8);
            references.add(shared.add(value, 0, value.length));
        }
        assertThat(references).hasSizeLessThanOrEqualTo(1000);
    }

    @Test
    void valuesThatAreAllDifferentAreSoonCopied() {
        PagePool pool = new PagePool(1 << 26);
        Arena arena = new Arena(pool);
        SharedValues shared = new SharedValues(arena);
        byte[] value = new byte[12];
        for (int batch = 0; batch < 5; batch++) {
            for (int i = 0; i < 1000; i++) {
                value[0] = (byte) i;
                value[1] = (byte) (i >> 8);
                value[2] = (byte) batch;
                shared.add(value, 0, value.length);
            }
            shared.endBatch(1000, Long.MAX_VALUE);
        }
        // Not looked for any longer: the one before is copied again.
        long before = shared.add(value, 0, value.length);
        assertThat(shared.add(value, 0, value.length)).isNotEqualTo(before);
        // And looked for later.
        for (int batch = 0; batch < 70; batch++) {
            shared.endBatch(1000, Long.MAX_VALUE);
        }
        before = shared.add(value, 0, value.length);
        assertThat(shared.add(value, 0, value.length)).isEqualTo(before);
    }
}
