package io.waterwheel.cli.input;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.schema.RecordText;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class InputLinesTest {
    /** Cells, some with a quote where none opens. */
    private static final String[] CELLS = {
        "a", "ü", "", "\"x\ny\"", "\"\"", "\"a\"\"b\"", "1.5", " ", "\"\r\n\"", "5\" pipe", "a\"\"b", "\"c\"d\"", " \"e"
    };

    @Test
    void splitsAsTheLinesWerePutTogether() throws Exception {
        for (long seed = 1; seed <= 300; seed++) {
            Random random = new Random(seed);
            List<String> expected = new ArrayList<>();
            StringBuilder text = new StringBuilder(random.nextInt(4) == 0 ? "\uFEFF" : "");
            for (int l = random.nextInt(30); l >= 0; l--) {
                StringBuilder line = new StringBuilder();
                for (int p = random.nextInt(random.nextInt(20) == 0 ? 30_000 : 6); p > 0; p--) {
                    line.append(CELLS[random.nextInt(CELLS.length)]).append(p == 1 ? "" : ",");
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
            got.forEach(
                    line -> assertThat(CsvCells.of(line, RecordText.Csv.DEFAULT).size())
                            .as(line)
                            .isEqualTo(1 + line.replaceAll("[^,]", "").length()));
        }
    }

    @Test
    void signsAreFoundAsByALookAtEachByte() {
        Random random = new Random(1);
        String signs = "\n\";\0";
        byte[] bytes = new byte[40];
        for (int round = 0; round < 3_000; round++) {
            random.nextBytes(bytes);
            for (int i = random.nextInt(4); i > 0; i--) {
                // Beside a sign, what differs from it in a bit.
                int at = random.nextInt(bytes.length - 1);
                bytes[at] = (byte) signs.charAt(random.nextInt(signs.length()));
                bytes[at + 1] = (byte) (bytes[at] ^ (1 << random.nextInt(8)));
            }
            int from = random.nextInt(bytes.length);
            int to = from + random.nextInt(bytes.length - from + 1);
            char one = signs.charAt(random.nextInt(signs.length()));
            char other = signs.charAt(random.nextInt(signs.length()));
            int expected = from;
            while (expected < to && bytes[expected] != '\n' && bytes[expected] != one && bytes[expected] != other) {
                expected++;
            }
            assertThat(LineSigns.find(bytes, from, to, '\n', one, other))
                    .as("round %s", round)
                    .isEqualTo(expected);
        }
    }

    /** Also where quotes hold line ends, as long as the line does not go over the end of what was read. */
    @Test
    void linesAreReadWhereTheyLie() throws Exception {
        try (InputLines lines = new InputLines(of("1,a\r\n2,\"b\nc\"\n3,d\r\n4"), true)) {
            assertThat(lines.next()).asString(UTF_8).isEqualTo("1,a");
            Line second = lines.read();
            byte[] buffer = second.bytes();
            assertThat(new String(second.copy(), UTF_8)).isEqualTo("2,\"b\nc\"");
            assertThat(lines.lineNumber()).isEqualTo(2);
            assertThat(lines.lastLineNumber()).isEqualTo(3);
            assertThat(lines.read().bytes() == buffer).isTrue();
            assertThat(lines.lineNumber()).isEqualTo(4);
            assertThat(new String(second.copy(), UTF_8)).isEqualTo("3,d");
            assertThat(lines.next()).asString(UTF_8).isEqualTo("4");
            assertThat(lines.read()).isNull();
        }
    }

    /** Who gathers what lines hold can hand it on before a wait. */
    @Test
    void saysBeforeEachReadThatAllLinesBeforeItWereReturned() throws Exception {
        List<String> events = new ArrayList<>();
        InputStream drops = new InputStream() {
            private final byte[][] drops = {"a,1\nb".getBytes(UTF_8), ",2\nc,3\n".getBytes(UTF_8), {}};
            private int next;

            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] into, int from, int length) {
                byte[] drop = drops[Math.min(next++, drops.length - 1)];
                System.arraycopy(drop, 0, into, from, drop.length);
                return drop.length == 0 ? -1 : drop.length;
            }
        };
        try (InputLines lines = new InputLines(drops, true).beforeRead(() -> events.add("read"))) {
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                events.add(new String(line, UTF_8));
            }
        }
        assertThat(events).containsExactly("read", "a,1", "read", "b,2", "c,3", "read");
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
            // Another piece behind the first, as pzstd and cat make files.
            for (int more = 1; more < whole.length; more += 3) {
                ByteArrayOutputStream both = new ByteArrayOutputStream();
                both.writeBytes(packed("1,2,3\n".getBytes(StandardCharsets.UTF_8), packing));
                both.write(whole, 0, more);
                assertThatThrownBy(() -> {
                            try (InputLines lines =
                                    new InputLines(new ByteArrayInputStream(both.toByteArray()), true)) {
                                while (lines.next() != null) {}
                            }
                        })
                        .as("packing %s cut at %s of the second piece", packing, more)
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
    private static class InDribs extends ByteArrayInputStream {
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
    void aStrayQuoteSpoilsItsOwnLineOnly() throws Exception {
        try (InputLines lines = new InputLines(of("1,5\" pipe\n2,a\n3,\"b\nc\n\"\n4"), true)) {
            List<String> got = new ArrayList<>();
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                got.add(lines.lineNumber() + "-" + lines.lastLineNumber() + " "
                        + new String(line, StandardCharsets.UTF_8));
            }
            assertThat(got).containsExactly("1-1 1,5\" pipe", "2-2 2,a", "3-5 3,\"b\nc\n\"", "6-6 4");
        }
    }

    /** As one end of a pipe does, between what the other end writes. */
    @Test
    void allMembersOfAPackedFileAreReadThoughNothingIsAvailable() throws Exception {
        ByteArrayOutputStream members = new ByteArrayOutputStream();
        for (int member = 0; member < 50; member++) {
            members.write(gzip(("line " + member + "\n").getBytes(StandardCharsets.UTF_8)));
        }
        InputStream pipe = new InDribs(members.toByteArray(), new Random(1)) {
            @Override
            public synchronized int available() {
                return 0;
            }

            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                return super.read(target, offset, Math.min(length, 5));
            }
        };
        int count = 0;
        try (InputLines lines = new InputLines(pipe, true)) {
            while (lines.next() != null) {
                count++;
            }
        }
        assertThat(count).isEqualTo(50);
    }

    /** The JDK alone takes all of these for the end of the file. */
    @Test
    void whatFollowsAMemberMustBeOneAndWhole() throws Exception {
        byte[] member = gzip("1\n2\n".getBytes(StandardCharsets.UTF_8));
        for (int more = 1; more <= member.length; more++) {
            for (boolean cut : new boolean[] {true, false}) {
                ByteArrayOutputStream file = new ByteArrayOutputStream();
                file.write(member);
                file.write(cut ? member : "something that is no gzip at all".getBytes(StandardCharsets.UTF_8), 0, more);
                List<String> got = new ArrayList<>();
                String failure = "";
                try (InputLines lines = new InputLines(new ByteArrayInputStream(file.toByteArray()), true)) {
                    for (byte[] line = lines.next(); line != null; line = lines.next()) {
                        got.add(new String(line, StandardCharsets.UTF_8));
                    }
                } catch (IOException e) {
                    failure = String.valueOf(e.getMessage());
                }
                assertThat(got).startsWith("1", "2");
                if (cut && more == member.length) {
                    assertThat(got).containsExactly("1", "2", "1", "2");
                    assertThat(failure).isEmpty();
                } else {
                    assertThat(failure)
                            .as("%d bytes after a member, %s", more, cut ? "of another" : "of none")
                            .contains("cut off or damaged");
                }
            }
        }
    }

    @Test
    void aPackedFileOfItsFirstBytesIsDamaged() {
        assertThatThrownBy(() -> new InputLines(new ByteArrayInputStream(new byte[] {0x1f, (byte) 0x8b, 8}), true))
                .isInstanceOf(IOException.class)
                .hasMessage("the compressed file is cut off or damaged after line 0: it ends too early");
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

    private static List<String> json(String file, boolean arraysAreLines) throws IOException {
        List<String> values = new ArrayList<>();
        try (InputLines lines = new InputLines(new ByteArrayInputStream(file.getBytes(StandardCharsets.UTF_8)), false)
                .arraysAreLines(arraysAreLines)) {
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                values.add(new String(line, StandardCharsets.UTF_8));
            }
        }
        return values;
    }

    @Test
    void filesThatAreNoTextAreNamed() throws Exception {
        try (InputLines names = new InputLines(of("ARRONDISSEMENT;NB\n"), true)) {
            assertThat(names.next()).asString(UTF_8).isEqualTo("ARRONDISSEMENT;NB");
        }
        assertThatThrownBy(() -> json("PK\u0003\u0004...", false)).hasMessageStartingWith("it is a zip archive");
        assertThatThrownBy(() -> json("PAR1...", false)).hasMessageStartingWith("it is a Parquet file");
        Map<byte[], String> others = Map.of(
                new byte[] {(byte) 0xD0, (byte) 0xCF, 0x11, (byte) 0xE0, 0},
                "(.xls): save the sheet as CSV",
                new byte[] {(byte) 0xFD, '7', 'z', 'X', 'Z'},
                "compressed by xz",
                "BZh91AY".getBytes(UTF_8),
                "compressed by bzip2",
                "ARROW1\0\0".getBytes(UTF_8),
                "a file of Arrow",
                new byte[] {-1, -1, -1, -1, 16},
                "a file of Arrow",
                new byte[] {(byte) 0xFF, (byte) 0xFE, 0, 0, 't'},
                "in UTF-32",
                new byte[] {0, 0, (byte) 0xFE, (byte) 0xFF, 0},
                "in UTF-32");
        others.forEach((begin, what) -> assertThatThrownBy(() -> new InputLines(new ByteArrayInputStream(begin), true))
                .hasMessageContaining(what));
    }

    @Test
    void jsonMayGoOverLines() throws Exception {
        assertThat(json("{\"a\": 1}\n\n{\"a\": 2}\n", false)).containsExactly("{\"a\": 1}", "{\"a\": 2}");
        assertThat(json("[{\"a\": 1},{\"a\": 2}]", false)).containsExactly("{\"a\": 1}", "{\"a\": 2}");
        assertThat(json("[1, \"x,]\", null ,{}]\n", false)).containsExactly("1", "\"x,]\"", "null", "{}");
        assertThat(json("{\n \"a\": 1\n}\n{\n \"a\": 2 }", false)).containsExactly("{  \"a\": 1 }", "{  \"a\": 2 }");
        assertThat(json("[1]\n[2]\n", true)).containsExactly("[1]", "[2]");
        assertThat(json("{\"a\": 1\n{\"a\": 2}\r\n", false)).containsExactly("{\"a\": 1", "{\"a\": 2}");
        assertThat(json("[1,2]\n[3]\nx [] 4", false)).containsExactly("1", "2", "3", "x", "[]", "4");
        assertThat(json("", false)).isEmpty();
        assertThat(json("[]", false)).isEmpty();
        assertThat(json("no JSON\n{\"a\": 1}\n", false)).containsExactly("no JSON", "{\"a\": 1}");
        assertThatThrownBy(() -> json("[{\"a\": 1},\n", false))
                .hasMessage("the JSON array is not closed; is the file cut off after line 1?");
        assertThatThrownBy(() -> json("[{\"a\": \"" + "x".repeat(1 << 20) + "\"}]", false))
                .hasMessageContaining("the JSON value of line 1 has over 1048576 bytes");
    }

    /** Beside the values that the file was made of; spaces and line ends anywhere between them. */
    @Test
    void randomDocumentsGiveTheirValues() throws Exception {
        long seed = Long.getLong("seed", 1);
        for (int round = 0; round < 300; round++) {
            Random random = new Random(seed + round);
            List<String> values = new ArrayList<>();
            for (int v = random.nextInt(6); v >= 0; v--) {
                values.add("{\"k\":" + value(random, 3) + "}");
            }
            boolean array = random.nextBoolean();
            StringBuilder file = new StringBuilder(array ? "[" : "");
            for (int v = 0; v < values.size(); v++) {
                String between = array && v > 0 ? "," : "";
                // An object that begins a file of objects goes over lines, or all of them are lines.
                file.append(space(random)).append(between).append(array ? space(random) : "\n");
                file.append(
                        array || random.nextBoolean()
                                ? values.get(v)
                                : values.get(v).replaceFirst(":", ":\n"));
            }
            file.append(array ? "\n]" : "\n");
            if (!array && !file.toString().strip().startsWith("{\"k\":\n")) {
                continue;
            }
            assertThat(json(file.toString(), false).stream().map(value -> value.replaceFirst(": ", ":")))
                    .as("seed %s: %s", seed + round, file)
                    .isEqualTo(values);
        }
    }

    private static String space(Random random) {
        return List.of("", " ", "\n", " \r\n\t").get(random.nextInt(4));
    }

    private static String value(Random random, int deep) {
        return switch (random.nextInt(deep > 0 ? 6 : 4)) {
            case 0 -> Integer.toString(random.nextInt());
            case 1 ->
                List.of("\"\"", "\"]}\"", "\"a\\\\\"", "\"\\\"{[\"", "\"\u00e9\\n\"")
                        .get(random.nextInt(5));
            case 2 -> "true";
            case 3 -> "null";
            case 4 -> "[" + value(random, deep - 1) + "," + value(random, deep - 1) + "]";
            default -> "{\"a\":" + value(random, deep - 1) + ",\"b\":" + value(random, deep - 1) + "}";
        };
    }
}
