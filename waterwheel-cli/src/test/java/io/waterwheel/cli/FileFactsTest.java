package io.waterwheel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.proposal.FileFacts;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person says of a file takes the place of a guess; the proposal takes the file. */
final class FileFactsTest {
    @TempDir
    Path folder;

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private static CliResult like(Path file, String... options) {
        List<String> words = new ArrayList<>(List.of("stream", "create", "--like", file.toString()));
        words.addAll(List.of(options));
        return CliResult.of(words.toArray(String[]::new));
    }

    private static String proposed(Path file, String... options) {
        CliResult result = like(file, options);
        assertThat(result.code()).as(result.err()).isZero();
        StreamDefinition ignored = SchemaFile.read("the proposal", result.out());
        return result.out();
    }

    /** The same of a file of which only so many bytes are looked at before it is read: of others 100,000 rows are. */
    private static String proposedOfBegin(Path file, long bytes) throws IOException {
        InputSource whole = InputSource.of(file);
        InputSource begin = new InputSource() {
            @Override
            public String name() {
                return whole.name();
            }

            @Override
            public InputStream open() throws IOException {
                return whole.open();
            }

            @Override
            public long size() throws IOException {
                return whole.size();
            }

            @Override
            public long mostLookedAt() {
                return bytes;
            }
        };
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Terminal terminal = new Terminal(
                InputStream.nullInputStream(), new PrintStream(out, true, StandardCharsets.UTF_8), System.err, false);
        StreamCreation ignored =
                StreamCreation.propose(terminal, List.of(begin), "s", null, List.of(), null, FileFacts.NONE);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static void refused(String why, Path file, String... options) {
        CliResult result = like(file, options);
        assertThat(result.code()).isNotZero();
        assertThat(result.err()).contains(why);
    }

    /** T-Drive's own lines: Beijing's time, and no line of names. */
    @Test
    void rowsAreTextWhereProgramsReadThem() throws IOException {
        Path csv = file("t.csv", "at,x\n2021-10-07T00:00:00Z,1\n2021-10-08T00:00:00Z,2\n");
        assertThat(proposed(csv)).contains("records:\n  blocks: true   # ", "others may write lines beside them");
        assertThat(proposed(csv, "--text-records")).doesNotContain("blocks", "records:");
        Path json = file("t.json", "{\"at\": 1633608000000, \"x\": \"1.5\"}\n");
        assertThat(proposed(json))
                .contains("records:\n  numbers: text\n  blocks: true   # ", "others may write objects beside them");
        assertThat(proposed(json, "--text-records")).contains("numbers: text").doesNotContain("blocks");
        assertThat(CliResult.of("append", "s", csv.toString(), "--text-records").err())
                .contains("--text-records goes with --create: of a stream that is there, its schema says it");
    }

    @Test
    void timesOfAnotherZone() throws Exception {
        Path taxis =
                file("1.txt", "1,2008-02-02 15:36:08,116.51172,39.92123\n1,2008-02-02 15:46:08,116.51135,39.93883\n");
        assertThat(proposed(taxis, "--columns", "id,time,longitude,latitude", "--zone", "Asia/Shanghai"))
                .contains("zone: 'Asia/Shanghai'\n")
                .doesNotContain("a guess: times name no zone");
        assertThat(proposed(taxis, "--columns", "id,time,longitude,latitude"))
                .contains("zone: UTC   # a guess", "   # times name no zone: they are read in the one below");
        // A day begins somewhere, too.
        Path days = file("days.csv", "t,k,v\n2021-03-02,a,1\n2021-03-22,b,1\n");
        assertThat(proposed(days, "--zone", "Asia/Kolkata")).contains("zone: 'Asia/Kolkata'\n");
        assertThat(proposed(days)).doesNotContain("zone:");
        Path json = file("days.json", "{\"t\": \"2021-03-02\", \"k\": 1}\n");
        assertThat(proposed(json, "--zone", "Asia/Kolkata")).contains("zone: 'Asia/Kolkata'\n");
        refused("expected a zone such as Europe/Berlin", taxis, "--zone", "Shanghai");
    }

    @Test
    void signsThatCannotBeTold() throws Exception {
        Path file = file("f.csv", "t:n:x\n2021-10-07:1,250:7\n2021-10-08:2,750:8\n");
        assertThat(proposed(file, "--delimiter", ":", "--decimal", ","))
                .contains("{name: n, type: double}")
                .contains("delimiter: ':'")
                .contains("decimal: ','");
        assertThat(proposed(file, "--delimiter", ":", "--thousands", ","))
                .contains("{name: n, type: int}")
                .contains("thousands: ','");
        refused("the decimal mark is ',', too", file, "--decimal", ",", "--thousands", ",");
        refused("expected one sign, or the word tab", file, "--delimiter", "::");
        refused("delimiter: expected one ASCII sign", file, "--delimiter", "a");
        refused("decimal: expected . or ,", file, "--decimal", "*");
        Path tabs = file("f.tsv", "t\tn\n2021-10-07\t1\n2021-10-08\t2\n");
        assertThat(proposed(tabs, "--delimiter", "tab")).contains("delimiter: tab\n");
    }

    @Test
    void quotesAndEscapesThatAreSaid() throws Exception {
        Path file = file("f.csv", "t,n,s\n2021-10-07,1,~a,b~\n2021-10-08,2,c^,d\n");
        assertThat(proposed(file, "--quote", "~", "--escape", "^"))
                .contains("quote: '~'\n", "escape: '^'\n")
                .doesNotContain("rejected", "a guess: line");
        Path paths = file("p.tsv", "t\tn\tdir\n2021-10-07\t1\tC:\\new\n2021-10-08\t2\tC:\\temp\n");
        assertThat(proposed(paths)).doesNotContain("escape: ");
        assertThat(proposed(paths, "--escape", "none", "--quote", "none"))
                .contains("quote: none\n")
                .doesNotContain("escape: ");
        refused("expected one sign, or the word none", file, "--quote", "''");
        refused("--escape: the quote is", file, "--quote", "'", "--escape", "'");
        refused("quote: ',' is the delimiter, too", file, "--quote", ",", "--delimiter", ",");
    }

    /** What the lines show is no sign of two meanings, and what is said beside it is refused by name. */
    @Test
    void signsThatAreShownBesideThoseThatAreSaid() throws Exception {
        Path swiss = file("swiss.csv", "t,s,v\n2021-10-07,'x','1''234.50'\n2021-10-08,'y','2''234.50'\n");
        assertThat(proposed(swiss))
                .contains("quote: ", "{name: v, type: string}")
                .doesNotContain("thousands: ");
        assertThat(proposed(swiss, "--thousands", "'")).contains("thousands: ").doesNotContain("quote: ");
        Path divided = file("divided.csv", "t's\n2021-10-07'x\n2021-10-08'\\y\n");
        assertThat(proposed(divided, "--delimiter", "'")).contains("{name: s, type: string}");
        Path backslashes = file("b.csv", "t\\s\n2021-10-07\\x\n2021-10-08\\'y'\n");
        assertThat(proposed(backslashes, "--delimiter", "\\")).contains("{name: s, type: string}");
        Path announced = file("sep.csv", "sep=;\nt;s\n2021-10-07;x\n2021-10-08;y\n");
        refused("sep.csv: --quote: ';' is the delimiter, too", announced, "--quote", ";");
        refused("sep.csv: --null: expected words", announced, "--null", "a;b");
        Path bars = file("bars.csv", "t|s\n2021-10-07|x\n2021-10-08|y\n");
        refused("bars.csv: --null: expected words", bars, "--null", "a|b");
        assertThat(proposed(bars, "--null", "a;b")).contains("nulls: ");
        Path tabs = file("b.tsv", "t\ts\n2021-10-07\ta\\\\b\n2021-10-08\t\\N\n");
        assertThat(proposed(tabs, "--quote", "\\")).doesNotContain("escape: ");
    }

    /** The first lines say nothing of an escape; later ones do, and those that were looked at are looked at anew. */
    @Test
    void anEscapeBehindTheFirstLines() throws Exception {
        StringBuilder csv = new StringBuilder("t,id,s\n");
        for (int row = 1; row <= 3_000; row++) {
            csv.append("2021-10-07,i").append(row).append(row == 2_500 ? ",\"say \\\"so, you\\\"\"\n" : ",\"plain\"\n");
        }
        assertThat(proposed(file("late.csv", csv.toString())))
                .contains("escape: ", "# a guess: rows behind the first show it; --escape says another")
                .endsWith("# All 3,000 rows are tuples of it.\n");
        assertThat(proposed(file("late.csv", csv.toString()), "--escape", "none"))
                .contains("# All 3,000 rows were read: 1 are no tuples of it");
        assertThat(proposed(file("plain.csv", csv.toString().replace("\\\"so, you\\\"", "\"so, you"))))
                .contains("# All 3,000 rows were read: 1 are no tuples of it")
                .doesNotContain("escape: ");
    }

    @Test
    void wordsThatStandForNothing() throws Exception {
        Path file = file("f.csv", "t,id,n\n2021-10-07,a,1\n2021-10-08,b,fehlt\n2021-10-09,?,3\n");
        assertThat(proposed(file, "--null", "fehlt,?", "--key-field", "id"))
                .contains("{name: n, type: int, nullable: true}")
                .contains("nulls: [")
                .contains("key: {field: id}\n");
        assertThat(proposed(file)).contains("{name: n, type: string");
    }

    /** A column that is nearly of numbers or times says what is in its way, and where. */
    @Test
    void whatMostValuesAreIsSaidOfTexts() throws Exception {
        StringBuilder csv = new StringBuilder("t,n,when,name\n");
        for (int row = 1; row <= 100; row++) {
            csv.append("2021-10-07,")
                    .append(row == 10 ? "n.a." : row == 71 ? "?" : row * 2)
                    .append(row == 8 ? ",soon" : ",2021-10-07T12:00:00Z")
                    .append(",name ")
                    .append(row)
                    .append('\n');
        }
        Path file = file("f.csv", csv.toString());
        assertThat(proposed(file))
                .contains("{name: n, type: string}   # 98 of 100 are numbers; others: n.a. (line 11),"
                        + " ? (line 72): --null takes a word for nothing")
                .contains("# 99 of 100 are times; others: soon (line 9)")
                .doesNotContain("{name: name, type: string}   #");
        assertThat(proposed(file, "--null", "n.a.,?")).contains("{name: n, type: int, nullable: true}");
    }

    /** As an editor counts: with the line of names, empty lines, and those within quotes. */
    @Test
    void whatIsInTheWayStandsInTheLineThatIsSaid() throws Exception {
        // Before, at and behind the lines that show how the file is written, which may end within a row.
        for (int outlier : List.of(0, 1, 248, 249, 250, 600)) {
            for (int shift = 0; shift < 3; shift++) {
                StringBuilder csv = new StringBuilder("sep=;\n" + "\n".repeat(shift) + "t;n;note\n");
                long line = 0;
                for (int row = 0; row < 700; row++) {
                    line = row == outlier
                            ? 1 + csv.chars().filter(c -> c == '\n').count()
                            : line;
                    csv.append("2021-10-07;")
                            .append(row == outlier ? "soon" : row)
                            .append(";\"two\r\nor\nthree\n4\"\n");
                }
                assertThat(proposed(file("f.csv", csv.toString())))
                        .as("row %s, %s empty lines", outlier, shift)
                        .contains("# 699 of 700 are numbers; others: soon (line " + line + ")");
            }
        }
        String json = "{\"t\": \"2021-10-07\",\n \"n\": \"1.5\"}\n".repeat(40);
        assertThat(proposed(file("f.json", json + json.replaceFirst("1.5", "soon"))))
                .contains("# 79 of 80 are numbers; others: soon (line 81)");
    }

    @Test
    void aColumnOfTimesInTwoFormsSaysWhichRowIsWrittenOtherwise() throws Exception {
        StringBuilder csv = new StringBuilder("day,n\n");
        StringBuilder iso = new StringBuilder("day,n\n");
        for (int row = 1; row <= 30; row++) {
            csv.append(row == 25 ? "2021/10/13" : "13.10.2021")
                    .append(",x")
                    .append(row)
                    .append('\n');
            iso.append(row == 25 ? "13 October" : "2021-10-13")
                    .append(",x")
                    .append(row)
                    .append('\n');
        }
        assertThat(proposed(file("a.csv", csv.toString())))
                .contains(
                        "times: dd.MM.yyyy\n",
                        "# 1 of 30 are no times: 2021/10/13 (line 26): such rows will be rejected",
                        "# All 30 rows were read: 1 are no tuples of it and will be rejected, the first:");
        assertThat(proposed(file("b.csv", iso.toString())))
                .contains("# 1 of 30 are no times: 13 October (line 26): such rows will be rejected");
        // The first row, too; of fewer rows, or where more than a few are no times, nothing is the time.
        String soon = csv.toString().replaceFirst("13.10.2021", "soon");
        assertThat(proposed(file("c.csv", soon.replace("2021/10/13", "13.10.2021"))))
                .contains("# 1 of 30 are no times: soon (line 2): such rows will be rejected");
        refused("no column can be the time", file("d.csv", soon));
    }

    /** Texts are texts until somebody says that they are times. */
    @Test
    void timesInAFormThatIsNotTried() throws Exception {
        Path days = file("days.csv", "day,n\n2021~10~07,1\n2021~10~08,2\n");
        refused("no column can be the time", days);
        assertThat(proposed(days, "--times", "yyyy~MM~dd"))
                .contains("{name: day, type: timestamp}")
                .contains("times: 'yyyy~MM~dd'\n")
                .contains("time: day\n");
        refused("--times", days, "--times", "yyyy nonsense");
        Path two = file("two.csv", "sold,paid,n\n2021-10-07,2021-10-09,1\n2021-10-08,2021-10-09,2\n");
        assertThat(proposed(two, "--time-field", "paid")).contains("time: paid\n");
        refused("--time-field n: not all rows of two.csv have times there", two, "--time-field", "n");
        refused("--time-field when: two.csv has no such column, but sold, paid, n", two, "--time-field", "when");
        refused("--key-field x: two.csv has no such column", two, "--key-field", "x");
    }

    /** A stream's name has letters of English only, as a field's has. */
    @Test
    void streamsAreCalledAsFilesAre() {
        assertThat(StreamCreation.nameFrom("/a/donn\u00e9es \u00e0 2021.csv.gz"))
                .isEqualTo("donnees-a-2021");
        assertThat(StreamCreation.nameFrom("\u0426\u0435\u043d\u0430.csv")).isEqualTo("Tsena");
        assertThat(StreamCreation.canName("\u6570\u636e.csv")).isFalse();
        assertThat(StreamCreation.canName("\u6570\u636e-7.csv")).isTrue();
    }

    /** Of a long file the first rows are looked at, and all are read: no field is null for safety's sake. */
    @Test
    void allRowsAreRead() throws Exception {
        StringBuilder csv = new StringBuilder("t,id,n,lane,more\n");
        for (int row = 0; row < 100_100; row++) {
            csv.append("2021-10-07,i")
                    .append(row % 9)
                    .append(',')
                    .append(row)
                    .append(row % 2 == 0 ? ",left" : ",right")
                    .append(row > 100_050 ? ",\n" : ",7\n");
        }
        Path file = folder.resolve("long.csv.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(csv.toString().getBytes(StandardCharsets.UTF_8));
        }
        assertThat(proposed(file))
                .contains("{name: id, type: string}\n", "{name: n, type: int}\n")
                .contains("{name: more, type: int, nullable: true}   # 49 of all rows hold nothing\n")
                .contains("# key: {dimensions: ", "create it with --like " + file + "\n")
                .endsWith("# All 100,100 rows are tuples of it.\n");
    }

    /** More fields than may be null: those that are null are, and the last line is about what is printed. */
    @Test
    void manyFields() throws Exception {
        StringBuilder csv = new StringBuilder("t");
        for (int c = 1; c <= 70; c++) {
            csv.append(",c").append(c);
        }
        for (int row = 0; row < 300; row++) {
            csv.append("\n2021-10-07").append(",1".repeat(69)).append(row == 250 ? "," : ",1");
        }
        Path file = Files.createDirectory(folder.resolve("it's mine")).resolve("many.csv");
        assertThat(proposedOfBegin(Files.writeString(file, csv.append('\n')), 20_000))
                .contains("{name: c69, type: int}\n", "{name: c70, type: int, nullable: true}")
                .contains("# Proposed from the first 133 rows", "# 1 of all rows hold nothing\n")
                .endsWith("# All 300 rows are tuples of it.\n");
        Path kinds = folder.resolve("it's mine").resolve("kinds.csv");
        StringBuilder rows = new StringBuilder("t,a,b,n\n");
        for (int row = 0; row < 60; row++) {
            rows.append("2021-10-07,a" + row % 3 + ",b" + row % 2 + "," + row + "\n");
        }
        assertThat(proposed(Files.writeString(kinds, rows)))
                .contains("create it with --like '" + kinds.toString().replace("'", "'\\''") + "'\n");
    }

    @Test
    void optionsThatHaveNoPlace() throws Exception {
        Path json = file("f.json", "{\"t\": \"2021-10-07T00:00:00Z\", \"n\": 1}\n");
        refused("--delimiter is for CSV, and f.json is JSON", json, "--delimiter", ";");
        CliResult append = CliResult.of("append", "s", json.toString(), "--zone", "UTC");
        assertThat(append.code()).isNotZero();
        assertThat(append.err()).contains("--zone goes with --create");
        CliResult create = CliResult.of("stream", "create", json.toString(), "--zone", "UTC");
        assertThat(create.err()).contains("--zone goes with --like");
    }
}
