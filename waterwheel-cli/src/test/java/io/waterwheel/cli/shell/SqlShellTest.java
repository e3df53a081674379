package io.waterwheel.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.cli.output.RowPrinter;
import io.waterwheel.client.FakeServer;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.Statement;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a person types, on a terminal that JLine makes of two streams. */
@Timeout(300)
final class SqlShellTest {
    private static final char CTRL_C = 3;
    private static final char CTRL_D = 4;

    @TempDir
    Path folder;

    /** A shell beside a server, and the keys that are pressed. */
    private final class Typed implements AutoCloseable {
        private final FakeServer server;
        private final WaterwheelClient client;
        private final PipedOutputStream keys = new PipedOutputStream();
        private final ByteArrayOutputStream echoed = new ByteArrayOutputStream();
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final ByteArrayOutputStream err = new ByteArrayOutputStream();
        private final Terminal terminal;
        private final CompletableFuture<Integer> code;

        Typed(FakeServer.Answers answers) throws IOException {
            server = FakeServer.answering(answers);
            client = WaterwheelClient.connect(server.url());
            terminal = TerminalBuilder.builder()
                    .system(false)
                    .exec(true)
                    .jni(false)
                    .ffm(false)
                    .type("xterm")
                    .streams(new PipedInputStream(keys, 1 << 16), echoed)
                    .build();
            PrintStream printed = new PrintStream(out, true, StandardCharsets.UTF_8);
            SqlShell shell = new SqlShell(
                    client,
                    terminal,
                    printed,
                    new PrintStream(err, true, StandardCharsets.UTF_8),
                    Statement::of,
                    (cursor, format, took) -> RowPrinter.of(format, printed).print(cursor),
                    name -> {
                        if (name.equals("slow_stream")) {
                            printed.println("asked of slow_stream");
                            awaitInterruption();
                        }
                        if (!name.equals("my_stream")) {
                            throw new WaterwheelException(ErrorCode.NO_SUCH_STREAM, "there is no stream " + name);
                        }
                        printed.println("beside " + name);
                    });
            code = CompletableFuture.supplyAsync(() -> shell.run(RowPrinter.Format.CSV, history()));
        }

        Path history() {
            return folder.resolve("history");
        }

        void type(String text) throws IOException {
            keys.write(text.getBytes(StandardCharsets.UTF_8));
            keys.flush();
        }

        String out() {
            return out.toString(StandardCharsets.UTF_8);
        }

        String echoed() {
            return echoed.toString(StandardCharsets.UTF_8);
        }

        int prompts() {
            return echoed().split("sql> ", -1).length;
        }

        String err() {
            return err.toString(StandardCharsets.UTF_8);
        }

        void awaitOut(String text) {
            Waiting.until("the shell prints " + text + ", it has printed " + out() + err(), () -> out().contains(text));
        }

        void awaitErr(String text) {
            Waiting.until("the shell says " + text, () -> err().contains(text));
        }

        @Override
        public void close() throws Exception {
            keys.close();
            terminal.close();
            client.close();
            server.close();
        }
    }

    private static void awaitInterruption() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            throw new WaterwheelException(ErrorCode.CANCELLED, "interrupted", e);
        }
    }

    private static void one(Query query, FakeServer.Answer answer) {
        answer.whole(
                List.of(new Field("n", FieldType.LONG, false)),
                List.<Object[]>of(new Object[] {7L}),
                new Verdict(true, List.of(), Map.of(), 0, 1, 0, 0));
    }

    @Test
    void takesStatementsOverSeveralLines() throws Exception {
        try (Typed typed = new Typed(SqlShellTest::one)) {
            typed.type("SELECT 1\rAS n -- no; end\r;\r");
            typed.awaitOut("n\n7\n");
            typed.type("SELECT ';'; SELECT 2;\r\\q\r");
            assertThat(typed.code.get(2, TimeUnit.MINUTES)).isZero();
            assertThat(typed.server.statements)
                    .extracting(Statement::sql)
                    .containsExactly("SELECT 1\nAS n -- no; end\n", "SELECT ';'", "SELECT 2");
            assertThat(Files.readString(typed.history())).contains("SELECT 1", "SELECT 2;");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(typed.history())))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void doesWhatItsCommandsSay() throws Exception {
        try (Typed typed = new Typed(SqlShellTest::one)) {
            typed.type("\\d\r\\d my_stream;\r\\d \"a_view\"\r\\timing\r\\format json\r");
            typed.awaitOut("rows are printed as json");
            typed.type("SELECT 3;\r");
            typed.awaitOut("{\"n\":7}\n");
            Waiting.until("the time is told", () -> typed.out().contains(" ms\n"));
            typed.type("\\format xml\r\\tming\r\\?\r");
            typed.awaitOut("\\format text|csv|json");
            assertThat(typed.out()).containsOnlyOnce("beside ").contains("n\n7\nbeside my_stream\nn\n7\n");
            assertThat(typed.err())
                    .doesNotContain("there is no stream")
                    .contains("expected \\format text, csv or json, got 'xml'", "did you mean \\timing?");
            typed.type("exit\r");
            assertThat(typed.code.get(2, TimeUnit.MINUTES)).isZero();
            assertThat(typed.server.statements)
                    .extracting(Statement::sql)
                    .containsExactly("SHOW TABLES", "DESCRIBE \"my_stream\"", "DESCRIBE \"a_view\"", "SELECT 3");
        }
    }

    @Test
    void ctrlCEndsWhatIsAskedBesideADescription() throws Exception {
        try (Typed typed = new Typed(SqlShellTest::one)) {
            typed.type("\\d slow_stream\r");
            typed.awaitOut("asked of slow_stream");
            typed.type(String.valueOf(CTRL_C));
            typed.awaitErr("cancelled");
            typed.type("SELECT 2;\r\\q\r");
            assertThat(typed.code.get(2, TimeUnit.MINUTES)).isZero();
            assertThat(typed.server.statements)
                    .extracting(Statement::sql)
                    .containsExactly("DESCRIBE \"slow_stream\"", "SELECT 2");
        }
    }

    @Test
    void ctrlCEndsTheStatementAlone() throws Exception {
        CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
        try (Typed typed = new Typed((query, answer) -> {
            if (cancelled.isDone()) {
                one(query, answer);
                return;
            }
            Waiting.until("the statement is cancelled", answer::cancelled);
            cancelled.complete(true);
        })) {
            typed.type("SELECT 1;\r");
            Waiting.until("the statement is asked", () -> typed.server.statements.size() == 1);
            typed.type(String.valueOf(CTRL_C));
            typed.awaitErr("cancelled");
            assertThat(cancelled.get(2, TimeUnit.MINUTES)).isTrue();
            // While typing it gives up what was typed.
            typed.type("SELECT 'open");
            Waiting.until("what is typed is shown", () -> typed.echoed().contains("SELECT 'open"));
            int prompts = typed.prompts();
            typed.type(String.valueOf(CTRL_C));
            Waiting.until("there is a new prompt", () -> typed.prompts() > prompts);
            typed.type("SELECT 2;\r");
            typed.awaitOut("n\n7\n");
            assertThat(typed.server.statements).extracting(Statement::sql).containsExactly("SELECT 1", "SELECT 2");
            typed.type(String.valueOf(CTRL_D));
            assertThat(typed.code.get(2, TimeUnit.MINUTES)).isZero();
        }
    }
}
