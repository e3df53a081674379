package io.waterwheel;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/** Bytes as files and bodies have them packed. Stateless. */
public final class Packed {
    /** Names of {@link #by}, as HTTP has them. */
    public static final List<String> ENCODINGS = List.of("identity", "gzip", "zstd");

    private Packed() {}

    public static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }

    /** @param encoding one of {@link #ENCODINGS} */
    public static byte[] by(String encoding, byte[] bytes) {
        return switch (encoding) {
            case "gzip" -> gzip(bytes);
            case "zstd" -> Zstd.compress(bytes);
            case "identity" -> bytes;
            default -> throw new IllegalArgumentException("expected one of " + ENCODINGS + ", got " + encoding);
        };
    }

    /**
     * Bytes that were damaged before they were packed, or after.
     *
     * @param others of the same kind, parts of which may come into them
     */
    public static byte[] damaged(String encoding, byte[] good, byte[] others, Random random) {
        return random.nextBoolean()
                ? by(encoding, DamagedBytes.of(good, others, random))
                : DamagedBytes.of(by(encoding, good), by(encoding, others), random);
    }
}
