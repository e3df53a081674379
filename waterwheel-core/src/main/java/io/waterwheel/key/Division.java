package io.waterwheel.key;

import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * How the values of one dimension are divided into cells: by their codes, which keep their order. Immutable; any
 * thread.
 *
 * @param scale divides the codes
 * @param texts makes the codes of texts that more than their first 8 bytes tell apart; null where the codes are those
 *     of {@link KeyCodec}
 */
record Division(Scale scale, @Nullable TextCodes texts) {
    /** Of values whose codes are those of {@link KeyCodec}. */
    static Division of(Scale scale) {
        return new Division(scale, null);
    }

    /** Of texts: a cell begins at each code. */
    static Division of(TextCodes texts) {
        long[] codes = LongStream.rangeClosed(1, texts.cuts().length).toArray();
        return new Division(Scale.of(codes, false), texts);
    }

    /** Number of cuts. */
    int cuts() {
        return scale.cuts().length;
    }

    /** The code of a text, or of bytes. */
    long code(byte[] bytes, int offset, int length) {
        return texts == null ? KeyCodec.ofBytes(bytes, offset, length) : texts.code(bytes, offset, length);
    }

    /** The code of a text, or of bytes. */
    long code(byte[] bytes) {
        return code(bytes, 0, bytes.length);
    }
}
