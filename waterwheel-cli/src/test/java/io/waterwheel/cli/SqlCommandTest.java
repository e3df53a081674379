package io.waterwheel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.FakeServer;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.CallStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Statements from standard input. */
@Timeout(300)
final class SqlCommandTest {
    @Test
    void stopsAtTheFirstErrorAndSaysItsLine() throws Exception {
        List<FakeServer> started = new java.util.ArrayList<>();
        try (FakeServer server = FakeServer.answering((query, answer) -> {
            List<Statement> asked = started.get(0).statements;
            if (asked.get(asked.size() - 1).sql().contains("nope")) {
                answer.fail(FakeServer.failure(
                        CallStatus.INVALID_ARGUMENT,
                        new WaterwheelException(
                                ErrorCode.NO_SUCH_FIELD, "statement, line 1, column 8: there is no column 'nope'")));
                return;
            }
            answer.whole(
                    List.of(new Field("n", FieldType.LONG, false)),
                    List.<Object[]>of(new Object[] {7L}),
                    new Verdict(true, List.of(), Map.of(), 0, 1, 0, 0));
        })) {
            started.add(server);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            String text = "-- a file\nSELECT 1;\nSELECT\n  2; SELECT nope FROM s;\nSELECT 3;\n";
            int code = Cli.run(
                    new String[] {"sql", "--server", server.url(), "--format", "csv"},
                    new Terminal(
                            new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                            new PrintStream(out, true, StandardCharsets.UTF_8),
                            new PrintStream(err, true, StandardCharsets.UTF_8),
                            true,
                            true),
                    Map.of());
            assertThat(code).isEqualTo(1);
            assertThat(server.statements)
                    .extracting(Statement::sql)
                    .containsExactly("SELECT 1", "SELECT\n  2", "SELECT nope FROM s");
            assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("n\n7\nn\n7\n");
            assertThat(err.toString(StandardCharsets.UTF_8))
                    .contains("line 4, column 13: there is no column 'nope'")
                    .doesNotContain("sql>");
        }
    }

    @Test
    void placesAreThoseOfTheInput() {
        assertThat(SqlCommand.placed("statement, line 3, column 5: what", 10, 7))
                .isEqualTo("line 12, column 5: what");
        assertThat(SqlCommand.placed("statement: what", 10, 7)).isEqualTo("line 10: statement: what");
    }
}
