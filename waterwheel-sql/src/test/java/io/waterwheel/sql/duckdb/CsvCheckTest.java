package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class CsvCheckTest {
    private static @Nullable String problem(String text) throws IOException {
        return problem(text.getBytes(StandardCharsets.UTF_8));
    }

    private static @Nullable String problem(byte[] bytes) throws IOException {
        return CsvCheck.problem(new ByteArrayInputStream(bytes), () -> false);
    }

    @Test
    void takesRowsOfOneWidth() throws Exception {
        for (String text : new String[] {
            "k,n\n1,a\n2,b\n",
            "k,n",
            "k\n1\n2",
            "k,n\r\n1,a\r\n\r\n2,b",
            "k,n\r1,a\r2,b\r",
            "\uFEFFk,n\n1,\u00e9\n",
            "# a note, of two, commas\n\nk,n\n1,a\n",
            "k,n\n1,\"a, b\nand \"\"c\"\", d\"\n2,\"\"\n",
            "\"k, or so\",n\n1, \"a,b\"\n",
            "k,n\n1,6\" pipe\n",
            "k,n\n#2,b\n3,c#7\n",
            "tag,note\n#one,\"first\nsecond, third, x\"\n#two,b\n",
            "k,n\n1,\n,\n"
        }) {
            assertThat(problem(text)).as(text).isNull();
        }
    }

    @Test
    void namesTheLineThatIsWrong() throws Exception {
        assertThat(problem("k,n\n1,a\n2\n3,c,d\n")).isEqualTo("line 3 has 1 value, expected 2 as in the line of names");
        assertThat(problem("k,n\n1,a\n# end, of, all\n")).startsWith("line 3 has 3 values, expected 2");
        assertThat(problem("k,n\n1,\"a\nb\"\n\n3,c,d\n")).startsWith("line 5 has 3 values, expected 2");
        assertThat(problem("k,n\n1,\"a\nb\nc")).isEqualTo("a quote begins in the row of line 2 and does not end");
        assertThat(problem("name;kind\na;b\n")).contains("no commas, but semicolons");
        assertThat(problem("name\tkind\na\tb\n")).contains("no commas, but tabs");
        assertThat(problem("")).contains("it is empty");
        assertThat(problem("\n\n")).contains("it is empty");
        assertThat(problem("k,n\n1,caf\u00e9\n".getBytes(StandardCharsets.ISO_8859_1)))
                .startsWith("line 2 is no UTF-8");
        assertThat(problem("k\n" + "a".repeat(10_000_001))).startsWith("line 2 has more than");
    }

    @Test
    void stopsWhenItIsTold() throws Exception {
        int[] asked = {0};
        String unused = CsvCheck.problem(
                new ByteArrayInputStream("k\n1\n2\n3\n".getBytes(StandardCharsets.UTF_8)), () -> ++asked[0] > 2);
        assertThat(asked[0]).isEqualTo(3);
    }
}
