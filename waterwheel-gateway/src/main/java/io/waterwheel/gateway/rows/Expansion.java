package io.waterwheel.gateway.rows;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.unpack.GzipMembers;
import io.waterwheel.unpack.ZstdFrames;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a compressed body expands to, within a bound. Pure functions. */
public final class Expansion {
    private static final int FIRST_BYTES = 64 << 10;
    private static final int BUFFER_BYTES = 8 << 10;
    /**
     * How far back a frame may refer: 8 MiB, as much as every decoder should take [RFC 8878, 3.1.1.1.2] and levels up
     * to 19 make use of.
     */
    private static final int MOST_WINDOW_LOG = 23;

    private Expansion() {}

    /**
     * Expands a body.
     *
     * @param encoding the header {@code Content-Encoding}; null: as it is
     * @param mostBytes that it may expand to
     * @param lease takes the bytes, before the memory is taken
     */
    public static byte[] expand(byte[] body, @Nullable String encoding, int mostBytes, PushBudget.Lease lease) {
        String name = encoding == null ? "identity" : encoding.strip().toLowerCase(Locale.ROOT);
        try {
            return switch (name) {
                case "identity", "" -> body;
                case "gzip", "x-gzip" ->
                    all(new GzipMembers(new ByteArrayInputStream(body), BUFFER_BYTES), mostBytes, lease);
                case "zstd" -> all(new ZstdFrames(new ByteArrayInputStream(body), MOST_WINDOW_LOG), mostBytes, lease);
                default ->
                    throw HttpFailure.of(
                            HttpCode.MEDIA_TYPE_UNKNOWN,
                            "Content-Encoding: expected gzip, zstd or identity, got '" + encoding + "'",
                            "Content-Encoding");
            };
        } catch (IOException e) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_REQUEST,
                    "the body is no whole " + name + ": "
                            + (e instanceof EOFException ? "it is cut off" : e.getMessage()),
                    "Content-Encoding",
                    e);
        }
    }

    private static byte[] all(InputStream packed, int mostBytes, PushBudget.Lease lease) throws IOException {
        try (packed) {
            lease.grow(FIRST_BYTES);
            byte[] bytes = new byte[FIRST_BYTES];
            int length = 0;
            while (true) {
                int got = packed.read(bytes, length, bytes.length - length);
                if (got < 0) {
                    return Arrays.copyOf(bytes, length);
                }
                length += got;
                if (length > mostBytes) {
                    throw HttpFailure.of(
                            HttpCode.BODY_TOO_LARGE,
                            "the body expands to more than " + mostBytes + " bytes; send less at a time");
                }
                if (length == bytes.length) {
                    int larger = (int) Math.min(2L * bytes.length, mostBytes + 1L);
                    lease.grow(larger - bytes.length);
                    bytes = Arrays.copyOf(bytes, larger);
                }
            }
        }
    }
}
