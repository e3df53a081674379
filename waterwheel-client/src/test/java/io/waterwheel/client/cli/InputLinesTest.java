package io.waterwheel.client.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class InputLinesTest {
    private static final String[] PIECES = {"a", "ü", ",", "\"x\ny\"", "\"\"", "\"a\"\"b\"", "1.5", " ", "\"\r\n\""};

    @Test
    void splitsAsTheLinesWerePutTogether() throws Exception {
        for (long seed = 1; seed <= 300; seed++) {
            Random random = new Random(seed);
            List<String> expected = new ArrayList<>();
            StringBuilder text = new StringBuilder(random.nextInt(4) == 0 ? "\uFEFF" : "");
            for (int l = random.nextInt(30); l >= 0; l--) {
                StringBuilder line = new StringBuilder();
                for (int p = random.nextInt(random.nextInt(20) == 0 ? 30_000 : 6); p > 0; p--) {
                    line.append(PIECES[random.nextInt(PIECES.length)]);
                }
                if (line.length() > 0) {
                    expected.add(line.toString());
                }
                text.append(line).append(l == 0 && random.nextBoolean() ? "" : random.nextBoolean() ? "\n" : "\r\n");
            }
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            int packing = random.nextInt(3);
            List<String> got = new ArrayList<>();
            try (InputLines lines = new InputLines(new InDribs(packed(bytes, packing), random), true)) {
                for (byte[] line = lines.next(); line != null; line = lines.next()) {
                    got.add(new String(line, StandardCharsets.UTF_8));
                }
            }
            assertThat(got).as("seed %s", seed).isEqualTo(expected);
        }
    }

    private static byte[] packed(byte[] bytes, int packing) throws IOException {
        return switch (packing) {
            case 0 -> bytes;
            case 1 -> gzip(bytes);
            default -> com.github.luben.zstd.Zstd.compress(bytes);
        };
    }

    @Test
    void aPackedFileThatIsCutOffIsNoShorterFile() throws Exception {
        byte[] text = "1,2,3\n".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        for (int packing = 1; packing <= 2; packing++) {
            byte[] whole = packed(text, packing);
            for (int length = 20; length < whole.length; length += 7) {
                byte[] cut = java.util.Arrays.copyOf(whole, length);
                assertThatThrownBy(() -> {
                            try (InputLines lines = new InputLines(new ByteArrayInputStream(cut), true)) {
                                while (lines.next() != null) {}
                            }
                        })
                        .as("packing %s cut at %s", packing, length)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("the compressed file is cut off or damaged after line");
            }
        }
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    /** Gives as many bytes at a time as it likes. */
    private static final class InDribs extends ByteArrayInputStream {
        private final Random random;

        InDribs(byte[] bytes, Random random) {
            super(bytes);
            this.random = random;
        }

        @Override
        public synchronized int read(byte[] target, int offset, int length) {
            return super.read(target, offset, Math.min(length, 1 + random.nextInt(length)));
        }
    }

    @Test
    void numbersLinesByTheirFirst() throws Exception {
        try (InputLines lines = new InputLines(of("a\n\n\"x\ny\"\nb"), true)) {
            List<Long> numbers = new ArrayList<>();
            while (lines.next() != null) {
                numbers.add(lines.lineNumber());
            }
            assertThat(numbers).containsExactly(1L, 3L, 5L);
        }
    }

    @Test
    void quotesMeanNothingInJson() throws Exception {
        try (InputLines lines = new InputLines(of("{\"a\": \"\\\"\"}\n{}"), false)) {
            assertThat(lines.next()).asString(StandardCharsets.UTF_8).isEqualTo("{\"a\": \"\\\"\"}");
            assertThat(lines.next()).asString(StandardCharsets.UTF_8).isEqualTo("{}");
            assertThat(lines.next()).isNull();
        }
    }

    @Test
    void anEndlessLineIsAnErrorBeforeItIsHeld() throws Exception {
        try (InputLines lines = new InputLines(of("a\n\"" + "x".repeat(InputLines.MAX_LINE_BYTES)), true)) {
            assertThat(lines.next()).isNotNull();
            assertThatThrownBy(lines::next)
                    .isInstanceOf(IOException.class)
                    .hasMessage("line 2 has over 1048576 bytes; is a quote not closed?");
        }
    }

    private static InputStream of(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }
}
