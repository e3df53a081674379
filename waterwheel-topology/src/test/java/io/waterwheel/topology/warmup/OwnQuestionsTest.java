package io.waterwheel.topology.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.query.run.CollectedAnswer;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.topology.rpc.RpcServer;
import io.waterwheel.topology.rpc.RpcSettings;
import io.waterwheel.wire.TraceParent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a coordinator asks itself: of streams that are there, for keys that they have, known by its trace. */
@Timeout(300)
final class OwnQuestionsTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    Path parent;

    /** As it is asked, whose trace is the process's own. */
    private record Asked(String question, String trace, long rows) {}

    private final ConcurrentLinkedQueue<Asked> asked = new ConcurrentLinkedQueue<>();
    private final AtomicInteger statements = new AtomicInteger();

    private static StreamInfo stream(String name, String key) {
        Schema schema = SchemaFile.read(name, ScratchStreams.FIELDS.formatted(name, key))
                .schema();
        return new StreamInfo(name, 1, schema, RecordFormat.BLOCK, "scratch", 1, 1);
    }

    private static List<StreamInfo> streams() {
        return List.of(
                stream("by-number", "{field: id}"),
                stream("by-place", "{longitude: x, latitude: y, box: [0, 0, 1, 1]}"));
    }

    private RpcServer serve(ScratchStreams streams) {
        return RpcServer.forClients(
                RpcSettings.DEFAULT,
                (query, sink) -> {
                    CollectedAnswer looked = new CollectedAnswer();
                    streams.query(query, looked);
                    asked.add(new Asked(query.toString(), sink.trace(), looked.rowCount()));
                    streams.query(query, sink);
                },
                (statement, sink) -> {
                    assertThat(QueryWarmUp.asks(sink.trace())).isTrue();
                    statements.incrementAndGet();
                    sink.start(List.of());
                    sink.finish(new Verdict(true, List.of(), Map.of(), 0, 0, 0, 0));
                },
                (action, body, caller) -> {
                    throw new WaterwheelException(ErrorCode.NO_SUCH_ACTION, "not asked for");
                });
    }

    @Test
    void streamsAreAskedForKeysThatTheyHave() throws Exception {
        List<AnswerSink> sampled = new ArrayList<>();
        try (ScratchStreams streams = ScratchStreams.make(parent);
                RpcServer server = serve(streams)) {
            OwnQuestions.ask(
                    "127.0.0.1",
                    server.port(),
                    streams(),
                    (query, sink) -> {
                        sampled.add(sink);
                        streams.query(query, sink);
                    },
                    LONG,
                    () -> asked.size() < 60 || statements.get() == 0);
        }
        assertThat(sampled).hasSize(2).noneMatch(AnswerSink::counts);
        assertThat(TraceParent.parse(OwnQuestions.TRACE)).hasToString(OwnQuestions.TRACE);
        assertThat(asked).isNotEmpty().allSatisfy(one -> {
            assertThat(QueryWarmUp.asks(one.trace())).isTrue();
            assertThat(one.rows()).as(one.question()).isPositive();
        });
        assertThat(statements).hasPositiveValue();
        assertThat(asked).anyMatch(one -> one.question().contains("by-number"));
        assertThat(asked).anyMatch(one -> one.question().contains("by-place"));
    }

    @Test
    void aStreamThatDoesNotAnswerIsLeftOut() throws Exception {
        try (ScratchStreams streams = ScratchStreams.make(parent);
                RpcServer server = serve(streams)) {
            OwnQuestions.ask(
                    "127.0.0.1",
                    server.port(),
                    streams(),
                    (query, sink) -> {
                        if (query.stream().equals("by-place")) {
                            sink.fail(new WaterwheelException(ErrorCode.STARTING, "its indexer is not there"));
                        } else {
                            streams.query(query, sink);
                        }
                    },
                    LONG,
                    () -> asked.size() < 5);
        }
        assertThat(asked).hasSize(5).noneMatch(one -> one.question().contains("by-place"));
    }

    @Test
    void itEndsWhenItsTimeIsUp() throws Exception {
        try (RpcServer silent = RpcServer.forClients(
                        RpcSettings.DEFAULT,
                        (query, sink) -> {
                            while (!sink.cancelled()) {
                                Thread.onSpinWait();
                            }
                            sink.fail(new WaterwheelException(ErrorCode.CANCELLED, "it is called off"));
                        },
                        (action, body, caller) -> {
                            throw new WaterwheelException(ErrorCode.NO_SUCH_ACTION, "not asked for");
                        });
                ScratchStreams streams = ScratchStreams.make(parent)) {
            // Each question is given up in its turn, or all are when the time is up.
            OwnQuestions.ask("127.0.0.1", silent.port(), streams(), streams::query, Duration.ofMillis(300), () -> true);
        }
        assertThat(asked).isEmpty();
    }

    @Test
    void aStreamWithoutRowsIsNotAskedAbout() {
        StreamInfo stream = streams().get(0);
        assertThat(StreamQuestions.of(stream, new StreamQuestions.Sample(), LONG))
                .isEmpty();
        assertThat(StreamQuestions.sampling(stream, LONG))
                .isEqualTo(Query.of("by-number")
                        .withSelect(List.of("id"))
                        .withLimit(64)
                        .withTimeout(LONG));
    }
}
