package io.waterwheel.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import java.util.List;
import java.util.Map;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import org.junit.jupiter.api.Test;

/** What may come next. */
final class StatementCompleterTest {
    private static Schema schema(String value) {
        return new Schema(
                List.of(
                        new Field("id", FieldType.LONG, false),
                        new Field("at", FieldType.TIMESTAMP, false),
                        new Field(value, FieldType.DOUBLE, true)),
                new KeySpec.Ordered("id"),
                "at");
    }

    private static final StatementCompleter COMPLETER =
            new StatementCompleter(() -> Map.of("orders", schema("price"), "visits", schema("weight")));

    private static List<String> after(String line) {
        ParsedLine parsed = new StatementParser().parse(line, line.length(), Parser.ParseContext.COMPLETE);
        return COMPLETER.candidates(parsed.words());
    }

    @Test
    void offersWordsStreamsAndFields() {
        assertThat(after("sel")).contains("select").doesNotContain("SELECT");
        assertThat(after("SELECT ")).contains("FROM", "orders", "visits", "price", "weight", "id");
        assertThat(after("SELECT id FROM Visits WHERE w"))
                .contains("weight", "where")
                .doesNotContain("price");
        assertThat(after("SELECT v.w")).contains("weight");
    }

    @Test
    void offersWhatTheShellTakes() {
        assertThat(after("\\")).containsExactlyElementsOf(SqlShell.COMMANDS);
        assertThat(after("\\d ")).containsExactlyInAnyOrder("orders", "visits");
        assertThat(after("\\format ")).containsExactly("text", "csv", "json");
        assertThat(after("\\timing ")).isEmpty();
    }

    @Test
    void offersWordsWhileTheServerIsAway() {
        StatementCompleter away = new StatementCompleter(() -> {
            throw new WaterwheelException(ErrorCode.NO_COORDINATOR, "no coordinator answers");
        });
        assertThat(away.candidates(List.of("SEL"))).contains("SELECT");
    }
}
