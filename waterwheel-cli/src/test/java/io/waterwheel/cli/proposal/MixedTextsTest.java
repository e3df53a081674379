package io.waterwheel.cli.proposal;

import static io.waterwheel.cli.proposal.ForeignFilesTest.taken;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.schema.RecordFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Columns that are texts because of a few values: a remark says which, and what a person may do. */
class MixedTextsTest {
    /** One word makes a text of numbers, however few there are. */
    @Test
    void fewNumbersAndAWord() throws Exception {
        for (String word : List.of("err", "missing", "NAN", "<1")) {
            String yaml = taken(column("1.5", "2", word, "4")).yaml();
            assertThat(yaml)
                    .contains("{name: v, type: string}   # 3 of 4 are numbers; others: " + word
                            + " (line 4): --null takes a word for nothing");
        }
        // More than half, at least three; digits that are names are no numbers.
        assertThat(taken(column("1", "2", "3", "a", "b", "c")).yaml()).contains("{name: v, type: string}\n");
        assertThat(taken("t,v\n" + "2021-10-01,1\n2021-10-02,x\n".repeat(10)).yaml())
                .contains("# 10 of 20 are numbers; others: x (line 3)");
        assertThat(taken(column("1", "2", "a")).yaml()).contains("{name: v, type: string}\n");
        assertThat(taken(column("1", "2", "3", "b1", "b2")).yaml())
                .contains("# 3 of 5 are numbers; others: b1 (line 5), b2 (line 6)");
        assertThat(taken(column("10117", "20095", "80331", "01067")).yaml())
                .contains("{name: v, type: string}   # digits that a number would not keep: 01067 (line 5)");
        String json = "{'t':'2021-10-01','v':'1'}\n{'t':'2021-10-02','v':'2'}\n".replace('\'', '"');
        assertThat(taken((json + json.replace("10-0", "11-0")).getBytes(UTF_8), RecordFormat.JSON, FileFacts.NONE)
                        .yaml())
                .contains("{name: v, type: string}\n");
    }

    @Test
    void signsThatNumbersHaveElsewhere() throws Exception {
        assertThat(taken(column("\u22121.5", "\u22122", "3")).yaml())
                .contains("# 2 of 3 are numbers with U+2212 for a minus: they need a - there");
        String spaces = column("123 456", "1 234 567", "12");
        assertThat(taken(spaces).yaml())
                .contains(
                        "# 2 of 3 are numbers with spaces between thousands, as it seems: --thousands ' ' takes them");
        FileFacts facts = new FileFacts();
        facts.thousands = ' ';
        assertThat(taken(spaces.getBytes(UTF_8), RecordFormat.CSV, facts).column("v"))
                .containsExactly(123456, 1234567, 12);
    }

    /** Texts that are mostly numbers are measured, not asked for: others come before them as the key. */
    @Test
    void textsOfNumbersAreNoKeys() throws Exception {
        assertThat(taken("t,v,place\n2021-10-01,1,x\n2021-10-02,2,y\n2021-10-03,err,x\n2021-10-04,4,y\n")
                        .yaml())
                .contains("key: {field: place}   # a guess: what will you ask for ranges of? Or: v\n");
        assertThat(taken("t,v,n\n2021-10-01,1,1\n2021-10-02,2,2\n2021-10-03,err,3\n2021-10-04,4,4\n")
                        .yaml())
                .contains("key: {field: n}");
        assertThat(taken("t,code,place\n2021-10-01,1,x\n2021-10-02,2,y\n2021-10-03,A3,x\n2021-10-04,4,y\n")
                        .yaml())
                .contains("key: {field: code}");
        // Labels with digits are labels, and spaces do not make a number a measure.
        assertThat(taken("t,route,speed\n2021-10-01,10,30\n2021-10-02,11,31\n2021-10-03,M4,32\n2021-10-04,12,33\n")
                        .yaml())
                .contains("key: {field: route}");
        assertThat(taken("t,tel,v\n2021-10-01,170 123 456,1\n2021-10-02,170 123 457,2\n2021-10-03,170 123 458,3\n")
                        .yaml())
                .contains("key: {field: tel}");
    }

    /** Known words for nothing are texts among texts, unless a person says what they are. */
    @Test
    void wordsForNothingAmongTexts() throws Exception {
        String file = column("OK", "NULL", "NA", "OK");
        assertThat(taken(file).yaml())
                .contains(
                        "{name: v, type: string}   # 2 are NA or NULL, texts here: --null NA,NULL takes them for nothing\n");
        FileFacts facts = new FileFacts();
        facts.nulls = List.of("NA", "NULL");
        assertThat(taken(file.getBytes(UTF_8), RecordFormat.CSV, facts).column("v"))
                .containsExactly("OK", null, null, "OK");
        assertThat(taken(column("OK", "\"NULL\"")).yaml()).contains("{name: v, type: string}\n");
        // Where another column has it, it is said already that it stands for nothing.
        assertThat(taken("t,v,n\n2021-10-01,OK,NULL\n2021-10-02,NULL,1\n").yaml())
                .contains("NULL stands for nothing here too")
                .doesNotContain("text here", "texts here");
        // An option cannot have the value --.
        assertThat(taken(column("OK", "--", "OK")).yaml()).contains("# 1 is --, a text here\n");
        assertThat(taken(column("OK", "--", "NA")).yaml())
                .contains("# 2 are -- or NA, texts here: --null NA takes them for nothing\n");
    }

    private static String column(String... values) {
        StringBuilder file = new StringBuilder("t,v\n");
        for (int row = 0; row < values.length; row++) {
            file.append("2021-10-0")
                    .append(row + 1)
                    .append(',')
                    .append(values[row])
                    .append('\n');
        }
        return file.toString();
    }
}
