package io.waterwheel.unpack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** Pieces one behind the other, cut at each byte: what is not whole fails, wherever it ends. */
final class UnpackTest {
    /** How a kind packs and unpacks. */
    private interface Kind {
        byte[] pack(byte[] bytes) throws IOException;

        InputStream unpack(InputStream packed) throws IOException;
    }

    private static final Kind GZIP = new Kind() {
        @Override
        public byte[] pack(byte[] bytes) throws IOException {
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
                out.write(bytes);
            }
            return packed.toByteArray();
        }

        @Override
        public InputStream unpack(InputStream packed) throws IOException {
            return new GzipMembers(packed, 512);
        }
    };
    private static final Kind ZSTD = new Kind() {
        @Override
        public byte[] pack(byte[] bytes) {
            return Zstd.compress(bytes);
        }

        @Override
        public InputStream unpack(InputStream packed) throws IOException {
            return new ZstdFrames(packed, 23);
        }
    };

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    /** Some bytes that get smaller, and not to nothing. */
    private static byte[] text(int bytes, long seed) {
        Random random = new Random(seed);
        byte[] text = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            text[i] = (byte) ('a' + random.nextInt(8));
        }
        return text;
    }

    private static byte[] all(Kind kind, byte[] packed) {
        try (InputStream in = kind.unpack(new ByteArrayInputStream(packed))) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void piecesComeOneBehindTheOther() throws IOException {
        byte[] small = text(700, 1);
        byte[] large = text(500_000, 2);
        for (Kind kind : List.of(GZIP, ZSTD)) {
            assertThat(all(kind, kind.pack(large))).isEqualTo(large);
            byte[] packed = joined(kind.pack(small), kind.pack(new byte[0]), kind.pack(large), kind.pack(small));
            assertThat(all(kind, packed)).isEqualTo(joined(small, large, small));
            // A byte at a time, on both sides.
            InputStream drops = new ByteArrayInputStream(packed) {
                @Override
                public synchronized int read(byte[] into, int from, int length) {
                    return super.read(into, from, Math.min(1, length));
                }
            };
            ByteArrayOutputStream got = new ByteArrayOutputStream();
            try (InputStream in = kind.unpack(drops)) {
                for (int b = in.read(); b >= 0; b = in.read()) {
                    got.write(b);
                }
                assertThat(in.read()).isEqualTo(-1);
            }
            assertThat(got.toByteArray()).isEqualTo(joined(small, large, small));
        }
    }

    @Test
    void aFrameMayBeMadeInBlocksAndBeSkipped() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (ZstdOutputStream out = new ZstdOutputStream(packed)) {
            out.setChecksum(true);
            for (int i = 0; i < 50; i++) {
                out.write(text(1000, i));
                out.flush();
            }
        }
        byte[] skipped = {0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 'x', 'y', 'z'};
        byte[] both = joined(skipped, packed.toByteArray(), skipped, ZSTD.pack(text(10, 3)));
        assertThat(all(ZSTD, both)).hasSize(50_010);
        byte[] damaged = packed.toByteArray();
        damaged[damaged.length - 1] ^= 1;
        assertThatThrownBy(() -> all(ZSTD, damaged)).hasMessageContaining("checksum");
    }

    @Test
    void aPartIsNeverTakenForAll() throws IOException {
        for (Kind kind : List.of(GZIP, ZSTD)) {
            byte[] first = kind.pack(text(300, 4));
            byte[] second = kind.pack(text(3_000, 5));
            byte[] both = joined(first, second);
            for (int cut = 0; cut < both.length; cut++) {
                if (cut != first.length) {
                    byte[] part = Arrays.copyOf(both, cut);
                    assertThatThrownBy(() -> all(kind, part))
                            .as("%s bytes", cut)
                            .isInstanceOf(UncheckedIOException.class);
                }
            }
            assertThat(all(kind, first)).hasSize(300);
            assertThatThrownBy(() -> all(kind, joined(first, "garbage".getBytes(UTF_8))))
                    .isInstanceOf(UncheckedIOException.class);
            // Of 70,000 bytes the second piece begins in another buffer than the first.
            byte[] long1 = kind.pack(text(180_000, 6));
            for (int cut : new int[] {1, 5, 10, 18, 1000}) {
                assertThatThrownBy(() -> all(kind, joined(long1, Arrays.copyOf(second, cut))))
                        .as("%s bytes more", cut)
                        .isInstanceOf(UncheckedIOException.class);
            }
        }
    }

    /** A pipe's next block may be long in coming: what there is of a frame, or behind one, is handed out at once. */
    @Test
    void whatIsThereIsHandedOutBeforeMoreIsAskedFor() throws IOException {
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        ZstdOutputStream out = new ZstdOutputStream(sent);
        out.write(text(1_000, 7));
        out.flush();
        byte[] whole = ZSTD.pack(text(500, 8));
        for (byte[] there : List.of(sent.toByteArray(), whole, joined(whole, sent.toByteArray()))) {
            InputStream pipe = new ByteArrayInputStream(there) {
                @Override
                public synchronized int read(byte[] into, int from, int length) {
                    int got = super.read(into, from, length);
                    if (got < 0) {
                        throw new IllegalStateException("it would wait");
                    }
                    return got;
                }
            };
            int made = there == whole ? 500 : there.length == sent.size() ? 1_000 : 1_500;
            try (InputStream in = new ZstdFrames(pipe, 23)) {
                assertThat(in.readNBytes(made)).hasSize(made);
            }
        }
        out.close();
    }

    @Test
    void theSourcesFailureIsTold() {
        InputStream broken = new FilterInputStream(InputStream.nullInputStream()) {
            @Override
            public int read(byte[] into, int from, int length) throws IOException {
                throw new IOException("the disk is gone");
            }
        };
        assertThatThrownBy(() -> new ZstdFrames(broken, 23).read()).hasMessage("the disk is gone");
    }
}
