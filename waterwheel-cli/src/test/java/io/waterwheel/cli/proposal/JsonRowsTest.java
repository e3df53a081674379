package io.waterwheel.cli.proposal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.cli.input.LineCheck;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JSON whose rows stand in arrays: each becomes a row, with its values, or the file is refused with what to do. */
class JsonRowsTest {
    private SchemaProposal proposal = proposed("{\"at\":1633608000}\n", FileFacts.NONE);

    private static SchemaProposal proposed(String file, FileFacts facts) {
        try {
            return SchemaProposal.of(
                    "f", Proposals.source("f", file.getBytes(UTF_8)), RecordFormat.JSON, List.of(), null, facts);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static FileFacts rowsAre(String path) {
        FileFacts facts = new FileFacts();
        facts.rows = path;
        return facts;
    }

    /** The rows of a file of one record a line, by the proposal: names and values. */
    private List<String> rows(String file) throws Exception {
        return rows(file, FileFacts.NONE);
    }

    private List<String> rows(String file, FileFacts facts) throws Exception {
        proposal = proposed(file, facts);
        String yaml = proposal.yaml("f");
        Schema schema = SchemaFile.read("f.yaml", yaml).schema();
        LineCheck check = new LineCheck(RecordFormat.JSON, schema);
        List<String> rows = new ArrayList<>();
        for (String line : file.lines().toList()) {
            assertThat(check.refusal(line.getBytes(UTF_8)))
                    .as("%s\n%s", line, yaml)
                    .isNull();
            for (int row = 0; row < check.tuples().size(); row++) {
                rows.add(text(schema, Arrays.asList(check.values(row))));
            }
        }
        return rows;
    }

    private static String text(Schema schema, List<@Nullable Object> values) {
        List<String> said = new ArrayList<>();
        for (int f = 0; f < values.size(); f++) {
            said.add(schema.fields().get(f).name() + "=" + values.get(f));
        }
        return String.join(" ", said);
    }

    @Test
    void elementsOfOneObjectAreRows() throws Exception {
        String all = "{\"status\":\"ok\",\"time\":\"2021-10-07T00:00:00Z\",\"data\":[{\"time\":1633608000000,\"v\":1},"
                + "{\"time\":1633608001000,\"v\":2,\"w\":{\"x\":\"a\"}}]}\n";
        List<String> elements = List.of(
                "status=ok time=1633564800000 data_time=1633608000000 v=1 w_x=null",
                "status=ok time=1633564800000 data_time=1633608001000 v=2 w_x=a");
        // The record has a time, too: it may be a row.
        assertThat(rows(all).get(0)).startsWith("status=ok time=1633564800000 data_0_time=1633608000000 ");
        assertThat(proposal.undecided())
                .containsExactly("what a row is: --rows '$' makes a row of each record, --rows '$.data[*]' one of each"
                        + " element");
        assertThat(proposal.yaml("f")).contains("# To decide: what a row is: --rows '$' makes");
        assertThat(rows(all, rowsAre("$.data[*]"))).isEqualTo(elements);
        assertThat(proposal.undecided()).isEmpty();
        assertThat(proposal.yaml("f"))
                .contains(
                        "# Proposed from all 2 rows of f",
                        "# Each element of $.data is a row, 2 in 1 record, with what stands outside of it\n",
                        "# The time is that of the elements: --time-field time takes that of the record\n",
                        "{name: w_x, type: string, nullable: true, from: '$.data[*].w.x'}   # 1 have none",
                        "time: data_time\n");
        String alone = all.replace("\"time\":\"2021-10-07T00:00:00Z\",", "");
        assertThat(rows(alone))
                .containsExactly("status=ok time=1633608000000 v=1 w_x=null", "status=ok time=1633608001000 v=2 w_x=a");
        assertThat(proposal.undecided()).isEmpty();
        assertThat(proposal.yaml("f"))
                .contains("with what stands outside of it: --rows $ makes one row of each record");
        assertThat(rows(all, rowsAre("$")).get(0))
                .startsWith("status=ok time=1633564800000 data_0_time=1633608000000 ");
        assertThat(proposal.undecided()).isEmpty();
        assertThat(rows("{\"a b\":{\"list\":[{\"day\":\"2021-10-07\",\"time\":\"14:30\"}]}}\n"))
                .containsExactly("day_time=1633617000000");
    }

    /** Rows where only elements have a time, a question where records have one, too. */
    /** Seconds may be something else; a time in an array that most records have empty is not sure to be it either. */
    @Test
    void aCountThatMayBeATimeAsksToo() throws Exception {
        String records = "{\"t\":1633608000,\"s\":\"a\",\"alarms\":[]}\n".repeat(9)
                + "{\"t\":1633608001,\"s\":\"b\",\"alarms\":[{\"at\":\"2021-10-07T00:00:00Z\",\"code\":1}]}\n";
        assertThat(rows(records)).hasSize(10);
        assertThat(proposal.undecided())
                .containsExactly(
                        "what a row is: --rows '$' makes a row of each record, --rows '$.alarms[*]' one of each"
                                + " element");
        assertThat(rows(records, rowsAre("$"))).hasSize(10);
        assertThat(proposal.yaml("f")).contains("time: t\n");
        assertThat(rows(records, rowsAre("$.alarms[*]"))).hasSize(1);
    }

    @Test
    void elementsOfManyRecords() throws Exception {
        String times = "{\"k\":\"a\",\"r\":[{\"at\":1633608000000,\"v\":1},{\"at\":1633608001000,\"v\":2}]}\n";
        assertThat(rows(times + times.replace("\"a\"", "\"b\"")))
                .containsExactly(
                        "k=a at=1633608000000 v=1",
                        "k=a at=1633608001000 v=2",
                        "k=b at=1633608000000 v=1",
                        "k=b at=1633608001000 v=2");
        assertThat(proposal.undecided()).isEmpty();
        String ask = "what a row is: --rows '$' makes a row of each record, --rows '$.r[*]' one of each element";
        String asked = "{\"sent\":1633608000000,\"r\":[{\"n\":1,\"v\":1},{\"n\":2,\"v\":2}]}\n";
        assertThat(rows(asked + asked)).hasSize(2);
        assertThat(proposal.undecided()).containsExactly(ask);
        assertThat(rows(asked + asked, rowsAre("$['r'][*]"))).hasSize(4);
        assertThat(proposal.undecided()).isEmpty();
        assertThat(rows(asked + asked, rowsAre("$"))).hasSize(2);
        assertThat(proposal.undecided()).isEmpty();
        // In one record of many, and behind empty arrays.
        String empty = "{\"sent\":1633608000000,\"r\":[]}\n";
        assertThat(rows(empty + asked)).hasSize(2);
        assertThat(proposal.undecided()).containsExactly(ask);
        assertThat(rows(empty + empty)).hasSize(2);
        assertThat(proposal.undecided()).isEmpty();
        assertThat(proposed(times.repeat(50) + asked, FileFacts.NONE).undecided())
                .containsExactly(ask);
        assertThat(proposed(times.repeat(2), FileFacts.NONE).undecided()).isEmpty();
        // A number of ten digits need not be a time.
        String phone = times.replace("{\"k\"", "{\"phone\":1633608000,\"k\"");
        assertThat(rows(phone + phone)).hasSize(4);
        assertThat(proposal.undecided()).isEmpty();
        // Times of elements, and of none: a time that is not sure is one where there is no other.
        String unsure = "{\"t\":1633608000,\"r\":[{\"v\":1}]}\n";
        assertThat(rows(unsure)).hasSize(1);
        assertThat(proposal.undecided()).containsExactly(ask);
    }

    /** What was guessed once, and wrong: a time of goods, one array of two, a sample of one record. */
    @Test
    void whatMayBeOtherwiseIsAsked() throws Exception {
        String goods =
                "{\"time\":1633608000000,\"items\":[{\"sku\":\"a\",\"product_created\":\"2019-01-02T00:00:00Z\"},"
                        + "{\"sku\":\"b\",\"product_created\":\"2018-01-02T00:00:00Z\"}]}\n";
        assertThat(rows(goods.repeat(3))).hasSize(3);
        assertThat(proposal.yaml("f")).contains("time: time\n");
        assertThat(proposal.undecided()).hasSize(1);
        String at = "{\"at\":1633608000000,\"v\":1},".repeat(50);
        String two = "{\"station\":\"a\",\"temps\":[" + at.substring(0, at.length() - 1) + "],\"winds\":["
                + at.substring(0, at.length() / 2 - 1).replace("\"v\"", "\"w\"") + "]}\n";
        for (String file : List.of(two, two.repeat(3))) {
            assertThat(proposed(file, FileFacts.NONE).undecided())
                    .containsExactly("what a row is: --rows '$' makes a row of each record, --rows '$.temps[*]' or"
                            + " --rows '$.winds[*]' one of each element");
            assertThat(proposed(file, rowsAre("$.winds[*]")).undecided()).isEmpty();
        }
        // The larger array has no times.
        String tags = "{\"tags\":[{\"k\":1},{\"k\":2},{\"k\":3}],\"r\":[{\"at\":1633608000000}]}\n";
        assertThat(rows(tags)).hasSize(1);
        assertThat(proposal.yaml("f")).contains("from: '$.r[*].at'");
        assertThat(proposal.undecided()).hasSize(1);
        String sample = "{\"time\":1633608000000,\"dev\":\"a\",\"temp\":1.5,\"tags\":[{\"k\":\"x\"},{\"k\":\"y\"}]}\n";
        assertThat(rows(sample)).hasSize(1);
        assertThat(proposal.undecided()).hasSize(1);
        // Times that stand in arrays are not that of the record.
        String span = "{\"r\":[{\"at\":1633608000000}],\"span\":[{\"x\":1}],\"ts\":[1633608000000,1633608000001]}\n";
        assertThat(proposed(span, rowsAre("$.r[*]")).yaml("f")).doesNotContain("takes that of the record");
    }

    /**
     * Files behind the first, and rows behind the first: what they have is asked, too, and empty arrays are counted.
     */
    @Test
    void laterFilesAreAsked(@TempDir Path folder) throws Exception {
        String empty = "{\"status\":\"ok\",\"time\":1633608000000,\"data\":[]}\n";
        String full = empty.replace("[]", "[" + "{\"at\":1633608000000,\"v\":1},".repeat(49) + "{\"v\":2}]");
        String yaml = ProposalCheckTest.learnt(folder, empty, full);
        assertThat(yaml)
                .contains("# To decide: what a row is: --rows '$' makes a row of each record, --rows '$.data[*]'");
        String times = "{\"k\":\"a\",\"r\":[{\"at\":1633608000000,\"v\":1}]}\n";
        assertThat(ProposalCheckTest.learnt(folder, times, times + "{\"time\":1633608000000,\"k\":\"a\",\"r\":[]}\n"))
                .contains("# To decide: what a row is");
        assertThat(ProposalCheckTest.learnt(folder, times, times)).doesNotContain("To decide");
    }

    @Test
    void whatNoPathCanNameIsRefused() throws Exception {
        assertThatThrownBy(() -> proposed("{\"t\":1633608000,\"s\":[[\"a\",1.5],[\"b\",2]]}\n", FileFacts.NONE))
                .hasMessage("f is one object, and its rows are arrays without names, the elements of $.s, as it seems:"
                        + " write each as an object on a line of its own, as jq -c '.s[] | {a: .[0], b: .[1]}' does,"
                        + " with names for all values; or make one row of it by --rows '$'");
        assertThatThrownBy(() -> proposed(
                        "{\"columns\":[\"t\",\"v\"],\"index\":[0,1,2],\"data\":[[1,2],[3,4],[5,6]]}\n", FileFacts.NONE))
                .hasMessageEndingWith(
                        "; or by to_json(FILE, orient='records', lines=True) of pandas; or make one row of it"
                                + " by --rows '$'");
        String numbered =
                "f is one object with members for the numbers of rows, as to_json() of pandas writes it: write"
                        + " each row as an object on a line of its own, by to_json(FILE, orient='records', lines=True) or by"
                        + " jq -c '";
        assertThatThrownBy(() -> proposed(
                        "{\"t\":{\"0\":1633608000,\"1\":1633608001},\"v\":{\"0\":1,\"1\":2}}\n", FileFacts.NONE))
                .hasMessage(
                        numbered
                                + ". as $all | .t | keys_unsorted[] as $n | $all | map_values(.[$n])'; or make one row of it by --rows '$'");
        assertThatThrownBy(() -> proposed(
                        "{\"0\":{\"t\":1633608000,\"v\":1},\"1\":{\"t\":1633608001,\"v\":2}}\n", FileFacts.NONE))
                .hasMessage(numbered + ".[]'; or make one row of it by --rows '$'");
        String many = "{\"t\":1633608000,\"s\":[" + "{\"v\":1},".repeat(10_000) + "{\"v\":1}]}\n";
        assertThatThrownBy(() -> proposed(many, FileFacts.NONE))
                .hasMessage("f: $.s has 10001 elements, and one object becomes at most 10000 rows. Write each as a line"
                        + " of its own, as jq -c '.s[]' does; or make one row of it by --rows '$'");
        assertThatThrownBy(() -> proposed("{\"t\":1633608000}\n", rowsAre("$.s[*]")))
                .hasMessage("--rows $.s[*]: f has no elements there");
        // What is said is done, though it looks otherwise.
        for (String one : List.of(
                "{\"t\":1633608000,\"s\":[[\"a\",1.5],[\"b\",2]]}\n",
                "{\"0\":{\"time\":1633608000,\"v\":1},\"1\":{\"time\":1633608001,\"v\":2}}\n",
                "{\"type\":\"FeatureCollection\",\"t\":1633608000,\"features\":[{\"v\":1}]}\n")) {
            assertThat(proposed(one, rowsAre("$")).yaml("f")).contains("from the one row of ");
        }
        String map =
                "{\"type\":\"FeatureCollection\",\"features\":[{\"time\":1633608000000},{\"time\":1633608000001}]}\n";
        assertThat(rows(map, rowsAre("$.features[*]"))).hasSize(2);
        // A path has 16 steps: an array whose elements have none is no array of rows.
        for (int steps : List.of(13, 14, 15)) {
            String deep = "{\"time\":1633608000000,\"a\":" + "{\"a\":".repeat(steps - 1) + "[{\"v\":1}]"
                    + "}".repeat(steps) + "\n";
            assertThat(proposed(deep, FileFacts.NONE).undecided()).hasSize(steps <= 14 ? 1 : 0);
        }
        for (String path : List.of("$.s", "$[*]", "$.s[*].v", "s", "$.s[0].v[*]")) {
            assertThatThrownBy(() -> proposed("{\"t\":1633608000}\n", rowsAre(path)))
                    .hasMessage("--rows: expected $, or an array such as $.readings[*], got '" + path + "'");
        }
    }

    /** Bytes that only a damaged text of UTF-8 has are no text of Windows-1252. */
    @Test
    void overlongFormsAreRefused() throws Exception {
        for (String odd : List.of("\u00C0\u00AF", "\u00C0\u0080", "\u00E0\u0080\u00AF", "\u00F0\u0082\u0082\u00AC")) {
            byte[] file =
                    ("{\"t\":1633608000,\"k\":\"a\"}\n{\"t\":1633608001,\"k\":\"" + odd + "\"}\n").getBytes(ISO_8859_1);
            assertThatThrownBy(() -> proposed(file, null))
                    .hasMessageContaining("f: line 2 is no UTF-8, which JSON is written in: ")
                    .hasMessageContaining("begins a character of too many bytes")
                    .hasMessageContaining("Write it anew as UTF-8, or name its encoding by --encoding")
                    .hasMessageNotContaining("windows-1252");
            assertThat(proposed(file, FileEncoding.LATIN_1).yaml("f")).contains("name: k");
        }
        // Text of other encodings has such bytes, and others that are no UTF-8.
        for (List<String> other : List.of(
                List.of("\u00AB VOIL\u00C0\u00BB", "windows-1252"),
                List.of("\u0410\u0411\u0490 \u0434\u0430", "windows-1251"),
                List.of("\u044E\u2584 \u0434\u0430", "koi8-r"),
                List.of("\u6765\u81EA", "gbk"))) {
            byte[] text =
                    ("{\"t\":1633608000,\"k\":\"" + other.get(0) + "\"}\n").getBytes(Charset.forName(other.get(1)));
            assertThat(proposed(text, null).yaml("f")).as(other.get(1)).contains("name: k");
        }
        // So has another line of the file.
        byte[] lines = "{\"t\":1633608000,\"k\":\"VOIL\u00C0\u00BB\"}\n{\"t\":1633608000,\"k\":\"\u00E9t\u00E9\"}\n"
                .getBytes(ISO_8859_1);
        assertThat(proposed(lines, null).yaml("f")).contains("# The file is in windows-1252, as it seems");
        byte[] western = "{\"t\":1633608000,\"k\":\"caf\u00E9 \u00E0 \u00C0\"}\n".getBytes(ISO_8859_1);
        assertThat(proposed(western, null).yaml("f")).contains("# The file is in windows-1252, as it seems");
    }

    private static SchemaProposal proposed(byte[] file, @Nullable FileEncoding encoding) throws IOException {
        return SchemaProposal.of(
                "f", Proposals.source("f", file), RecordFormat.JSON, List.of(), encoding, FileFacts.NONE);
    }

    /** Random records with arrays: the rows are the elements, with all that is in them and around them. */
    @Test
    void randomArraysAreTakenWhole() throws Exception {
        long seed = Long.getLong("seed", 1);
        for (int round = 0; round < 60; round++) {
            Random random = new Random(seed + round);
            StringBuilder file = new StringBuilder();
            List<String> expected = new ArrayList<>();
            int longest = 1 + random.nextInt(12);
            boolean some = random.nextBoolean();
            for (int r = 0; r < 30; r++) {
                String outer = "d" + random.nextInt(5);
                List<String> elements = new ArrayList<>();
                int length = r == 0 ? longest : r == 1 ? longest - 1 : random.nextInt(longest + 1);
                for (int e = 0; e < length; e++) {
                    long at = 1_633_608_000_000L + random.nextInt(1_000_000);
                    int v = random.nextInt(100) - 50;
                    boolean has = !some || random.nextBoolean() || (r == 0 && e == 0);
                    elements.add(
                            "{\"at\":" + at + ",\"in\":{\"v\":" + v + "}" + (has ? ",\"s\":\"x" + v + "\"" : "") + "}");
                    expected.add(
                            "dev=" + outer + " at=" + at + " in_v=" + v + " s=" + (has ? "x" + v : null) + " n=" + r);
                }
                file.append("{\"dev\":\"")
                        .append(outer)
                        .append("\",\"rs\":[")
                        .append(String.join(",", elements))
                        .append("],\"n\":")
                        .append(r)
                        .append("}\n");
            }
            assertThat(rows(file.toString())).as("seed %s", seed + round).containsExactlyElementsOf(expected);
            assertThat(proposal.undecided()).isEmpty();
        }
    }
}
