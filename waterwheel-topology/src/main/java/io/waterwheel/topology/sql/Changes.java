package io.waterwheel.topology.sql;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.NearestName;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.sql.SqlPlanner;
import io.waterwheel.sql.SqlValues;
import io.waterwheel.sql.change.Change;
import io.waterwheel.sql.change.ChangeParser;
import io.waterwheel.sql.exec.ResidualExecutor;
import io.waterwheel.topology.rpc.AdminHandler;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.wire.AdminCall;
import io.waterwheel.wire.proto.AlterStreamRequest;
import io.waterwheel.wire.proto.CreateStreamRequest;
import io.waterwheel.wire.proto.DropStreamReply;
import io.waterwheel.wire.proto.DropStreamRequest;
import io.waterwheel.wire.proto.StreamDescription;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Statements that change something. Streams are made, changed and dropped by the calls of {@code admin.proto}; rows go
 * to their topic. Thread-safe; blocks.
 */
final class Changes {
    /** Of all but INSERT. */
    static final List<Field> RESULT = List.of(new Field("result", FieldType.STRING, false));
    /** Of INSERT. */
    static final List<Field> INSERTED =
            List.of(new Field("rows", FieldType.LONG, false), new Field("positions", FieldType.STRING, false));
    /** Each holds its rows in memory until they are sent. */
    private static final int INSERTS_AT_ONCE = 4;
    /** Running and waiting ones: each has a thread of the server's. */
    private static final int INSERTS_OPEN = 16;
    /** As many as the port for clients has of the calls that they stand for. */
    private static final int CALLS_AT_ONCE = 16;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final KnownStreams streams;
    private final ViewChanges views;
    private final boolean allowed;
    private final ResidualExecutor executor;
    private final AdminHandler calls;
    private final InsertLog log;
    private final Function<StreamInfo, StreamSnapshot> latest;
    private final LastVerdicts verdicts;
    private final Semaphore inserts = new Semaphore(INSERTS_AT_ONCE, true);
    private final Semaphore insertsOpen = new Semaphore(INSERTS_OPEN);
    private final Semaphore callsOpen = new Semaphore(CALLS_AT_ONCE, true);

    /** Answers the query of an INSERT; a statement that is none is refused. */
    @FunctionalInterface
    interface Source {
        void answer(Statement query, ColumnSink to) throws InterruptedException;
    }

    /**
     * @param allowed whether anything may be changed
     * @param executor reads the columns of files
     * @param latest the catalog of a stream with every edit that was committed before the call
     * @param verdicts are told of what was stored
     */
    Changes(
            boolean allowed,
            KnownStreams streams,
            ResidualExecutor executor,
            AdminHandler calls,
            InsertLog log,
            Function<StreamInfo, StreamSnapshot> latest,
            LastVerdicts verdicts) {
        this.streams = streams;
        this.views = new ViewChanges(streams);
        this.allowed = allowed;
        this.executor = executor;
        this.calls = calls;
        this.log = log;
        this.latest = latest;
        this.verdicts = verdicts;
    }

    /** What a statement changes; null when it is another. */
    static @Nullable Change of(Statement statement) {
        return statement.changes() ? ChangeParser.of(statement.sql()) : null;
    }

    static List<Field> fields(Change change) {
        return change instanceof Change.Insert ? INSERTED : RESULT;
    }

    /** The types of the columns that the rows of an INSERT are for. */
    List<ValueType> columns(Change.Insert insert) {
        return new InsertRows(stream(insert.stream()), insert.columns())
                .columns().stream().map(column -> ValueType.of(column.type())).toList();
    }

    /**
     * The types that the question marks of an INSERT are to have; null when those of its query are.
     *
     * @throws WaterwheelException code NO_SUCH_STREAM, NO_SUCH_FIELD
     */
    @Nullable
    List<ValueType> parameters(Change.Insert insert) {
        InsertRows rows = new InsertRows(stream(insert.stream()), insert.columns());
        SqlValues values = SqlPlanner.values(insert.source(), Instant.EPOCH);
        if (values == null) {
            return null;
        }
        List<Field> columns = rows.columns();
        ValueType[] types = new ValueType[values.parameters()];
        for (List<SqlValues.Value> row : values.rows()) {
            rows.requireColumns(row.size());
            for (int c = 0; c < row.size(); c++) {
                if (row.get(c).literal() == null) {
                    types[row.get(c).parameter()] = ValueType.of(columns.get(c).type());
                }
            }
        }
        return Arrays.asList(types);
    }

