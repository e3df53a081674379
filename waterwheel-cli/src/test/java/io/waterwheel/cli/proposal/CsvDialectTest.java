package io.waterwheel.cli.proposal;

import static java.io.InputStream.nullInputStream;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.cli.input.AppendProgress;
import io.waterwheel.cli.input.CsvColumns;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.LineCheck;
import io.waterwheel.cli.input.RecordsSource;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Quotes and escapes of files as other programs write them: told by the lines, and the values are those meant. */
class CsvDialectTest {
    private static Schema proposed(String file) throws Exception {
        String yaml = Proposals.of("f.csv", new ByteArrayInputStream(file.getBytes(UTF_8)), List.of())
                .yaml("f");
        return SchemaFile.read("f.yaml", yaml).schema();
    }

    /** The last column of all rows. */
    private static List<@Nullable Object> taken(String file) throws Exception {
        Schema schema = proposed(file);
        LineCheck check = new LineCheck(RecordFormat.CSV, schema);
        List<@Nullable Object> taken = new ArrayList<>();
        try (InputLines lines = new InputLines(new ByteArrayInputStream(file.getBytes(UTF_8)), true)
                .divideBy(schema.text().csv())) {
            CsvColumns order = CsvColumns.of("f.csv", lines.next(), schema);
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                byte[] ordered = order.inOrder(line);
                assertThat(ordered == null ? "columns" : check.refusal(ordered))
                        .as(new String(line, UTF_8))
                        .isNull();
                taken.add(check.values(0)[schema.fields().size() - 1]);
            }
        }
        return taken;
    }

    private static String marks(String file) throws Exception {
        return marks(proposed(file));
    }

    private static String marks(Schema schema) {
        RecordText.Csv signs = schema.text().csv();
        return (signs.quote() == '\0' ? "none" : signs.quote()) + " "
                + (signs.escape() == '\0' ? "none" : signs.escape());
    }

    @Test
    void backslashesBeforeQuotes() throws Exception {
        String file = "t,s\n2021-10-07,\"say \\\"hi, you\\\"\"\n2021-10-08,\"a \\\\ b\"\n2021-10-09,c\n";
        assertThat(marks(file)).isEqualTo("\" \\");
        assertThat(taken(file)).containsExactly("say \"hi, you\"", "a \\ b", "c");
        // The quote behind the escape would open the rest of the file.
        String ends = "t,s\n2021-10-07,\"ends with \\\"\"\n2021-10-08,\"x, \\\"\"\n2021-10-09,\"a\nb\"\n";
        assertThat(marks(ends)).isEqualTo("\" \\");
        assertThat(taken(ends)).containsExactly("ends with \"", "x, \"", "a\nb");
    }

    @Test
    void backslashesWithoutQuotes() throws Exception {
        String commas = "t,s\n2021-10-07,a\\,b\n2021-10-08,c\n2021-10-09,\\N\n";
        assertThat(marks(commas)).isEqualTo("\" \\");
        assertThat(taken(commas)).containsExactly("a,b", "c", null);
        String text = "t\ts\n2021-10-07\ta\\tb\\nc\n2021-10-08\t5\" disk\n2021-10-09\t\\N\n2021-10-10\t\\\\N\n";
        assertThat(marks(text)).isEqualTo("none \\");
        assertThat(taken(text)).containsExactly("a\tb\nc", "5\" disk", null, "\\N");
        assertThat(taken("t\ts\n2021-10-07\ta\\\tb\\\nc\n2021-10-08\td\re\n")).containsExactly("a\tb\nc", "d\re");
    }

    /** A word for null shows no escape, neither do paths. */
    @Test
    void backslashesThatStandForThemselves() throws Exception {
        assertThat(marks("t\tn\ts\n2021-10-07\t\\N\t\\N\n2021-10-08\t1\tb\n")).isEqualTo("\" none");
        String paths = "t\ts\n2021-10-07\tC:\\new\\Users\n2021-10-08\tC:\\temp\n";
        assertThat(marks(paths)).isEqualTo("\" none");
        assertThat(taken(paths)).containsExactly("C:\\new\\Users", "C:\\temp");
        // Each of these letters stands behind an escape, too.
        String letters = "t\ts\n2021-10-07\tC:\\temp\\new\n2021-10-08\tb\n";
        assertThat(marks(letters)).isEqualTo("\" none");
        assertThat(taken(letters)).containsExactly("C:\\temp\\new", "b");
        assertThat(marks(letters + "2021-10-09\t\\N\n")).isEqualTo("none \\");
        assertThat(marks(letters + "2021-10-09\t\\\\\n")).isEqualTo("none \\");
        assertThat(taken("t,s\n2021-10-07,\"C:\\new\"\n2021-10-08,\"x\"\n")).containsExactly("C:\\new", "x");
        assertThat(taken("t,s\n2021-10-07,\"C:\\\"\n2021-10-08,\"D:\\\"\n")).containsExactly("C:\\", "D:\\");
    }

    @Test
    void singleQuotes() throws Exception {
        String file = "t,s\n2021-10-07,'a, b'\n2021-10-08,'it''s \"so\"'\n2021-10-09,'c\nd'\n";
        assertThat(marks(file)).isEqualTo("' none");
        assertThat(taken(file)).containsExactly("a, b", "it's \"so\"", "c\nd");
        assertThat(taken("t;s\n2021-10-07;'a\\'; b'\n2021-10-08;'c'\n")).containsExactly("a'; b", "c");
        String apostrophes = "t,s\n2021-10-07,'tis\n2021-10-08,rock 'n' roll\n2021-10-09,it's\n";
        assertThat(marks(apostrophes)).isEqualTo("\" none");
        assertThat(taken(apostrophes)).containsExactly("'tis", "rock 'n' roll", "it's");
    }

    @Test
    void noQuotesAtAll() throws Exception {
        String file = "t\ts\n2021-10-07\t\"so\" it is\n2021-10-08\t5\" disk\n2021-10-09\t\"open\n2021-10-10\ta\rb\n";
        assertThat(marks(file)).isEqualTo("none none");
        assertThat(taken(file)).containsExactly("\"so\" it is", "5\" disk", "\"open", "a\rb");
        // One line that is spoilt makes no other dialect of the others.
        String spoilt = "t,s\n2021-10-07,\"a\"\n2021-10-08,\"b\" c\n2021-10-09,\"d\"\n";
        assertThat(marks(spoilt)).isEqualTo("\" none");
    }

    /** A value that goes on behind the lines that are looked at is read to its end. */
    @Test
    void aValueAcrossTheEndOfTheFirstLines() throws Exception {
        StringBuilder file = new StringBuilder("t,s\n");
        for (int row = 1; row < 1_100; row++) {
            file.append("2021-10-07,")
                    .append(row == 999 ? "\"one\ntwo\nthree\"" : "\"r" + row + "\"")
                    .append('\n');
        }
        List<@Nullable Object> rows = new ArrayList<>();
        for (int row = 1; row < 1_100; row++) {
            rows.add(row == 999 ? "one\ntwo\nthree" : "r" + row);
        }
        assertThat(marks(file.toString())).isEqualTo("\" none");
        assertThat(taken(file.toString())).isEqualTo(rows);
        assertThat(Proposals.of(
                                "f.csv",
                                new ByteArrayInputStream(file.toString().getBytes(UTF_8)),
                                List.of())
                        .yaml("f"))
                .contains("all 1099 rows of")
                .doesNotContain("another number of columns");
    }

    /** The last field of records of a topic, as the server takes them, by what is proposed for them. */
    private static List<@Nullable Object> takenOfTopic(FileFacts facts, String marks, String... records)
            throws Exception {
        List<byte[]> values =
                Stream.of(records).map(record -> record.getBytes(UTF_8)).toList();
        RecordsSource source = facts.escape() == null
                ? new RecordsSource("topic t", values)
                : new RecordsSource("topic t", values, facts.escape());
        SchemaProposal proposal = SchemaProposal.ofRecords(
                source,
                RecordFormat.CSV,
                List.of("at", "n", "s"),
                facts,
                KafkaColumns.NONE,
                RegisteredRecords.Known.NOTHING);
        Schema schema = SchemaFile.read("t.yaml", proposal.yaml("t")).schema();
        assertThat(marks(schema)).isEqualTo(marks);
        AppendProgress silent =
                new AppendProgress(new Terminal(nullInputStream(), System.out, System.err, false), "", () -> 0, -1);
        ProposalCheck.Outcome outcome = ProposalCheck.of(List.of(source), proposal, schema, silent);
        assertThat(outcome.misfits()).isZero();
        assertThat(outcome.rows()).isEqualTo(records.length);
        LineCheck check = new LineCheck(RecordFormat.CSV, schema);
        List<@Nullable Object> taken = new ArrayList<>();
        for (byte[] value : values) {
            assertThat(check.refusal(value)).as(new String(value, UTF_8)).isNull();
            taken.add(check.values(0)[schema.indexOf("s")]);
        }
        return taken;
    }

    @Test
    void recordsOfATopic() throws Exception {
        String[] backslashes = {
            "2021-10-07,1,\"say \\\"hi, you\\\"\"", "2021-10-08,2,\"two\nlines\"", "2021-10-09,3,\\N"
        };
        assertThat(takenOfTopic(FileFacts.NONE, "\" \\", backslashes))
                .containsExactly("say \"hi, you\"", "two\nlines", null);
        // An escaped line end at the end of a record, and an escape before nothing, take no other record along.
        String[] ends = {"2021-10-07,1,a\\,b\\\n", "2021-10-08,2,c\\,d\\\r\n", "2021-10-09,3,e\\\\\n", "2021-10-10,4,f"
        };
        assertThat(takenOfTopic(FileFacts.NONE, "\" \\", ends)).containsExactly("a,b\n", "c,d\r", "e\\", "f");
        String[] single = {"2021-10-07,1,'a, b'\n", "2021-10-08,2,'it''s \"so\"'", "2021-10-09,3,'c\nd'"};
        assertThat(takenOfTopic(FileFacts.NONE, "' none", single)).containsExactly("a, b", "it's \"so\"", "c\nd");
        String[] database = {"2021-10-07\t1\ta\\tb\\nc", "2021-10-08\t2\t5\" disk", "2021-10-09\t3\t\\N"};
        assertThat(takenOfTopic(FileFacts.NONE, "none \\", database)).containsExactly("a\tb\nc", "5\" disk", null);
        FileFacts said = new FileFacts();
        said.quote = '~';
        said.escape = '^';
        assertThat(takenOfTopic(said, "~ ^", "2021-10-07,1,~a, b~", "2021-10-08,2,c^,d", "2021-10-09,3,^^"))
                .containsExactly("a, b", "c,d", "^");
    }

    /** The proposal says by which line an escape is told. */
    @Test
    void theEvidenceIsSaid() throws Exception {
        assertThat(Proposals.of(
                                "f.csv",
                                new ByteArrayInputStream("t,s\n2021-10-07,x\n2021-10-08,a\\,b\n".getBytes(UTF_8)),
                                List.of())
                        .yaml("f"))
                .contains("escape: ", "# a guess: line 3 has ", "a\\,b; --escape says another");
        String behind = "# made by hand\n# twice\nt,s\n2021-10-07,x\n2021-10-08,a\\,b\n";
        assertThat(Proposals.of("f.csv", new ByteArrayInputStream(behind.getBytes(UTF_8)), List.of())
                        .yaml("f"))
                .contains("# a guess: line 5 has ");
        // YAML ends lines there, too.
        String ends = "t,s\n2021-10-07,x\n2021-10-08,a\\,b\u2028name: c\u0085d\n";
        assertThat(Proposals.of("f.csv", new ByteArrayInputStream(ends.getBytes(UTF_8)), List.of())
                        .yaml("f"))
                .contains("# a guess: line 3 has ")
                .doesNotContain("\u2028", "\u0085");
    }
}
