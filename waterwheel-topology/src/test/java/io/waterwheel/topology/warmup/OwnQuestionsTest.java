package io.waterwheel.topology.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.index.RandomTuples;
import io.waterwheel.local.LocalSettings;
import io.waterwheel.local.LocalStream;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.query.run.CollectedAnswer;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.topology.rpc.QueryHandler;
import io.waterwheel.topology.rpc.RpcServer;
import io.waterwheel.topology.rpc.RpcSettings;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.wire.TraceParent;
import io.waterwheel.wire.WireQueries;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
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
    private final AtomicInteger answered = new AtomicInteger();

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
                    assertThat(QueryWarmUp.asks(sink.trace())).isTrue();
                    asked.add(new Asked(query.toString(), sink.trace(), looked.rowCount()));
                    streams.query(query, sink);
                    answered.incrementAndGet();
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

    private static RpcServer answering(QueryHandler queries) {
        return RpcServer.forClients(RpcSettings.DEFAULT, queries, (action, body, caller) -> {
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
                    // However quick the answers are.
                    new OwnQuestions.End(LONG, Duration.ZERO, () -> answered.get() < 60 || statements.get() == 0));
        }
        assertThat(sampled).hasSize(2).noneMatch(AnswerSink::counts);
        assertThat(TraceParent.parse(OwnQuestions.TRACE)).hasToString(OwnQuestions.TRACE);
        assertThat(asked).isNotEmpty().allSatisfy(one -> {
            assertThat(one.trace()).isEqualTo(OwnQuestions.TRACE);
            assertThat(one.rows()).as(one.question()).isPositive();
        });
        assertThat(QueryWarmUp.asks(OwnQuestions.TRACE)).as("once it has ended").isFalse();
        assertThat(asked).anyMatch(one -> one.question().contains("by-number"));
        assertThat(asked).anyMatch(one -> one.question().contains("by-place"));
    }

    @Test
    void aStreamThatDoesNotAnswerOrThrowsIsLeftOut() throws Exception {
        try (ScratchStreams streams = ScratchStreams.make(parent);
                RpcServer server = serve(streams)) {
            leavesOut(
                    streams,
                    server,
                    "by-place",
                    sink -> sink.fail(new WaterwheelException(ErrorCode.STARTING, "its indexer is not there")));
            leavesOut(streams, server, "by-number", sink -> {
                throw new IllegalStateException("thrown by the test");
            });
        }
    }

    /** Questions go to the other stream only, where one answers so when its rows are looked at. */
    private void leavesOut(ScratchStreams streams, RpcServer server, String stream, Consumer<AnswerSink> answer)
            throws Exception {
        asked.clear();
        answered.set(0);
        OwnQuestions.ask(
                "127.0.0.1",
                server.port(),
                streams(),
                (query, sink) -> {
                    if (query.stream().equals(stream)) {
                        answer.accept(sink);
                    } else {
                        streams.query(query, sink);
                    }
                },
                new OwnQuestions.End(LONG, Duration.ZERO, () -> answered.get() < 5));
        assertThat(answered).hasValueGreaterThanOrEqualTo(5);
        assertThat(asked).noneMatch(one -> one.question().contains(stream));
    }

    @Test
    void quickAnswersEndItOnceEachKindWasAsked() throws Exception {
        try (ScratchStreams streams = ScratchStreams.make(parent);
                RpcServer server = serve(streams)) {
            OwnQuestions.ask(
                    "127.0.0.1",
                    server.port(),
                    streams(),
                    streams::query,
                    new OwnQuestions.End(LONG, LONG, () -> true));
        }
        assertThat(asked.size() + statements.get()).isGreaterThanOrEqualTo(21);
    }

    @Test
    void whatIsGivenUpIsAskedOnceMoreAndThenNoLonger() throws Exception {
        ConcurrentLinkedQueue<String> came = new ConcurrentLinkedQueue<>();
        try (ScratchStreams streams = ScratchStreams.make(parent);
                RpcServer failing = answering((query, sink) -> {
                    came.add(query.toString());
                    sink.fail(new WaterwheelException(ErrorCode.STARTING, "not yet"));
                })) {
            OwnQuestions.ask(
                    "127.0.0.1",
                    failing.port(),
                    streams().subList(0, 1),
                    streams::query,
                    new OwnQuestions.End(LONG, Duration.ZERO, () -> true));
        }
        // It ends as nothing is left. No question was there twice.
        Map<String, Long> times = came.stream().collect(Collectors.groupingBy(text -> text, Collectors.counting()));
        assertThat(times).hasSizeGreaterThan(StreamQuestions.KINDS);
        // One that had no time to come, on a busy machine, came less often.
        assertThat(times.values()).contains(2L).allMatch(count -> count <= 2);
    }

    @Test
    void itEndsWhenItsTimeIsUp() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        try (RpcServer silent = answering((query, sink) -> {
                    begun.incrementAndGet();
                    while (!sink.cancelled()) {
                        Thread.onSpinWait();
                    }
                    sink.fail(new WaterwheelException(ErrorCode.CANCELLED, "it is called off"));
                });
                ScratchStreams streams = ScratchStreams.make(parent)) {
            // Each question is given up in its turn, or all are when the time is up.
            long before = System.nanoTime();
            OwnQuestions.ask(
                    "127.0.0.1",
                    silent.port(),
                    streams(),
                    streams::query,
                    new OwnQuestions.End(Duration.ofMillis(300), Duration.ZERO, () -> true));
            // Far less than all questions would take that are given up in their turn, also on a busy machine.
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(30));
        }
        assertThat(begun).hasValueLessThan(2 * StreamQuestions.KINDS);
    }

    /** Keys of each form, and fields that are called as words of SQL or as what is counted: all find rows. */
    @Test
    void questionsHoldForKeysOfEachForm() throws Exception {
        for (String key : List.of(
                "{field: end}",
                "{field: when}",
                "{field: \"true\"}",
                "{field: raw}",
                "{field: of}",
                "{dimensions: [{field: end, range: [0, 9]}, {field: when, cuts: [c, m]}, {field: raw, cuts: [AA==]}]}")) {
            Schema schema = SchemaFile.read("odd", """
                    name: odd
                    topic: odd
                    format: block
                    fields:
                      - {name: count, type: int}
                      - {name: end, type: double}
                      - {name: when, type: string}
                      - {name: "true", type: boolean}
                      - {name: raw, type: bytes}
                      - {name: of, type: uuid}
                      - {name: "null", type: timestamp}
                    key: %s
                    time: "null"
                    """.formatted(key)).schema();
            StreamInfo stream = new StreamInfo("odd", 1, schema, RecordFormat.BLOCK, "odd", 1, 1);
            try (LocalStream rows = LocalStream.open(
                    parent.resolve(Integer.toString(key.hashCode())),
                    "odd",
                    schema,
                    new LocalSettings(4 << 20, 4 << 20))) {
                rows.insert(new RandomTuples(new Random(1), schema).block(20, 1_000));
                StreamQuestions.Sample sample = new StreamQuestions.Sample();
                rows.answer(StreamQuestions.sampling(stream, LONG), sample);
                List<byte[]> tickets = StreamQuestions.of(stream, sample, LONG);
                assertThat(tickets).as(key).hasSizeGreaterThan(StreamQuestions.KINDS);
                assertThat(tickets.subList(0, StreamQuestions.KINDS)).as(key).satisfiesOnlyOnce(ticket -> assertThat(
                                WireQueries.parseTicket(ticket).hasStatement())
                        .isTrue());
                for (byte[] ticket : tickets) {
                    if (WireQueries.parseTicket(ticket).hasQuery()) {
                        Query query = WireQueries.fromMessage(
                                WireQueries.parseTicket(ticket).getQuery());
                        CollectedAnswer answer = new CollectedAnswer();
                        rows.answer(query, answer);
                        assertThat(answer.verdict().complete()).as("%s", query).isTrue();
                        assertThat(answer.rowCount()).as("%s", query).isPositive();
                    }
                }
            }
        }
    }

    /** Beside a look at all rows: of every 2^n-th, as many as there may be; whatever the blocks are they come in. */
    @Test
    void keysAreSampledEvenlyAmongTheRows() {
        Random random = new Random(7);
        Schema schema = streams().get(0).schema();
        for (int rows : new int[] {1, 31, 32, 33, 64, 65, 1_000, 20_000}) {
            StreamQuestions.Sample sample = new StreamQuestions.Sample();
            sample.start(schema.fields());
            List<List<Object>> all = new ArrayList<>();
            while (all.size() < rows) {
                TupleBlock block = new RandomTuples(random, schema)
                        .block(Math.min(1 + random.nextInt(3_000), rows - all.size()), 1_000_000);
                sample.rows(block);
                for (int row = 0; row < block.size(); row++) {
                    List<Object> values = new ArrayList<>();
                    for (int field = 0; field < schema.fields().size(); field++) {
                        values.add(block.value(field, row));
                    }
                    all.add(values);
                }
            }
            int step = 1;
            while ((rows + step - 1) / step > 32) {
                step *= 2;
            }
            Set<List<Object>> expected = new LinkedHashSet<>();
            for (int row = 0; row < rows; row += step) {
                expected.add(all.get(row));
            }
            assertThat(sample.keys()).as("%d rows", rows).containsExactlyElementsOf(expected);
        }
    }

    @Test
    void aStreamWithoutRowsIsNotAskedAbout() {
        StreamInfo stream = streams().get(0);
        assertThat(StreamQuestions.of(stream, new StreamQuestions.Sample(), LONG))
                .isEmpty();
        assertThat(StreamQuestions.sampling(stream, LONG))
                .isEqualTo(Query.of("by-number")
                        .withSelect(List.of("id"))
                        .withLimit(65_536)
                        .withTimeout(LONG));
    }
}
