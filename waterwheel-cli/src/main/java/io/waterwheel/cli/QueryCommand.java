package io.waterwheel.cli;

import io.waterwheel.cli.output.AnswerStats;
import io.waterwheel.cli.output.ArrowPrinter;
import io.waterwheel.cli.output.ExplanationJson;
import io.waterwheel.cli.output.RowPrinter;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.text.AggregateTexts;
import io.waterwheel.cli.text.BoxText;
import io.waterwheel.cli.text.BucketText;
import io.waterwheel.cli.text.CircleText;
import io.waterwheel.cli.text.KeyRangeText;
import io.waterwheel.cli.text.KeyTimeText;
import io.waterwheel.cli.text.MomentText;
import io.waterwheel.cli.text.OrderTexts;
import io.waterwheel.cli.text.PositionText;
import io.waterwheel.cli.text.Seconds;
import io.waterwheel.cli.text.TimeRange;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.geo.Polygon;
import io.waterwheel.geo.Shape;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Downsampling;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Explanation;
import io.waterwheel.query.InstantRange;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.KeyTime;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.tuple.TimeInterval;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code waterwheel query}. */
@Command(
        name = "query",
        description = {
            "Ask for the tuples of a stream within ranges of key and time, for their number, for aggregates, or for the"
                    + " newest of each key.",
            "All bounds belong to the range. Answers are exact, over what arrived a moment ago and what is old."
        },
        footer = {
            "",
            "Examples:",
            "  waterwheel query flights --box 2,48,3,49 --time 2021-10-07T13:00:00Z/2021-10-07T13:05:00Z",
            "  waterwheel query flights --box 2,48,3,49 --count",
            "  waterwheel query flights --circle 2.55,49.01,5000",
            "  waterwheel query orders --key 1000..1999 --key 7 --select time,amount --format csv",
            "  waterwheel query weather --key element=TMAX --key latitude=40..41 --key longitude=-75..-73 --count",
            "  waterwheel query flights --where \"altitude > 10000 AND callsign LIKE 'AFR%%'\" --order-by altitude:desc"
                    + " --limit 10",
            "  waterwheel query flights --agg 'count,avg(velocity) AS mean' --group-by callsign --bucket 10m",
            "  waterwheel query flights --agg 'count AS n' --group-by callsign --having 'n > 100' --order-by n:desc --limit 5",
            "  waterwheel query orders --key 1000..1999 --latest 3",
            "  waterwheel query orders --last 5m --count --stats",
            "  waterwheel query orders --key 1000..1999 --where 'amount > 100' --analyze",
            "  waterwheel query orders --at-least \"$(waterwheel flush orders | paste -sd,)\" --format arrow > orders.arrows"
        })
final class QueryCommand implements Callable<Integer> {
    /** What to do about an answer that lacks something. */
    enum Partial {
        FAIL,
        ALLOW
    }

    /** How the answer is printed. */
    enum Format {
        TABLE,
        CSV,
        JSON,
        ARROW
    }

    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOption server = new ServerOption();

    @Parameters(paramLabel = "STREAM", description = "The stream's name.")
    private String stream = "";

    @Option(
            names = "--key",
            paramLabel = "[FIELD=]LO..HI",
            converter = KeyRangeText.class,
            description = "Values of the key field, or of FIELD, from LO to HI; may be given several times: in any of"
                    + " the ranges of a field, and so for each field. One value is one key. A value that holds '..', or"
                    + " begins as FIELD= does, goes in single quotes: \"'a..b'\".")
    private List<KeyRange> keys = List.of();

    @Option(
            names = "--box",
            paramLabel = "LON1,LAT1,LON2,LAT2",
            converter = BoxText.class,
            description = "Positions in this box, in degrees; for streams whose key is a position. LON1 above LON2 goes"
                    + " over the antimeridian.")
    private @Nullable Box box;

    @Option(
            names = "--polygon",
            paramLabel = "WKT",
            description = "Positions in this POLYGON or MULTIPOLYGON, with or without holes, in degrees.")
    private @Nullable String polygon;

    @Option(
            names = "--circle",
            paramLabel = "LON,LAT,METRES",
            converter = CircleText.class,
            description = "Positions at most so far from a centre, on the sphere.")
    private @Nullable Circle circle;

