package io.waterwheel.cli.proposal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.cli.input.AppendProgress;
import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProposalCheckTest {
    @TempDir
    Path folder;

    private static ProposalCheck.Outcome checked(List<InputSource> files, SchemaProposal proposal) throws Exception {
        PrintStream nothing = new PrintStream(OutputStream.nullOutputStream());
        AppendProgress progress = new AppendProgress(
                new Terminal(InputStream.nullInputStream(), nothing, nothing, false), "rows", () -> 0, -1);
        return ProposalCheck.of(files, proposal, schema(proposal), progress);
    }

    private static Schema schema(SchemaProposal proposal) {
        return SchemaFile.read("f.yaml", proposal.yaml("f")).schema();
    }

    /** The proposal of two files of JSON lines, when the rows of both have been looked at. */
    static String learnt(Path folder, String first, String second) throws Exception {
        List<InputSource> files = List.of(
                InputSource.of(Files.writeString(folder.resolve("a.json"), first)),
                InputSource.of(Files.writeString(folder.resolve("b.json"), second)));
        SchemaProposal proposal = Proposals.of("f", files.get(0), RecordFormat.JSON, List.of(), null);
        proposal.lookAt(checked(files, proposal).examples());
        return proposal.yaml("f");
    }

    /** Records whose array is empty become no row, where elements are rows. */
    @Test
    void recordsWithoutElementsAreCounted() throws Exception {
        String text = "{\"r\":[]}\n".repeat(97) + "{\"r\":[{\"at\":1633608000000},{\"at\":1633608000001}]}\n".repeat(3);
        InputSource file = InputSource.of(Files.writeString(folder.resolve("f.json"), text));
        SchemaProposal proposal = Proposals.of("f", file, RecordFormat.JSON, List.of(), null);
        ProposalCheck.Outcome outcome = checked(List.of(file), proposal);
        assertThat(outcome.rows()).isEqualTo(100);
        assertThat(outcome.tuples()).isEqualTo(6);
        assertThat(outcome.without()).isEqualTo(97);
        assertThat(outcome.misfits()).isZero();
    }

    /** Of a long file the first rows say that a column is of numbers; a later row knows better. */
    @Test
    void rowsBehindTheFirstCorrectTheProposal() throws Exception {
        StringBuilder text = new StringBuilder("at,id,x,wide,gap\n");
        for (int i = 0; i < 100_050; i++) {
            text.append(1_633_608_000L + i)
                    .append(',')
                    .append(i == 100_010 ? "n-7" : i)
                    .append(',')
                    .append(i % 5)
                    .append(',')
                    .append(i == 100_020 ? 1L << 40 : 1)
                    .append(i > 100_029 ? ",\n" : ",1\n");
        }
        InputSource file = InputSource.of(Files.writeString(folder.resolve("long.csv"), text));
        SchemaProposal proposal = Proposals.of("long.csv", file, RecordFormat.CSV, List.of(), null);
        assertThat(proposal.isOfAll()).isFalse();
        ProposalCheck.Outcome first = checked(List.of(file), proposal);
        assertThat(first.misfits()).isEqualTo(1);
        assertThat(first.first()).endsWith("long.csv, line 100012: id: expected a whole number of 64 bits, got 'n-7'");
        assertThat(proposal.lookAt(first.examples())).isTrue();
        assertThat(proposal.lookAt(first.examples())).isFalse();
        ProposalCheck.Outcome second = checked(List.of(file), proposal);
        assertThat(second.misfits()).isZero();
        assertThat(second.rows()).isEqualTo(100_050);
        assertThat(second.all()).isTrue();
        assertThat(schema(proposal).fields().get(1).type().schemaName()).isEqualTo("string");
        // What was not looked at may be anything, until it was.
        assertThat(fields(proposal)).containsExactly("at timestamp", "id string", "x long?", "wide long?", "gap long?");
        proposal.knows(second);
        assertThat(fields(proposal)).containsExactly("at timestamp", "id string", "x int", "wide long", "gap int?");
        assertThat(proposal.yaml("f"))
                .contains("# 20 of all rows hold nothing")
                .doesNotContain("'nullable: true' away");
        assertThat(Alternatives.takeAll(proposal.yaml("f"), text.toString(), RecordFormat.CSV, List.of()))
                .isEqualTo(1);
        assertThat(checked(List.of(file), proposal).misfits()).isZero();
        assertThat(proposal.lookAt(Map.of())).isFalse();
        assertThat(fields(proposal)).contains("x long?");
    }

    /** Rows that were looked at and will be rejected teach nothing, however many they are; a later row does. */
    @Test
    void rowsThatWereLookedAtAreNoExamples() throws Exception {
        StringBuilder text = new StringBuilder("at,id,x\n");
        for (int i = 1; i <= 100_020; i++) {
            text.append(1_633_608_000L + i)
                    .append(',')
                    .append(i == 100_010 ? "n-7" : i == 100_008 ? "08" : i)
                    .append(
                            i <= 2_200 && i % 2 == 0
                                    ? ",1,uneven\n"
                                    : i == 100_008 ? ",x\n" : i == 100_012 ? ",012\n" : ",1\n");
        }
        InputSource file = InputSource.of(Files.writeString(folder.resolve("long.csv"), text));
        SchemaProposal proposal = Proposals.of("long.csv", file, RecordFormat.CSV, List.of(), null);
        ProposalCheck.Outcome first = checked(List.of(file), proposal);
        assertThat(first.misfits()).isEqualTo(1_102);
        assertThat(first.examples()).containsOnlyKeys(100_008L, 100_010L, 100_012L);
        // Of a row that is rejected it is not said that not all is kept.
        assertThat(first.lost()).endsWith("line 100013: x: 012 would be 12 as a number");
        assertThat(proposal.lookAt(first.examples())).isTrue();
        assertThat(checked(List.of(file), proposal).misfits()).isEqualTo(1_100);
        assertThat(fields(proposal)).contains("id string");
    }

    /** Each file of a logger has units behind its names: they make no texts of numbers, whichever file they are in. */
    @Test
    void unitsOfFurtherFilesTeachNothing() throws Exception {
        List<InputSource> files = new ArrayList<>();
        for (String day : List.of("2024-01-01", "2024-01-02")) {
            StringBuilder text = new StringBuilder("time,temp\ns,degC\n");
            for (int minute = 10; minute < 40; minute++) {
                text.append(day).append(" 00:").append(minute).append(",1.5\n");
            }
            files.add(InputSource.of(Files.writeString(folder.resolve(day + ".csv"), text)));
        }
        SchemaProposal proposal = Proposals.of("logger", files.get(0), RecordFormat.CSV, List.of(), null);
        ProposalCheck.Outcome outcome = checked(files, proposal);
        assertThat(outcome.rows()).isEqualTo(62);
        assertThat(outcome.misfits()).isEqualTo(2);
        assertThat(proposal.lookAt(outcome.examples())).isFalse();
        assertThat(fields(proposal)).containsExactly("time timestamp", "temp double");
    }

    /** A line that is no text has its number, and is never an example. */
    @Test
    void damagedLinesAreCounted() throws Exception {
        StringBuilder text = new StringBuilder("at,id,town\n");
        for (int i = 1; i <= 100_020; i++) {
            text.append(1_633_608_000L + i)
                    .append(',')
                    .append(i == 90 ? "n-90" : i == 100_006 ? "n-7" : i)
                    .append(i == 7 || i == 20 || i == 100_010 ? ",Z\u00ff\n" : ",Z\u00fcrich\n");
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        for (int at = 0; at < bytes.length - 1; at++) {
            // Of a letter of two bytes the second is lost.
            bytes[at + 1] = bytes[at] == (byte) 0xC3 && bytes[at + 1] == (byte) 0xBF ? (byte) '?' : bytes[at + 1];
        }
        InputSource file = InputSource.of(Files.write(folder.resolve("damaged.csv"), bytes));
        SchemaProposal proposal = Proposals.of("damaged.csv", file, RecordFormat.CSV, List.of(), null);
        assertThat(proposal.yaml("f")).contains("others: n-90 (line 91)");
        ProposalCheck.Outcome outcome = checked(List.of(file), proposal);
        assertThat(outcome.misfits()).isEqualTo(3);
        assertThat(outcome.examples()).isEmpty();
    }

    private static List<String> fields(SchemaProposal proposal) {
        return schema(proposal).fields().stream()
                .map(field -> field.name() + " " + field.type().schemaName() + (field.nullable() ? "?" : ""))
                .toList();
    }

    @Test
    void filesOfAFolderMustBeAlike() throws Exception {
        InputSource a = InputSource.of(Files.writeString(folder.resolve("a.csv"), "at,x\n2021-10-07,1\n"));
        InputSource b =
                InputSource.of(Files.writeString(folder.resolve("b.csv"), "x,at\n7,2021-10-08\n8,2021-10-09\n"));
        InputSource c = InputSource.of(Files.writeString(folder.resolve("c.csv"), "at,y\n2021-10-07,1\n"));
        SchemaProposal proposal = Proposals.of("a.csv", a, RecordFormat.CSV, List.of(), null);
        assertThat(checked(List.of(a, b), proposal).misfits()).isZero();
        // What another file has is said to be there.
        InputSource d =
                InputSource.of(Files.writeString(folder.resolve("d.csv"), "at,x\n" + "2021-10-07,1\n".repeat(40)));
        InputSource e =
                InputSource.of(Files.writeString(folder.resolve("e.csv"), "at,x\n2021-10-07,1\n2021-10-07,soon\n"));
        SchemaProposal ofMore = Proposals.of("d.csv", d, RecordFormat.CSV, List.of(), null);
        assertThat(ofMore.lookAt(checked(List.of(d, e), ofMore).examples())).isTrue();
        assertThat(ofMore.yaml("d")).contains("# 40 of 41 are numbers; others: soon (" + e.name() + ", line 3)");
        Files.delete(Path.of(d.name()));
        Files.delete(Path.of(e.name()));
        assertThatThrownBy(() -> checked(List.of(a, b, c), proposal))
                .hasMessageContaining("c.csv: the first line names 'y', which is no field");
        Files.writeString(folder.resolve("notes.doc"), "x");
        assertThat(InputSource.named(folder.toString(), InputStream.nullInputStream()))
                .extracting(source -> Path.of(source.name()).getFileName().toString())
                .containsExactly("a.csv", "b.csv", "c.csv");
    }
}
