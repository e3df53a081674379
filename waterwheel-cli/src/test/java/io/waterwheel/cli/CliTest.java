package io.waterwheel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.text.PositionText;
import io.waterwheel.client.FakeServer;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Explanation;
import io.waterwheel.query.InstantRange;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.TimeInterval;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.CallStatus;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class CliTest {
    private static final List<Field> FIELDS = List.of(
            new Field("time", FieldType.TIMESTAMP, false),
            new Field("name", FieldType.STRING, true),
            new Field("x", FieldType.DOUBLE, true));
    private static final List<@Nullable Object[]> ROWS =
            List.of(new Object[] {1_633_608_001_500L, "a,\"b\"", 1.5}, new @Nullable Object[] {0L, null, Double.NaN});

    private record CliResult(int code, String out, String err) {}

    private static CliResult run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Cli.run(
                args,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return new CliResult(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private static void answer(Query query, FakeServer.Answer answer) {
        Verdict verdict = new Verdict(
                !query.allowPartial(),
                query.allowPartial() ? List.of("indexer 1 recovers") : List.of(),
                Map.of(),
                1,
                2,
                1,
                0);
        answer.whole(FIELDS, ROWS, verdict);
    }

    @Test
    void aCommandOfAnOlderReleaseNamesTheNewOne() {
        CliResult ran = run("partitions", "show", "flights");
        assertThat(ran.code()).isEqualTo(Cli.USAGE);
        assertThat(ran.err()).startsWith("waterwheel: 'partitions' is now called 'key-ranges'");
    }

    @Test
    void helpIsACommandToo() {
        assertThat(run("help")).isEqualTo(run("--help"));
        assertThat(run("help", "stream", "create")).isEqualTo(run("stream", "create", "--help"));
        assertThat(run("help").code()).isZero();
    }

    @Test
    void aStatementMayBeginWithACommentAndIsOneArgument() throws Exception {
        try (FakeServer server = FakeServer.answering(CliTest::answer)) {
            for (String statement : List.of("-- the fleet\nSELECT 1", "--all\nSELECT 1", "-- none")) {
                assertThat(run("sql", statement, "--server", server.url()).code())
                        .as(statement)
                        .isZero();
            }
            assertThat(server.statements)
                    .extracting(asked -> asked.sql().strip())
                    .containsExactly("-- the fleet\nSELECT 1", "--all\nSELECT 1", "-- none");
            CliResult ran = run("sql", "--server", server.url(), "SELECT", "1");
            assertThat(ran.code()).isEqualTo(Cli.USAGE);
            assertThat(ran.err())
                    .startsWith("waterwheel sql: '1' stands behind the statement; a statement is one argument: put it"
                            + " into quotes, \"SELECT ...\"");
            assertThat(run("sql", "--formt", "csv", "SELECT 1").err()).contains("'--formt'");
        }
    }

    @Test
    void printsRowsAsTableCsvAndJson() throws Exception {
        try (FakeServer server = FakeServer.answering(CliTest::answer)) {
            assertThat(run("query", "s", "--server", server.url(), "--format", "csv"))
                    .isEqualTo(new CliResult(0, "time,name,x\n1633608001500,\"a,\"\"b\"\"\",1.5\n0,,NaN\n", ""));
            assertThat(run("query", "s", "--server", server.url(), "--format", "JSON"))
                    .isEqualTo(new CliResult(0, """
                            {"time":1633608001500,"name":"a,\\"b\\"","x":1.5}
                            {"time":0,"name":null,"x":null}
                            """, ""));
            assertThat(run("query", "s", "--server", server.url())).isEqualTo(new CliResult(0, """
                            time                      name     x
                            ------------------------  -----  ---
                            2021-10-07T12:00:01.500Z  a,"b"  1.5
                            1970-01-01T00:00:00Z      -      NaN
                            (2 rows)
                            """, ""));
            assertThat(run("query", "s", "--server", server.url(), "--count")).isEqualTo(new CliResult(0, "2\n", ""));
            assertThat(run("query", "s", "--server", server.url(), "--count", "--partial", "allow"))
                    .isEqualTo(new CliResult(0, "2\n", "the answer is not complete:\n  indexer 1 recovers\n"));
        }
    }

    @Test
    void asksWhatTheOptionsSay() throws Exception {
        try (FakeServer server = FakeServer.answering(CliTest::answer)) {
            CliResult ran = run(
                    "query",
                    "flights",
                    "--server",
                    "grpc://127.0.0.1:1," + server.url(),
                    "--key",
                    "-5..10",
                    "--key",
                    "7",
                    "--box",
                    "-2.5,48,3,49.5",
                    "--time",
                    "2021-10-07T14:00:00.5+02:00/1633608001500",
                    "--select",
                    "time,name",
                    "--limit",
                    "3",
                    "--timeout",
                    "2.5",
                    "--partial",
                    "allow");
            assertThat(ran.err()).isEqualTo("the answer is not complete:\n  indexer 1 recovers\n");
            Duration timeout = Duration.ofMillis(2500);
            // The coordinator that was asked in vain has used some of it.
            assertThat(server.queries)
                    .allSatisfy(query -> assertThat(query.timeout()).isLessThanOrEqualTo(timeout))
                    .extracting(query -> query.withTimeout(timeout))
                    .containsExactly(Query.of("flights")
                            .withKeyRanges(List.of(new KeyRange("-5", "10"), KeyRange.of("7")))
                            .withShape(new Box(-2.5, 48, 3, 49.5))
                            .withTimes(new TimeInterval(1_633_608_000_500L, 1_633_608_001_500L))
                            .withInstants(new InstantRange(
                                    Instant.ofEpochMilli(1_633_608_000_500L), Instant.ofEpochMilli(1_633_608_001_500L)))
                            .withSelect(List.of("time", "name"))
                            .withLimit(3)
                            .withTimeout(Duration.ofMillis(2500))
                            .withPartialAllowed());
            run("query", "flights", "--server", server.url(), "--key", "..3", "--time", "2021-10-07T12:00:00Z/");
            assertThat(server.queries.get(1).keyRanges()).containsExactly(new KeyRange(null, "3"));
            assertThat(server.queries.get(1).times()).isEqualTo(new TimeInterval(1_633_608_000_000L, Long.MAX_VALUE));
        }
    }

    @Test
    void whatIsReturnedIsPassedOn() throws Exception {
        try (FakeServer server = FakeServer.answering(CliTest::answer)) {
            run(
                    "query",
                    "s",
                    "--server",
                    server.url(),
                    "--where",
                    "speed > 5",
                    "--order-by",
                    "a:desc,b",
                    "--limit",
                    "9");
            run(
                    "query",
                    "s",
                    "--server",
                    server.url(),
                    "--agg",
                    "avg(a * 2) as mean",
                    "--group-by",
                    "b",
                    "--bucket",
                    "5m");
            run("query", "s", "--server", server.url(), "--latest", "3", "--select", "a");
            run(
                    "query",
                    "s",
                    "--server",
                    server.url(),
                    "--agg",
                    "count AS n,quantile(a, 0.9) FILTER (WHERE b > 0) AS high",
                    "--group-by",
                    "order,COALESCE(a, b) AS either",
                    "--having",
                    "n > 3",
                    "--order-by",
                    "n:desc",
                    "--limit",
                    "2");
            assertThat(server.queries)
                    .containsExactly(
                            Query.of("s")
                                    .withWhere("speed > 5")
                                    .withOrderBy(List.of(new Order("a", true), new Order("b", false)))
                                    .withLimit(9),
                            Query.of("s")
                                    .withResult(new ResultSpec.Aggregates(
                                            List.of(Aggregate.parse("avg(a * 2) AS mean")),
                                            NamedExpression.fields("b"),
                                            Duration.ofMinutes(5))),
                            Query.of("s").withLatest(3).withSelect(List.of("a")),
                            Query.of("s")
                                    .withResult(new ResultSpec.Aggregates(
                                            List.of(
                                                    Aggregate.parse("count(*) AS n"),
                                                    Aggregate.parse("quantile(a, 0.9) FILTER (WHERE b > 0) AS high")),
                                            List.of(
                                                    NamedExpression.field("order"),
                                                    NamedExpression.parse("COALESCE(a, b) AS either")),
                                            null,
                                            null,
                                            Expression.parse("n > 3"),
                                            List.of(new Order("n", true)),
                                            2)));
        }
        usage("give one of --count, --agg", "query", "s", "--count", "--latest", "3");
        usage("--having is for --agg", "query", "s", "--having", "n > 3");
        usage("--select is for tuples, not for --count or --agg", "query", "s", "--count", "--select", "a");
        usage("--select is for tuples", "query", "s", "--agg", "max(a)", "--select", "a");
        usage("--select is for tuples", "query", "s", "--group-by", "a", "--select", "b");
        assertThat(run("query", "s", "--group-by", "a + 1").err()).contains("give it a name: a + 1 AS NAME");
        usage("--order-by and --limit are for tuples", "query", "s", "--latest", "3", "--limit", "3");
        usage("expected FIELD, FIELD:asc or FIELD:desc, got 'a:down'", "query", "s", "--order-by", "a:down");
        usage("expected a whole number and ms, s, m, h or d", "query", "s", "--bucket", "5");
    }

    @Test
    void whatIsNotUnderstoodIsSaidAndEndsWithTwo() {
        usage("Unknown options: '--bok', '1'", "query", "s", "--bok", "1");
        usage("Missing required parameter: 'STREAM'", "query");
        usage("a command is missing: expected one of stream, append, query");
        usage("a command is missing: expected one of advise, create, describe, drop, list, rescale, set", "stream");
        usage("expected LON1,LAT1,LON2,LAT2, got '1,2,3'", "query", "s", "--box", "1,2,3");
        usage("box: expected LAT1 <= LAT2, got 3.0,4.0,5.0,2.0", "query", "s", "--box", "3,4,5,2");
        usage("circle: expected a radius of 0 metres or more", "query", "s", "--circle", "3,4,-5");
        usage("give one of --box, --polygon and --circle", "query", "s", "--box", "1,2,3,4", "--circle", "3,4,5");
        usage("expected FROM/TO, got '2021'", "query", "s", "--time", "2021");
        usage("expected a time with a zone such as", "query", "s", "--time", "2021-10-07T12:00:00/");
        usage("FROM is after TO in '5/4'; exchange them", "query", "s", "--time", "5/4");
        usage("expected LO..HI with one bound at least, got '..'", "query", "s", "--key", "..");
        usage("expected seconds from 0.001 to 3600, got '0'", "query", "s", "--timeout", "0");
        usage("server 'here': expected grpc://HOST:PORT", "status", "--server", "here");
    }

    private static void usage(String message, String... args) {
        CliResult ran = run(args);
        assertThat(ran.code()).as(Arrays.toString(args)).isEqualTo(2);
        assertThat(ran.out()).as(Arrays.toString(args)).isEmpty();
        assertThat(ran.err()).as(Arrays.toString(args)).contains(message).contains("--help'");
    }

    @Test
    void newerOptionsAreAskedToo() throws Exception {
        try (FakeServer server = FakeServer.answering(CliTest::answer)) {
            long before = System.currentTimeMillis();
            run("query", "s", "--server", server.url(), "--last", "5m", "--at-least", "0:12,3:7", "--at-least", "0:9");
            run(
                    "query",
                    "s",
                    "--server",
                    server.url(),
                    "--agg",
                    "count,avg(a * (b + 1)) AS mean,max(COALESCE(a, b)) AS most");
            Query first = server.queries.get(0);
            assertThat(first.atLeast()).isEqualTo(Map.of(0, 12L, 3, 7L));
            assertThat(first.times().to()).isEqualTo(Long.MAX_VALUE);
            assertThat(first.times().from()).isBetween(before - 300_000, System.currentTimeMillis() - 300_000);
            assertThat(server.queries.get(1).result())
                    .isEqualTo(new ResultSpec.Aggregates(
                            List.of(
                                    Aggregate.count(),
                                    Aggregate.parse("avg(a * (b + 1)) AS mean"),
                                    Aggregate.parse("max(COALESCE(a, b)) AS most")),
                            List.of(),
                            null));
            CliResult stats = run("query", "s", "--server", server.url(), "--format", "csv", "--stats");
            assertThat(stats.out()).hasLineCount(3);
            assertThat(stats.err()).contains("2 tuples; began after").contains("chunks     0 read");
        }
        usage("expected PARTITION:OFFSET, two whole numbers such as 0:1200, got 'x'", "query", "s", "--at-least", "x");
        usage("expected aggregates such as count,avg(speed)", "query", "s", "--agg", "count,");
    }

    @Test
    void explainsInTextAndJson() throws Exception {
        ScanStatistics scanned = new ScanStatistics(
                3,
                Pruning.of(PruneReason.ZONE, "x", 1),
                0,
                2,
                1,
                12,
                new ScanStatistics.Parts(1, 20, 3, 40, 1, 50, 70, 600));
        Statistics statistics = new Statistics(
                2, 1, Pruning.of(PruneReason.DIMENSION, "y", 1), 1, 0, 0, scanned, ScanStatistics.NOTHING);
        Explanation planned = new Explanation(
                new Explanation.Asked(
                        7, List.of(new Explanation.KeySpan(5, 5, "five", "five")), 1, null, false, "x > 1", "all rows"),
                new Explanation.Chunks(2, Pruning.of(PruneReason.TIME, 1), 1, 12, 99),
                new Explanation.Indexers(2, 1, 0, List.of(1)),
                new Explanation.Cost(12, "light"),
                null);
        Explanation analyzed = planned.with(new Explanation.Analysis(
                List.of(new Explanation.Step("planning", Duration.ofNanos(9))),
                new Explanation.Work(
                        Duration.ofNanos(1), Duration.ofNanos(600), Duration.ofNanos(3), Duration.ofNanos(4)),
                List.of(new Explanation.Server("query-server-0", "here", 1, 0, 0, scanned, Duration.ofNanos(1))),
                statistics));
        try (FakeServer server = FakeServer.answering((query, answer) -> {
            boolean plan = query.explain() == Explain.PLAN;
            List<@Nullable Object[]> rows = plan ? List.of() : ROWS;
            answer.whole(
                    FIELDS,
                    rows,
                    new Verdict(
                            new Verdict.Completeness(false, List.of("chunk a"), List.of()),
                            SessionPositions.NOTHING,
                            Verdict.Gone.NOTHING,
                            1,
                            rows.size(),
                            new Verdict.Effort(1, 1, plan ? Statistics.NONE : statistics),
                            null,
                            plan ? planned : analyzed));
        })) {
            String lacks = "the answer is not complete:\n  chunk a\n";
            assertThat(run("query", "s", "--server", server.url(), "--explain"))
                    .isEqualTo(new CliResult(0, planned.text(), lacks));
            assertThat(run("query", "s", "--server", server.url(), "--analyze"))
                    .isEqualTo(new CliResult(0, analyzed.text(), lacks));
            CliResult stats = run("query", "s", "--server", server.url(), "--analyze", "--stats");
            assertThat(stats.out()).isEqualTo(analyzed.text());
            assertThat(stats.err())
                    .contains("chunks     2 there, 1 pruned (1 by dimension (y 1)), 0 left, 1 read")
                    .contains("3 leaves, pruned 1 by zone (x 1); 0 counted unread; 2 read with 12 tuples; 0 left");
            assertThat(run("query", "s", "--server", server.url(), "--explain", "--format", "json")
                            .out())
                    .isEqualTo("{\"asked\":{\"edit\":7,\"keys\":[{\"low\":5,\"high\":5,\"from\":\"five\","
                            + "\"to\":\"five\"}],\"keyIntervals\":1,\"times\":null,\"shape\":false,"
                            + "\"condition\":\"x > 1\",\"result\":\"all rows\"},"
                            + "\"chunks\":{\"total\":2,\"pruned\":[{\"reason\":\"time\",\"field\":\"\","
                            + "\"number\":1}],\"toRead\":1,\"tuples\":12,\"bytes\":99},"
                            + "\"indexers\":{\"total\":2,\"byKeys\":1,\"byReports\":0,\"asked\":[1]},"
                            + "\"cost\":{\"tuples\":12,\"lane\":\"light\"}}\n");
            assertThat(run("query", "s", "--server", server.url(), "--analyze", "--format", "json")
                            .out())
                    .contains("\"analysis\":{\"total\":9,\"steps\":{\"planning\":9},\"work\":{\"scanning\":1,"
                            + "\"reading\":600,\"merging\":3,\"sending\":4},\"servers\":[{\"name\":"
                            + "\"query-server-0\",\"host\":\"here\",\"parts\":1,\"inVain\":0,\"unread\":0,"
                            + "\"time\":1,\"scanned\":{\"leaves\":3,\"pruned\":[{\"reason\":\"zone\",\"field\":"
                            + "\"x\",\"number\":1}],\"counted\":0,\"read\":2,\"unmatched\":1,\"left\":0,"
                            + "\"tuples\":12,\"parts\":{\"read\":1,\"bytesRead\":20,\"cached\":3,"
                            + "\"bytesCached\":40,\"directoriesRead\":1,\"directoryBytesRead\":50,"
                            + "\"bytesReadAlong\":70,\"readNanos\":600}}}],\"statistics\":{\"chunks\":2,\"chunksMeeting\":1,"
                            + "\"chunksByDimension\":[{\"reason\":\"dimension\",\"field\":\"y\",\"number\":1}],"
                            + "\"chunksRead\":1,");
            assertThat(server.queries).extracting(Query::explain).contains(Explain.PLAN, Explain.ANALYZE);
        }
        usage("give one of --explain and --analyze, not both", "query", "s", "--explain", "--analyze");
        usage("--explain and --analyze print text", "query", "s", "--explain", "--format", "csv");
        usage("--stats is for what was read", "query", "s", "--explain", "--stats");
    }

    @Test
    void failuresEndWithOneAndSayTheirCode() throws Exception {
        WaterwheelException unknown = new WaterwheelException(ErrorCode.NO_SUCH_STREAM, "there is no stream 's'");
        try (FakeServer server = FakeServer.answering(
                (query, answer) -> answer.fail(FakeServer.failure(CallStatus.INVALID_ARGUMENT, unknown)))) {
            assertThat(run("query", "s", "--server", server.url()))
                    .isEqualTo(new CliResult(1, "", "waterwheel query: there is no stream 's' [NO_SUCH_STREAM]\n"));
        }
        assertThat(run("stream", "create", "/no/such/file.yaml").err()).contains("cannot read /no/such/file.yaml");
        assertThat(run("stream", "create", "/no/such/file.yaml").code()).isEqualTo(1);
    }

    @Test
    void stopsWhenNobodyReadsTheOutput() throws Exception {
        try (FakeServer server = FakeServer.answering(CliTest::answer)) {
            PrintStream closed = new PrintStream(new java.io.OutputStream() {
                @Override
                public void write(int b) throws java.io.IOException {
                    throw new java.io.IOException("Broken pipe");
                }
            });
            String[][] commands = {
                {"query", "s", "--server", server.url()},
                {"query", "s", "--server", server.url(), "--format", "arrow"},
                {"query", "s", "--server", server.url(), "--count"},
                {"completion", "bash"}
            };
            for (String[] command : commands) {
                ByteArrayOutputStream err = new ByteArrayOutputStream();
                int code = Cli.run(
                        command,
                        new Terminal(
                                InputStream.nullInputStream(),
                                closed,
                                new PrintStream(err, true, StandardCharsets.UTF_8),
                                false),
                        Map.of());
                assertThat(code).as(Arrays.toString(command)).isEqualTo(1);
                assertThat(err.toString(StandardCharsets.UTF_8))
                        .as(Arrays.toString(command))
                        .contains("waterwheel")
                        .contains("standard output ")
                        .hasLineCount(1);
            }
        }
    }

    @Test
    void arrowIsNotForATerminalWhateverTheOthersAre() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Cli.run(
                new String[] {"query", "s", "--format", "arrow"},
                new Terminal(
                        InputStream.nullInputStream(),
                        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        true,
                        false),
                Map.of());
        assertThat(code).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("--format arrow is not for a terminal");
    }

    @Test
    void troubleWithFilesNamesTheFileAndWhatIsWrong(@TempDir Path folder) throws Exception {
        assertThat(Cli.fileTrouble(new AccessDeniedException("/x")))
                .isEqualTo("cannot read or write /x: permission denied");
        assertThat(Cli.fileTrouble(new FileSystemException("/x", null, "No space left")))
                .isEqualTo("/x: No space left");
        assertThat(Cli.fileTrouble(new UncheckedIOException(new NoSuchFileException("/x"))))
                .isEqualTo("there is no file /x");
        assertThat(Cli.fileTrouble(new IOException("/x"))).isNull();
        assertThat(run("stream", "create", "--like", folder.toString()).err())
                .isEqualTo("waterwheel stream create: " + folder + " is a folder; name a file\n");
        Path cut = Files.write(folder.resolve("cut.csv.gz"), new byte[] {0x1f, (byte) 0x8b, 8});
        assertThat(run("stream", "create", "--like", cut.toString()).err())
                .startsWith("waterwheel stream create: " + cut + ": the compressed file is cut off or damaged");
    }

    @Test
    void positionsAreSaidAsAtLeastTakesThem() {
        assertThat(PositionText.of(Map.of(10, 3L, 0, 1234L, 1, 1200L))).isEqualTo("0:1234,1:1200,10:3");
        assertThat(new PositionText().convert("0:1234")).isEqualTo(Map.entry(0, 1234L));
    }
}