    @Option(
            names = "--time",
            paramLabel = "FROM/TO",
            converter = TimeRange.class,
            description =
                    "Times from FROM to TO, exact to the nanosecond: ISO 8601 with a zone, or milliseconds since 1970."
                            + " A day such as 2021-10-07 is one of UTC: from its first instant, or to its last."
                            + " Either may be left out.")
    private @Nullable InstantRange times;

    @Option(
            names = "--last",
            paramLabel = "LENGTH",
            converter = BucketText.class,
            description = "Times from so long ago on, by this machine's clock: 30s, 5m, 1h or 7d.")
    private @Nullable Duration last;

    @Option(
            names = "--select",
            paramLabel = "FIELD,...",
            description = "The fields to show, in this order; without --latest also expressions such as"
                    + " 'speed * 3.6 AS kmh'.")
    private List<String> select = List.of();

    @Option(names = "--distinct", description = "Each combination of the values of --select once, in their order.")
    private boolean distinct;

    @Option(
            names = "--where",
            paramLabel = "CONDITION",
            description = "Only tuples for which this is true: comparisons, AND, OR, NOT, IN, BETWEEN, LIKE, IS NULL,"
                    + " arithmetic and functions as in SQL.")
    private @Nullable String where;

    @Option(
            names = "--order-by",
            paramLabel = "FIELD[:desc]",
            split = ",",
            description = "Order of the tuples, or by fields of the answer that of the groups; ascending unless :desc"
                    + " follows.")
    private List<String> orderBy = List.of();

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "At most this number of tuples, or of groups: the first in the order, or of series and"
                    + " time; else it is not defined which tuples.")
    private @Nullable Long limit;

    @Option(
            names = "--page",
            paramLabel = "first|TOKEN",
            description =
                    "With --order-by and --limit: say on standard error how to ask for the tuples behind these. The"
                            + " first page is 'first'; its token asks for the second.")
    private @Nullable String page;

    @Option(
            names = "--agg",
            paramLabel = "AGGREGATE,...",
            description =
                    "Values of all tuples, or of each group: count (of tuples), or a function of an expression such as"
                            + " avg(speed), each perhaps with FILTER (WHERE CONDITION) and AS NAME; may be given several"
                            + " times. A wrong name lists all.")
    private List<String> aggregates = List.of();

    @Option(
            names = "--group-by",
            paramLabel = "VALUE,...",
            description = "What makes the groups of --agg, and of --series: fields, or expressions such as"
                    + " 'FLOOR(speed / 10) AS decade'; may be given several times.")
    private List<String> groupBy = List.of();

    @Option(
            names = "--bucket",
            paramLabel = "LENGTH",
            converter = BucketText.class,
            description = "Group by time too, in steps such as 500ms, 5s, 10m, 1h or 1d.")
    private @Nullable Duration bucket;

    @Option(
            names = "--origin",
            paramLabel = "TIME",
            converter = MomentText.class,
            description = "A time at which a step of --bucket begins, such as 2021-01-04 for weeks from Monday on."
                    + " Default: 1970-01-01.")
    private @Nullable Instant origin;

    @Option(
            names = "--fill",
            paramLabel = "null|previous|linear",
            description = "With --bucket, or with a DATE_TRUNC last in --group-by: a row for every step of --time, also"
                    + " without tuples; its values are null, those of the step before, or on the line between"
                    + " their neighbours. Counts are 0.")
    private ResultSpec.@Nullable Fill fill;

    @Option(
            names = "--having",
            paramLabel = "CONDITION",
            description = "Only groups for which this is true of the fields of the answer, such as 'mean > 100'.")
    private @Nullable String having;

    @Option(
            names = "--series",
            paramLabel = "VALUE,...",
            description = "The tuples of each key, or of each value of --group-by, by time, with values of a tuple and"
                    + " the one before it: lag(VALUE), delta(VALUE), or rate(VALUE), the delta a second; AS NAME names"
                    + " it.")
    private List<String> series = List.of();

    @Option(
            names = "--downsample",
            paramLabel = "METHOD",
            description =
                    "Of each series only tuples for a plot: lttb(FIELD, N), largest triangles, or minmax(FIELD, N),"
                            + " the least and greatest of N / 2 steps of time. With --series, or alone.")
    private @Nullable String downsample;

    @Option(names = "--latest", paramLabel = "N", description = "The newest N tuples of each key.")
    private @Nullable Integer latest;

    @Option(
            names = "--every",
            paramLabel = "N",
            description = "Of the tuples of --latest only the newest, and the first of each further N.")
    private @Nullable Integer every;

    @Option(
            names = "--at",
            paramLabel = "KEY,TIME",
            converter = KeyTimeText.class,
            description = "A row for this pair: the tuple of the key with that very time; may be given several times.")
    private List<KeyTime> at = List.of();

    @Option(names = "--at-file", paramLabel = "FILE", description = "The same, a pair KEY,TIME a line; at most 10,000.")
    private @Nullable Path atFile;

    @Option(names = "--as-of", description = "With --at: the latest tuple of the key that is not after the time.")
    private boolean asOf;

    @Option(names = "--count", description = "Only the number of tuples.")
    private boolean count;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            converter = Seconds.class,
            description = "How long the answer may take in all. Default: query.timeout of the server, 30.")
    private @Nullable Duration timeout;

    @Option(
            names = "--partial",
            paramLabel = "fail|allow",
            defaultValue = "fail",
            description =
                    "Whether to fail when something is missing at the end of the timeout, or to show what there is"
                            + " and say what is missing. Default: fail.")
    private Partial partial = Partial.FAIL;

    @Option(
            names = "--at-least",
            paramLabel = "P:O",
            split = ",",
            converter = PositionText.class,
            description = "By partition of the topic, offsets below which the answer must have seen everything: the"
                    + " query waits for it, up to the timeout. As flush prints them, and --stats.")
    private List<Map.Entry<Integer, Long>> atLeast = List.of();

    @Option(
            names = "--stats",
            description =
                    "Say on standard error what the answer took: chunks there, pruned and read, leaves, bytes, what"
                            + " the cache had, and how long.")
    private boolean stats;

    @Option(
            names = "--explain",
            description = "Say how the query would be answered, in place of an answer: keys, times, which chunks are"
                    + " pruned by what. Nothing is read.")
    private boolean explain;

    @Option(
            names = "--analyze",
            description = "Answer, and in place of the answer say how it came about: the same, leaves pruned by what,"
                    + " bytes by source, time by step and by server.")
    private boolean analyze;

    @Option(
            names = "--format",
            paramLabel = "table|csv|json|arrow",
            defaultValue = "table",
            description = "table for people; csv with a line of names first, or one JSON object a line, both with times"
                    + " since 1970 in the unit of their type, milliseconds for timestamp; arrow is an Arrow IPC"
                    + " stream. Default: table.")
    private Format format = Format.TABLE;

    QueryCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Query query = query();
        if (explain || analyze) {
            return explained(query);
        }
        if (format == Format.ARROW && terminal.outWatched()) {
            throw wrong("--format arrow is not for a terminal: send standard output to a file or a program");
        }
        AnswerStats took = new AnswerStats();
        try (WaterwheelClient client = server.connect();
                Cursor cursor = client.query(query)) {
            took.begun();
            if (!print(cursor)) {
                terminal.err().println("waterwheel query: standard output was closed before the answer ended");
                return Cli.FAILURE;
            }
            Verdict verdict = cursor.verdict();
            boolean paged = page == null || tellNextPage(verdict);
            if (stats) {
                took.print(verdict, terminal.err());
            }
            AnswerStats.printMissing(verdict, terminal.err());
            return paged ? 0 : Cli.FAILURE;
        }
    }

    /** Prints how the query is answered. */
    private int explained(Query query) {
        if (explain && analyze) {
            throw wrong("give one of --explain and --analyze, not both: --analyze says what --explain does");
        }
        if (explain && stats) {
            throw wrong("--stats is for what was read, and --explain reads nothing: give --analyze");
        }
        if (format != Format.TABLE && format != Format.JSON) {
            throw wrong("--explain and --analyze print text, or with --format json a line of JSON; not "
                    + format.name().toLowerCase(Locale.ROOT));
        }
        AnswerStats took = new AnswerStats();
        try (WaterwheelClient client = server.connect();
                Cursor cursor = client.query(query.withExplain(explain ? Explain.PLAN : Explain.ANALYZE))) {
            took.begun();
            if (explain && cursor.next()) {
                throw Verdict.notExplained();
            }
            boolean more = true;
            while (more) {
                more = cursor.nextBatch();
            }
            Verdict verdict = cursor.verdict();
            Explanation explanation = verdict.requireExplanation();
            if (format == Format.JSON) {
                terminal.out().println(ExplanationJson.of(explanation));
            } else {
                terminal.out().print(explanation.text());
            }
            if (stats) {
                took.print(verdict, terminal.err());
            }
            AnswerStats.printMissing(verdict, terminal.err());
            return 0;
        }
    }

    /** Says how to ask for the next page; false when that cannot be asked for. */
    private boolean tellNextPage(Verdict verdict) {
        if (verdict.next() != null) {
            terminal.err().println("the next page: --page " + verdict.next());
        } else if (limit != null && verdict.tuples() >= limit) {
            terminal.err()
                    .println("waterwheel query: the last tuple is too long for a token of the next page: select fewer"
                            + " fields, or another --limit");
            return false;
        } else {
            terminal.err().println(verdict.complete() ? "this is the last page" : "this page is not complete");
        }
        return true;
    }

    /** Prints the answer; false when the reader of the output went away. */
    private boolean print(Cursor cursor) {
        try {
            if (count && format != Format.ARROW) {
                boolean more = true;
                while (more) {
                    more = cursor.nextBatch();
                }
                terminal.out().println(cursor.verdict().tuples());
                return true;
            }
            return switch (format) {
                case ARROW -> new ArrowPrinter(terminal.out()).print(cursor);
                case TABLE ->
                    RowPrinter.of(RowPrinter.Format.TABLE, terminal.out()).print(cursor);
                case CSV -> RowPrinter.of(RowPrinter.Format.CSV, terminal.out()).print(cursor);
                case JSON ->
                    RowPrinter.of(RowPrinter.Format.JSON, terminal.out()).print(cursor);
            };
        } catch (WaterwheelException e) {
            // Some of it may have been printed, and looks well.
            throw e.withMessage(e.getMessage() + (count ? "" : "; what was printed is not the whole answer"));
        }
    }

    private @Nullable Shape shape() {
        List<Shape> shapes = Stream.of(box, circle, polygon == null ? null : new Polygon(polygon))
                .filter(Objects::nonNull)
                .map(Shape.class::cast)
                .toList();
        if (shapes.size() > 1) {
            throw new ParameterException(spec.commandLine(), "give one of --box, --polygon and --circle, not several");
        }
        return shapes.isEmpty() ? null : shapes.get(0);
    }

    /** The query that the options say. */
    Query query() {
        Query query = Query.of(stream).withKeyRanges(keys);
        if (timeout != null) {
            query = query.withTimeout(timeout);
        }
        Shape shape = shape();
        if (shape != null) {
            query = query.withShape(shape);
        }
        if (times != null && last != null) {
            throw wrong("give one of --time and --last, not both");
        }
        if (times != null) {
            query = query.withTimes(times.millis()).withInstants(times);
        }
        if (last != null) {
            query = query.withTimes(new TimeInterval(System.currentTimeMillis() - last.toMillis(), Long.MAX_VALUE));
        }
        Map<Integer, Long> demanded = new TreeMap<>();
        atLeast.forEach(position -> demanded.merge(position.getKey(), position.getValue(), Math::max));
        query = query.withAtLeast(demanded);
        if (where != null) {
            try {
                query = query.withWhere(where);
            } catch (IllegalArgumentException e) {
                throw wrong(String.valueOf(e.getMessage()));
            }
        }
        query = query.withResult(result());
        return partial == Partial.ALLOW ? query.withPartialAllowed() : query;
    }

    private ResultSpec result() {
        boolean serial = !series.isEmpty() || downsample != null;
        boolean grouped = (!groupBy.isEmpty() && !serial) || bucket != null;
        boolean pairs = !at.isEmpty() || atFile != null;
        int kinds = (count ? 1 : 0)
                + (aggregates.isEmpty() && !grouped ? 0 : 1)
                + (latest == null ? 0 : 1)
                + (serial ? 1 : 0)
                + (pairs ? 1 : 0);
        if (kinds > 1) {
            throw wrong(
                    "give one of --count, --agg (with --group-by, --bucket), --series (or --downsample), --latest and"
                            + " --at (or --at-file), not several");
        }
        if (serial && !orderBy.isEmpty()) {
            throw wrong("--order-by is not for --series and --downsample, whose tuples are ordered by series and time");
        }
        if (distinct && kinds > 0) {
            throw wrong("--distinct is for --select, not for --count, --agg (with --group-by, --bucket), --series,"
                    + " --latest or --at");
        }
        if (!select.isEmpty() && (count || grouped || !aggregates.isEmpty())) {
            throw wrong(
                    "--select is for tuples, not for --count or --agg (with --group-by, --bucket), whose answers have"
                            + " what these compute");
        }
        boolean ordered = !orderBy.isEmpty() || limit != null;
        if (ordered && (count || latest != null)) {
            throw wrong("--order-by and --limit are for tuples and groups, not for --count or --latest");
        }
        if (pairs && ordered) {
            throw wrong("--order-by and --limit are not for --at: each pair has a row, in the order asked");
        }
        if (asOf && !pairs) {
            throw wrong("--as-of is for --at, or --at-file: give one");
        }
        if (every != null && latest == null) {
            throw wrong("--every is for --latest: give both");
        }
        if (fill != null && !grouped) {
            throw wrong("--fill is for time buckets: give --bucket, or a DATE_TRUNC last in --group-by");
        }
        if (origin != null && bucket == null) {
            throw wrong("--origin is for --bucket: give both; steps of the calendar have none");
        }
        if (having != null && (count || latest != null || serial || pairs || kinds == 0)) {
            throw wrong("--having is for --agg (with --group-by, --bucket); for tuples there is --where");
        }
        if (page != null && (kinds > 0 || distinct || orderBy.isEmpty() || limit == null || limit == 0)) {
            throw wrong("--page is for tuples, with --order-by and a --limit of at least 1");
        }
        long most = limit == null ? Query.NO_LIMIT : limit;
        try {
            if (count) {
                return ResultSpec.Aggregates.COUNT;
            } else if (pairs) {
                List<KeyTime> all = new ArrayList<>(at);
                all.addAll(atFile == null ? List.of() : KeyTimeText.read(atFile));
                return new ResultSpec.Lookup(
                        all, asOf, NamedExpression.names(AggregateTexts.named("--select", select)));
            } else if (latest != null) {
                return new ResultSpec.Latest(
                        latest,
                        every == null ? 1 : every,
                        AggregateTexts.named("--select", select).stream()
                                .map(this::fieldName)
                                .toList());
            } else if (serial) {
                return new ResultSpec.Series(
                        NamedExpression.names(AggregateTexts.named("--group-by", groupBy)),
                        AggregateTexts.named("--select", select),
                        AggregateTexts.neighbours(series),
                        downsample == null ? null : Downsampling.parse(downsample),
                        most);
            } else if (kinds == 1) {
                List<Aggregate> values = AggregateTexts.parse(aggregates);
                return new ResultSpec.Aggregates(
                        values.isEmpty() ? List.of(Aggregate.count()) : values,
                        AggregateTexts.named("--group-by", groupBy),
                        bucket == null ? null : ResultSpec.Bucket.of(bucket, origin == null ? Instant.EPOCH : origin),
                        fill,
                        having == null ? null : Expression.parse(having),
                        OrderTexts.parse(orderBy),
                        most);
            }
            List<NamedExpression> selected = AggregateTexts.named("--select", select);
            return distinct
                    ? ResultSpec.Aggregates.distinct(selected).withOrder(OrderTexts.parse(orderBy), most)
                    : new ResultSpec.Rows(
                            selected,
                            OrderTexts.parse(orderBy),
                            most,
                            page == null || page.equals("first") ? null : new PageToken(page));
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private String fieldName(NamedExpression selected) {
        if (!selected.isField()) {
            throw wrong("--select with --latest takes fields of the stream, got '" + selected + "'");
        }
        return selected.name();
    }

    private ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what.replaceFirst("^query: ", ""));
    }
}
