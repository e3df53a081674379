package io.waterwheel;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;

/** What a bad line, a bad program or a hostile hand makes of good bytes. */
public final class DamagedBytes {
    /** Marks of the text formats, and what numbers and texts begin and end with. */
    private static final byte[] MARKS =
            "\"'\\{}[]:;,. \t\r\n-+=#0919eEinuTf/*()\0\u007f\u00ff\u00c0".getBytes(ISO_8859_1);

    private static final long[] NUMBERS = {
        0, -1, 1, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 31, 0xFFFF, 1L << 40
    };

    private DamagedBytes() {}

    /**
     * One to four times changed: bits turned, parts cut out, repeated, put elsewhere or replaced by those of others.
     *
     * @param others of the same kind, parts of which may come into it
     */
    public static byte[] of(byte[] good, byte[] others, Random random) {
        byte[] bytes = good.clone();
        for (int change = random.nextInt(4); change >= 0; change--) {
            bytes = once(bytes, others, random);
        }
        return bytes;
    }

    private static byte[] once(byte[] bytes, byte[] others, Random random) {
        int length = bytes.length;
        if (length == 0) {
            return part(others, random);
        }
        int at = random.nextInt(length);
        int to = at + random.nextInt(Math.min(length - at, random.nextBoolean() ? 8 : length) + 1);
        switch (random.nextInt(9)) {
            case 0, 1 -> {
                bytes[at] ^= (byte) (1 << random.nextInt(8));
                return bytes;
            }
            case 2 -> {
                bytes[at] = MARKS[random.nextInt(MARKS.length)];
                return bytes;
            }
            case 3 -> {
                long number = NUMBERS[random.nextInt(NUMBERS.length)];
                int width = 1 << random.nextInt(4);
                for (int i = 0; i < width && at + i < length; i++) {
                    bytes[at + i] = (byte) (number >>> (8 * i));
                }
                return bytes;
            }
            case 4 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 5 -> {
                return joined(Arrays.copyOf(bytes, at), Arrays.copyOfRange(bytes, to, length));
            }
            case 6 -> {
                byte[] part = Arrays.copyOfRange(bytes, at, to);
                byte[] result = Arrays.copyOf(bytes, to);
                // A part that is short may come many times.
                for (int times = 1 + random.nextInt(part.length < 16 ? 40 : 3); times > 0; times--) {
                    result = joined(result, part);
                }
                return joined(result, Arrays.copyOfRange(bytes, to, length));
            }
            case 7 -> {
                byte[] changed = joined(Arrays.copyOf(bytes, at), part(others, random));
                return joined(changed, Arrays.copyOfRange(bytes, to, length));
            }
            default -> {
                byte[] mark = {MARKS[random.nextInt(MARKS.length)]};
                return joined(joined(Arrays.copyOf(bytes, at), mark), Arrays.copyOfRange(bytes, at, length));
            }
        }
    }

    private static byte[] part(byte[] bytes, Random random) {
        if (bytes.length == 0) {
            return bytes;
        }
        int from = random.nextInt(bytes.length);
        return Arrays.copyOfRange(bytes, from, from + random.nextInt(bytes.length - from + 1));
    }

    private static byte[] joined(byte[] first, byte[] second) {
        ByteArrayOutputStream all = new ByteArrayOutputStream(first.length + second.length);
        all.writeBytes(first);
        all.writeBytes(second);
        return all.toByteArray();
    }
}