    /**
     * Makes the change, and says so. A change that was made is never told as a failure that may be tried again: when
     * the answer cannot be handed over, the code is OUTCOME_UNKNOWN, and the message says what was done.
     *
     * @param statements the same statement with other parameters each, at least one; all of an INSERT are one
     * @param source answers the query of an INSERT
     * @return rows that were stored
     */
    long make(Change change, List<Statement> statements, long deadlineNanos, Source source, ColumnSink sink)
            throws InterruptedException {
        if (!allowed) {
            throw new WaterwheelException(
                    ErrorCode.NOT_ALLOWED,
                    "statement: it would change something, which this server denies (sql.changes: deny)");
        }
        MemoryRows answer = new MemoryRows(fields(change));
        long rows = 0;
        if (change instanceof Change.Insert insert) {
            rows = insert(insert, statements, deadlineNanos, source, sink, answer);
        } else {
            Statement statement = statements.get(0);
            statement.requireDemandsOf(Set.of());
            if (!statement.parameters().isEmpty()) {
                throw new WaterwheelException(
                        ErrorCode.BAD_SQL,
                        "statement: it takes no values, got "
                                + statement.parameters().size());
            }
            answer.add(define(change, deadlineNanos, sink));
        }
        try {
            tell(answer, sink);
        } catch (RuntimeException | Error e) {
            String done = change instanceof Change.Insert ? rows + " rows were stored" : "the stream is as it demands";
            throw new WaterwheelException(
                    ErrorCode.OUTCOME_UNKNOWN,
                    "the statement was done (" + done + "), and must not be sent again; its answer could not be handed"
                            + " over: " + e.getMessage(),
                    e);
        }
        return rows;
    }

    private static void tell(MemoryRows answer, ColumnSink sink) {
        List<ColumnSink.Column> columns = new ArrayList<>();
        answer.fields().forEach(field -> columns.add(new ColumnSink.Column(field.name(), columns.size())));
        sink.show(columns);
        answer.to(sink);
    }

    /**
     * Tells the answer of a change that was made.
     *
     * @throws WaterwheelException code BAD_REQUEST, when the row is none of such an answer
     */
    static void tell(List<Expression.Literal> row, ColumnSink sink) {
        if (row.size() == 2
                && row.get(0) instanceof Expression.Whole rows
                && row.get(1) instanceof Expression.Text positions) {
            tell(new MemoryRows(INSERTED).add(rows.value(), positions.value()), sink);
        } else if (row.size() == 1 && row.get(0) instanceof Expression.Text result) {
            tell(new MemoryRows(RESULT).add(result.value()), sink);
        } else {
            throw new WaterwheelException(ErrorCode.BAD_REQUEST, "the ticket is none that this server gave");
        }
    }

