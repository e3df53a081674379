package io.waterwheel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.client.FakeServer;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An answer that breaks in the middle never looks like a whole one, in any format. */
@Timeout(300)
class CutAnswerTest {
    private static final List<Field> FIELDS =
            List.of(new Field("k", FieldType.LONG, false), new Field("s", FieldType.STRING, true));
    private static final int ROWS = 20_000;

    private static void begin(FakeServer.Answer answer) {
        answer.start(FIELDS);
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (long i = 0; i < ROWS; i++) {
            rows.add(new Object[] {i, "row " + i});
        }
        answer.rows(rows);
    }

    private static void cut(Query query, FakeServer.Answer answer) {
        begin(answer);
        answer.end(); // as a proxy between would: in order, but without a verdict
    }

    private static void fail(Query query, FakeServer.Answer answer) {
        begin(answer);
        answer.fail(FakeServer.failure(
                CallStatus.UNAVAILABLE,
                new WaterwheelException(ErrorCode.SERVER_CLOSING, "the server is closing; ask again")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"table", "csv", "json", "arrow"})
    void endsWithOneAndALastLine(String format) throws Exception {
        try (FakeServer server = FakeServer.answering(CutAnswerTest::cut)) {
            CliResult ran = CliResult.of("query", "s", "--server", server.url(), "--format", format);
            assertThat(ran.code()).isEqualTo(1);
            assertThat(ran.lastLine())
                    .startsWith("waterwheel query: 127.0.0.1:")
                    .contains("the answer ended after " + ROWS + " rows without a verdict: it was cut off; ask again")
                    .endsWith("; what was printed is not the whole answer [ANSWER_CUT_OFF]");
            assertThat(ran.out()).doesNotContain("rows)");
        }
        try (FakeServer server = FakeServer.answering(CutAnswerTest::fail)) {
            CliResult ran = CliResult.of("query", "s", "--server", server.url(), "--format", format);
            assertThat(ran.code()).isEqualTo(1);
            assertThat(ran.lastLine())
                    .isEqualTo("waterwheel query: the server is closing; ask again; what was printed is not the whole"
                            + " answer [SERVER_CLOSING]");
        }
    }

    @Test
    void aCountThatIsCutOffPrintsNothing() throws Exception {
        try (FakeServer server = FakeServer.answering(CutAnswerTest::cut)) {
            CliResult ran = CliResult.of("query", "s", "--server", server.url(), "--count");
            assertThat(ran.code()).isEqualTo(1);
            assertThat(ran.out()).isEmpty();
        }
    }

    @Test
    void anArrowStreamIsWholeOrARefusedOne() throws Exception {
        Verdict verdict = new Verdict(true, List.of(), Map.of(), 1, 2L * ROWS, 1, 0);
        try (RootAllocator allocator = new RootAllocator();
                FakeServer server = FakeServer.answering((query, answer) -> {
                    begin(answer);
                    begin2(answer);
                    answer.verdict(verdict);
                    answer.end();
                })) {
            CliResult ran = CliResult.of("query", "s", "--server", server.url(), "--format", "arrow");
            assertThat(ran.err()).isEmpty();
            assertThat(ran.code()).isZero();
            assertThat(rows(ran, allocator)).isEqualTo(2 * ROWS);
        }
        try (RootAllocator allocator = new RootAllocator();
                FakeServer server = FakeServer.answering(CutAnswerTest::cut)) {
            CliResult ran = CliResult.of("query", "s", "--server", server.url(), "--format", "arrow");
            assertThatThrownBy(() -> rows(ran, allocator)).isInstanceOf(java.io.IOException.class);
        }
    }

    private static void begin2(FakeServer.Answer answer) {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (long i = 0; i < ROWS; i++) {
            rows.add(new @Nullable Object[] {-i, null});
        }
        answer.rows(rows);
    }

    private static int rows(CliResult ran, RootAllocator allocator) throws java.io.IOException {
        int rows = 0;
        try (ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(ran.bytes()), allocator)) {
            while (reader.loadNextBatch()) {
                rows += reader.getVectorSchemaRoot().getRowCount();
            }
        }
        return rows;
    }
}
