package io.waterwheel.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Codes of texts beside a count of the cuts that are not above them. */
final class TextCodesTest {
    private static final int SEEDS = Rounds.of(1000, 100_000);
    private static final int LONGEST = 100;

    @Test
    void aTextsCodeIsTheNumberOfCutsThatAreNotAboveIt() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int length = 1 + random.nextInt(64);
            byte[][] beginnings = new byte[1 + random.nextInt(3)][];
            for (int i = 0; i < beginnings.length; i++) {
                beginnings[i] = text(random, random.nextInt(40), new byte[0]);
            }
            TreeSet<byte[]> cuts = new TreeSet<>(Arrays::compareUnsigned);
            for (int i = random.nextInt(60); i >= 0; i--) {
                cuts.add(Arrays.copyOf(
                        text(random, random.nextInt(30), beginnings[random.nextInt(beginnings.length)]), length));
            }
            TextCodes codes = new TextCodes(cuts.toArray(new byte[0][]));
            for (int i = 0; i < 100; i++) {
                byte[] value =
                        switch (random.nextInt(4)) {
                            case 0 -> text(random, random.nextInt(40), new byte[0]);
                            case 1 -> {
                                byte[] near = codes.cuts()[random.nextInt(codes.cuts().length)].clone();
                                near[random.nextInt(near.length)] += (byte) (random.nextInt(3) - 1);
                                yield Arrays.copyOf(near, random.nextInt(near.length + 8));
                            }
                            default -> text(random, random.nextInt(30), beginnings[random.nextInt(beginnings.length)]);
                        };
                byte[] filled = Arrays.copyOf(value, LONGEST);
                int expected = (int) cuts.stream()
                        .filter(cut -> Arrays.compareUnsigned(Arrays.copyOf(cut, LONGEST), filled) <= 0)
                        .count();
                // Within a longer array, whose other bytes are none of the text's.
                int offset = random.nextInt(5);
                byte[] arena = new byte[offset + value.length + random.nextInt(20)];
                random.nextBytes(arena);
                System.arraycopy(value, 0, arena, offset, value.length);
                assertThat(codes.code(arena, offset, value.length))
                        .as("seed %s, value %s", seed, i)
                        .isEqualTo(expected);
            }
        }
    }

    /** Of few letters, so that many agree; of all bytes now and then. */
    private static byte[] text(Random random, int length, byte[] beginning) {
        byte[] text = Arrays.copyOf(beginning, beginning.length + length);
        boolean any = random.nextInt(4) == 0;
        for (int i = beginning.length; i < text.length; i++) {
            text[i] = (byte) (any ? random.nextInt(256) : random.nextInt(10) == 0 ? 0xC3 : 'a' + random.nextInt(2));
        }
        return text;
    }
}