    /** Waits for a permit, as long as the statement has time and its client is there. */
    private static void acquire(Semaphore of, long deadlineNanos, ColumnSink sink, String busy)
            throws InterruptedException {
        do {
            requireWanted(sink);
            if (deadlineNanos - System.nanoTime() <= 0) {
                throw new WaterwheelException(ErrorCode.SERVER_BUSY, busy);
            }
        } while (!of.tryAcquire(Math.min(LOOK_NANOS, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS));
    }

    private static void requireWanted(ColumnSink sink) {
        if (sink.cancelled()) {
            throw new WaterwheelException(ErrorCode.CANCELLED, "the statement was cancelled; nothing was done");
        }
    }

    // Streams.

    private String define(Change change, long deadlineNanos, ColumnSink sink) throws InterruptedException {
        acquire(
                callsOpen,
                deadlineNanos,
                sink,
                "the server is busy: " + CALLS_AT_ONCE + " statements change streams; nothing was done, try again");
        try {
            return define(change, sink, deadlineNanos);
        } finally {
            callsOpen.release();
        }
    }

    /** Whether a stream exists is decided by the call: what this worker last saw may be old. */
    private String define(Change change, ColumnSink sink, long deadlineNanos) throws InterruptedException {
        if (change instanceof Change.Create create) {
            CreateStreamRequest request = CreateStreamRequest.newBuilder()
                    .setDefinitionJson(create.definition())
                    .build();
            try {
                call(request, StreamDescription.getDefaultInstance(), sink);
            } catch (WaterwheelException e) {
                if (create.ifNotExists() && e.is(ErrorCode.STREAM_EXISTS)) {
                    return "stream " + create.stream() + " exists";
                }
                throw e;
            }
            return "stream " + create.stream() + " created";
        } else if (change instanceof Change.Drop drop) {
            String name = streams.nameOf(drop.stream());
            try {
                call(DropStreamRequest.newBuilder().setName(name).build(), DropStreamReply.getDefaultInstance(), sink);
            } catch (WaterwheelException e) {
                if (drop.ifExists() && e.is(ErrorCode.NO_SUCH_STREAM)) {
                    return "there is no stream " + name;
                } else if (e.is(ErrorCode.NO_SUCH_STREAM) && streams.find(name) == null) {
                    StreamInfo none = required(name, null);
                    throw new IllegalStateException("found " + none.name(), e);
                }
                throw e;
            }
            return "stream " + name + " dropped";
        } else if (change instanceof Change.CreateView create) {
            return views.create(create, sink.client());
        } else if (change instanceof Change.DropView drop) {
            return views.drop(drop, sink.client());
        } else if (change instanceof Change.CreateTable create) {
            return streams.tables().create(create, streams, executor, deadlineNanos, sink);
        } else if (change instanceof Change.DropTable drop) {
            return streams.tables().drop(drop, streams, sink.client());
        } else if (change instanceof Change.Alter alter) {
            String name = streams.nameOf(alter.stream());
            call(altered(name, alter.options()), StreamDescription.getDefaultInstance(), sink);
            return "stream " + name + " altered";
        }
        throw new IllegalStateException("a change of " + change.getClass());
    }

    private static AlterStreamRequest altered(String name, Map<String, String> options) {
        AlterStreamRequest.Builder request = AlterStreamRequest.newBuilder().setName(name);
        options.forEach((option, value) -> {
            switch (option) {
                case "balancing" -> request.setBalancing(value);
                case "dead-letters" -> request.setDeadLetters(value);
                case "indexed-records" -> request.setIndexedRecords(value);
                case "log-loss" -> request.setLogLoss(value);
                case "retention" -> request.setRetention(value);
                case "indexers" -> {
                    try {
                        request.setIndexers(Integer.parseInt(value));
                    } catch (NumberFormatException e) {
                        throw new WaterwheelException(
                                ErrorCode.BAD_REQUEST,
                                "stream " + name + ": indexers: expected a whole number, got '" + value + "'",
                                e);
                    }
                }
                default -> throw new IllegalStateException("an option " + option);
            }
        });
        return request.build();
    }

    /** By the same way as a client's call: what that checks is checked. */
    private <Q extends Message, R extends Message> void call(Q request, R reply, ColumnSink sink) {
        AdminCall<Q, R> call = AdminCall.of(request, reply);
        byte[] answered;
        try {
            answered = calls.call(call.name(), request.toByteArray(), sink::cancelled);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        } catch (WaterwheelException e) {
            // Who is interrupted in the middle fails with anything.
            throw Thread.currentThread().isInterrupted() && e.kind() != WaterwheelException.Kind.USER
                    ? interrupted(e)
                    : e;
        }
        try {
            R unused = call.readReply(answered);
        } catch (InvalidProtocolBufferException e) {
            throw new WaterwheelException(ErrorCode.BUG, "the reply to " + call.name() + " is none", e);
        }
    }

    private static WaterwheelException interrupted(Exception cause) {
        return new WaterwheelException(
                ErrorCode.OUTCOME_UNKNOWN, "the server is closing; look whether the statement was done", cause);
    }

    // Rows.

    private StreamInfo stream(String written) {
        String name = streams.nameOf(written);
        return required(name, streams.find(name));
    }

    private StreamInfo current(String written) {
        String name = streams.nameOf(written);
        return required(name, streams.current(name));
    }

    private StreamInfo required(String name, @Nullable StreamInfo found) {
        if (found == null) {
            String otherwise = streams.otherwise(name);
            throw new WaterwheelException(
                    ErrorCode.NO_SUCH_STREAM,
                    "statement: there is no stream '" + name + "'"
                            + (otherwise.isEmpty() ? NearestName.question(name, streams.names()) : otherwise));
        }
        return found;
    }

    private long insert(
            Change.Insert insert,
            List<Statement> statements,
            long deadlineNanos,
            Source source,
            ColumnSink sink,
            MemoryRows answer)
            throws InterruptedException {
        if (!insertsOpen.tryAcquire()) {
            throw new WaterwheelException(
                    ErrorCode.SERVER_BUSY,
                    "the server is busy: " + INSERTS_OPEN + " INSERT statements run or wait; nothing was stored, try"
                            + " again");
        }
        try {
            acquire(
                    inserts,
                    deadlineNanos,
                    sink,
                    "the server is busy: " + INSERTS_AT_ONCE + " INSERT statements run; nothing was stored, try again");
            try {
                return insertOne(insert, statements, deadlineNanos, source, sink, answer);
            } finally {
                inserts.release();
            }
        } finally {
            insertsOpen.release();
        }
    }

    private long insertOne(
            Change.Insert insert,
            List<Statement> statements,
            long deadlineNanos,
            Source source,
            ColumnSink sink,
            MemoryRows answer)
            throws InterruptedException {
        StreamInfo stream = current(insert.stream());
        InsertRows rows = new InsertRows(stream, insert.columns());
        // Of NOW(): a TIMESTAMP(3).
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        SqlValues values = SqlPlanner.values(insert.source(), now);
        for (Statement statement : statements) {
            if (values != null) {
                statement.requireDemandsOf(Set.of());
                add(values, statement.parameters(), rows);
            } else {
                Duration left = Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime()));
                // What is missing would be missing for good.
                Inserted taken = new Inserted(rows, sink);
                source.answer(
                        new Statement(insert.source(), left, false, statement.atLeast(), statement.parameters()),
                        taken);
                taken.requireWhole();
            }
        }
        Map<Integer, Long> positions = append(stream, rows, deadlineNanos, sink);
        Map<String, Map<Integer, Long>> stored = positions.isEmpty() ? Map.of() : Map.of(stream.name(), positions);
        answer.add((long) rows.rows(), DemandText.of(stored));
        verdicts.note(sink.client(), new LastVerdicts.Told(true, List.of(), rows.rows(), stored));
        return rows.rows();
    }

    private static void add(SqlValues values, List<Expression.Literal> parameters, InsertRows rows) {
        if (values.parameters() != parameters.size()) {
            throw new WaterwheelException(
                    ErrorCode.BAD_SQL,
                    "statement: expected a value for each of its " + values.parameters() + " question marks, got "
                            + parameters.size());
        }
        for (List<SqlValues.Value> row : values.rows()) {
            rows.requireColumns(row.size());
            rows.addLiterals(row.stream()
                    .map(value -> value.literal() == null ? parameters.get(value.parameter()) : value.literal())
                    .toList());
        }
    }

    private Map<Integer, Long> append(StreamInfo stream, InsertRows rows, long deadlineNanos, ColumnSink sink)
            throws InterruptedException {
        List<byte[]> records = rows.records();
        if (records.isEmpty()) {
            return Map.of();
        }
        StreamSnapshot snapshot = latest.apply(stream);
        requireWanted(sink);
        // Looked up before the rows are there: nothing may fail afterwards.
        long[] bases = new long[snapshot.partitions()];
        for (int partition = 0; partition < bases.length; partition++) {
            bases[partition] = snapshot.route(partition).log().base();
        }
        Map<Integer, Long> positions = new TreeMap<>();
        log.append(stream.topic(), bases.length, records, deadlineNanos, sink::cancelled, () -> requireStill(stream))
                .forEach((partition, offset) -> positions.put(partition, offset + bases[partition]));
        return positions;
    }

    /** The records are of its schema: another stream would set them aside, or take them for its own. */
    private void requireStill(StreamInfo stream) {
        StreamInfo now = streams.current(stream.name());
        if (now == null || now.id() != stream.id()) {
            throw new WaterwheelException(
                    ErrorCode.NO_SUCH_STREAM,
                    "statement: stream " + stream.name() + " was dropped" + (now == null ? "" : " and made anew")
                            + " meanwhile; nothing was stored");
        }
    }
}
