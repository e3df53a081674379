package io.waterwheel.cli.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class StatementReaderTest {
    private static List<String> read(String text) throws IOException {
        StatementReader reader = new StatementReader(new ByteArrayInputStream(text.getBytes(UTF_8)));
        List<String> read = new ArrayList<>();
        for (String next = reader.next(); next != null; next = reader.next()) {
            read.add(next.strip());
        }
        assertThat(reader.next()).isNull();
        return read;
    }

    @Test
    void endsStatementsAtSemicolons() throws IOException {
        assertThat(read("")).isEmpty();
        assertThat(read("a;b")).containsExactly("a", "b");
        assertThat(read("a; ;; \n ; b\nc;\n")).containsExactly("a", "b\nc");
        assertThat(read("-- first\na; -- done\n/* and out */\n")).containsExactly("a");
    }

    @Test
    void saysWhereStatementsBegin() throws IOException {
        StatementReader reader =
                new StatementReader(new ByteArrayInputStream("a;\n-- no\n  b\n;/* c */ d".getBytes(UTF_8)));
        List<String> begins = new ArrayList<>();
        for (String next = reader.next(); next != null; next = reader.next()) {
            begins.add(next.strip() + " " + reader.line() + ":" + reader.column());
        }
        assertThat(begins).containsExactly("a 1:1", "b 3:3", "d 4:10");
    }

    @Test
    void isWholeUpToItsLastSemicolon() {
        for (String whole : List.of("", " -- nothing\n", "a;", "a; b ; -- done", "a /* ; */;", "';';")) {
            assertThat(StatementReader.isWhole(whole)).as(whole).isTrue();
        }
        for (String open : List.of("a", "a; b", "a -- ;", "';", "a /* ;", "\";")) {
            assertThat(StatementReader.isWhole(open)).as(open).isFalse();
        }
    }

    @Test
    void leavesQuotesAndCommentsWhole() throws IOException {
        assertThat(read("'a;b''c;' ; \"x;y\"")).containsExactly("'a;b''c;'", "\"x;y\"");
        assertThat(read("a -- not; here\nb; c")).containsExactly("a -- not; here\nb", "c");
        assertThat(read("a /* not; \n here; */ b; c")).containsExactly("a /* not; \n here; */ b", "c");
        assertThat(read("'open; \n ;")).containsExactly("'open; \n ;");
    }
}
