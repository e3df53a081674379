package io.waterwheel.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.client.FakeServer;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A command asks the server that its command line names, also where it was foreseen wrongly. */
@Timeout(120)
final class ServerOptionTest {
    private static FakeServer server() throws Exception {
        return FakeServer.answering((query, answer) -> answer.whole(
                List.of(new Field("n", FieldType.LONG, false)),
                List.<Object[]>of(new Object[] {7L}),
                new Verdict(true, List.of(), Map.of(), 0, 1, 0, 0)));
    }

    private static String run(int code, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        assertThat(Cli.run(args, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8)))
                .as("%s", err)
                .isEqualTo(code);
        return out.toString(UTF_8) + err.toString(UTF_8);
    }

    @AfterEach
    void forget() {
        ServerOption.forget();
    }

    @Test
    void theServerThatIsNamedIsAskedWhateverWasForeseen() throws Exception {
        try (FakeServer one = server();
                FakeServer other = server()) {
            String[] first = {"sql", "SELECT 1", "--server", one.url(), "--format", "csv"};
            ServerOption.foresee(first);
            assertThat(run(0, first)).isEqualTo("n\n7\n");
            assertThat(run(0, first)).as("taken once").isEqualTo("n\n7\n");
            assertThat(one.statements).hasSize(2);

            ServerOption.foresee(first);
            assertThat(run(0, "sql", "SELECT 2", "--server=" + other.url(), "--format", "csv"))
                    .isEqualTo("n\n7\n");
            assertThat(one.statements).hasSize(2);
            assertThat(other.statements).hasSize(1);
            ServerOption.forget();

            String[] equals = {"sql", "SELECT 3", "--server=" + other.url(), "--format", "csv"};
            ServerOption.foresee(equals);
            assertThat(run(0, equals)).isEqualTo("n\n7\n");
            assertThat(other.statements).hasSize(2);
        }
    }

    @Test
    void whatFailsIsToldAsIfNothingHadBeenForeseen() {
        for (String place : List.of("--server=grpc://127.0.0.1:1", "--server=nowhere", "--server=a:1,,b:2")) {
            String[] args = {"sql", "SELECT 1", place};
            int code = place.endsWith(":1") ? 1 : 2;
            String plain = run(code, args);
            ServerOption.foresee(args);
            assertThat(run(code, args)).isEqualTo(plain);
        }
    }
}
