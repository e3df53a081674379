package io.waterwheel.cli.input;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.cli.proposal.Proposals;
import io.waterwheel.cli.proposal.SchemaProposal;
import io.waterwheel.schema.RecordFormat;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileEncodingTest {
    private static final Charset WINDOWS = Charset.forName("windows-1252");

    private static List<String> lines(byte[] file, @Nullable FileEncoding named) throws IOException {
        List<String> lines = new ArrayList<>();
        try (InputLines in = new InputLines(new ByteArrayInputStream(file), true, named)) {
            for (byte[] line = in.next(); line != null; line = in.next()) {
                lines.add(new String(line, UTF_8));
            }
        }
        return lines;
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }

    private static byte[] marked(int... mark) {
        byte[] bytes = new byte[mark.length];
        for (int i = 0; i < mark.length; i++) {
            bytes[i] = (byte) mark[i];
        }
        return bytes;
    }

    /** Beside the JDK's own decoders, over lengths that cut characters at every edge of a buffer. */
    @Test
    void everyEncodingGivesTheLinesThatWereWritten() throws Exception {
        long seed = Long.getLong("seed", 1);
        Random random = new Random(seed);
        for (int round = 0; round < 30; round++) {
            List<String> written = new ArrayList<>(List.of("name;value"));
            List<String> western = new ArrayList<>(written);
            for (int i = random.nextInt(4000); i >= 0; i--) {
                written.add("\u00e9t\u00e9;" + new String(Character.toChars(0x10000 + random.nextInt(0x1000)))
                        + "x".repeat(random.nextInt(9)) + "\u0416");
                western.add("caf\u00e9;" + random.nextInt() + "\u20ac");
            }
            byte[] utf8 = String.join("\n", written).getBytes(UTF_8);
            byte[] low = String.join("\r\n", written).getBytes(StandardCharsets.UTF_16LE);
            byte[] high = String.join("\n", written).getBytes(StandardCharsets.UTF_16BE);
            byte[] windows = String.join("\r\n", western).getBytes(WINDOWS);
            String as = "seed " + seed + ", round " + round;
            assertThat(lines(utf8, null)).as(as).isEqualTo(written);
            assertThat(lines(joined(marked(0xEF, 0xBB, 0xBF), utf8), null))
                    .as(as)
                    .isEqualTo(written);
            assertThat(lines(joined(marked(0xFF, 0xFE), low), null)).as(as).isEqualTo(written);
            assertThat(lines(joined(marked(0xFE, 0xFF), high), null)).as(as).isEqualTo(written);
            assertThat(lines(low, null)).as(as).isEqualTo(written);
            assertThat(lines(high, null)).as(as).isEqualTo(written);
            assertThat(lines(low, FileEncoding.UTF_16LE)).as(as).isEqualTo(written);
            assertThat(lines(windows, FileEncoding.WINDOWS_1252)).as(as).isEqualTo(western);
        }
        byte[] every = new byte[256];
        for (int b = 0; b < 256; b++) {
            every[b] = (byte) (b == '\n' || b == '\r' || b == '"' ? 'x' : b);
        }
        assertThat(lines(joined(new byte[] {'a'}, every), FileEncoding.LATIN_1))
                .containsExactly("a" + new String(every, StandardCharsets.ISO_8859_1));
    }

    @Test
    void aCompressedFileHasAnEncodingToo() throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(marked(0xFF, 0xFE));
            gzip.write("a,b\n1,\u00fc\n".getBytes(StandardCharsets.UTF_16LE));
        }
        assertThat(lines(packed.toByteArray(), null)).containsExactly("a,b", "1,\u00fc");
    }

    @Test
    void bytesThatAreNoneOfTheEncodingAreRefusedWithTheirLine() {
        byte[] cut = joined(marked(0xFF, 0xFE), "a,b\n1,2\n3".getBytes(StandardCharsets.UTF_16LE));
        assertThatThrownBy(() -> lines(Arrays.copyOf(cut, cut.length - 1), null))
                .isInstanceOf(IOException.class)
                .hasMessage("behind line 2 are bytes that are no utf-16le; is the file cut off, or in another encoding?"
                        + " --encoding names it");
        assertThatThrownBy(() -> lines(joined("a,b\n1,".getBytes(UTF_8), marked(0x81)), FileEncoding.WINDOWS_1252))
                .hasMessageContaining("behind line 1 are bytes that are no windows-1252");
        assertThatThrownBy(() -> FileEncoding.parse("ebcdic"))
                .hasMessage("expected utf-8, utf-16le, utf-16be, windows-1252, latin-1, windows-1250, windows-1251,"
                        + " windows-1253, windows-1254, gb18030, big5, shift-jis or euc-kr, got 'ebcdic'");
        assertThat(Stream.of(FileEncoding.values()).map(one -> FileEncoding.parse(one.label())))
                .containsExactly(FileEncoding.values());
    }

    @Test
    void aProposalSaysWhichEncodingItTakesTheFileToHave(@TempDir Path folder) throws Exception {
        String file = "t;stra\u00dfe;betrag\n2021-10-07;K\u00f6ln \u20ac;3,5\n2021-10-08;Ulm;4,25\n";
        Path windows = Files.write(folder.resolve("w.csv"), file.getBytes(WINDOWS));
        SchemaProposal proposal = proposed(windows, null);
        assertThat(proposal.encoding()).isEqualTo(FileEncoding.WINDOWS_1252);
        assertThat(proposal.yaml("w"))
                .contains(
                        "waterwheel append w FILE.csv --encoding windows-1252",
                        "# The file is in windows-1252, as it seems: it is no UTF-8. --encoding names another");
        Path latin =
                Files.write(folder.resolve("l.csv"), joined("t;x\n2021-10-07;".getBytes(UTF_8), marked(0xE9, 0x81)));
        assertThat(proposed(latin, null).encoding()).isEqualTo(FileEncoding.LATIN_1);
        assertThatThrownBy(() -> proposed(windows, FileEncoding.UTF_8))
                .hasMessageContaining("line 1 is not valid UTF-8; --encoding names utf-8");
        Path wide = Files.write(
                folder.resolve("u.csv"), joined(marked(0xFF, 0xFE), file.getBytes(StandardCharsets.UTF_16LE)));
        assertThat(proposed(wide, null).yaml("u")).contains("# The file is in utf-16le; records are in UTF-8.");
        assertThat(proposed(Files.write(folder.resolve("p.csv"), file.getBytes(UTF_8)), null)
                        .yaml("p"))
                .doesNotContain("The file is in");
    }

    private static SchemaProposal proposed(Path file, @Nullable FileEncoding encoding) throws IOException {
        return Proposals.of(file.toString(), InputSource.of(file), RecordFormat.CSV, List.of(), encoding);
    }

    /** Standard input comes once, and is looked at and then read. */
    @Test
    void standardInputIsLookedAtAndThenRead() throws Exception {
        byte[] text = new byte[300_000];
        new Random(1).nextBytes(text);
        // One that gives a few bytes at a time, as a pipe does.
        InputStream pipe = new ByteArrayInputStream(text) {
            @Override
            public synchronized int read(byte[] into, int from, int length) {
                return super.read(into, from, Math.min(length, 999));
            }
        };
        InputSource in = InputSource.named("-", pipe).get(0);
        assertThat(in.open().readNBytes(10_000)).isEqualTo(Arrays.copyOf(text, 10_000));
        assertThat(in.open().readNBytes(50_000)).isEqualTo(Arrays.copyOf(text, 50_000));
        assertThat(in.openLast().readAllBytes()).isEqualTo(text);
    }

    @Test
    void oneDamagedCharacterMakesNoOtherEncoding(@TempDir Path folder) throws IOException {
        StringBuilder rows = new StringBuilder("at,town\n");
        for (int r = 0; r < 50; r++) {
            rows.append(1633608000000L + r).append(",Z\u00fcrich\n");
        }
        byte[] damaged =
                joined(rows.toString().getBytes(UTF_8), joined("1633608001000,Z".getBytes(UTF_8), marked(0xC3)));
        SchemaProposal proposal = proposed(Files.write(folder.resolve("damaged.csv"), damaged), null);
        assertThat(proposal.encoding()).isEqualTo(FileEncoding.UTF_8);
        assertThat(proposal.yaml("s")).doesNotContain("windows");
        Path western =
                Files.write(folder.resolve("western.csv"), rows.toString().getBytes(WINDOWS));
        SchemaProposal other = proposed(western, null);
        assertThatThrownBy(() -> other.requireEncoding(List.of(InputSource.of(folder.resolve("damaged.csv")))))
                .hasMessageContaining("damaged.csv is in UTF-8, and ")
                .hasMessageContaining("western.csv in windows-1252");
        other.requireEncoding(List.of(InputSource.of(western)));
    }
}
