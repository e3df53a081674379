package io.waterwheel.topology.flightsql;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.topology.rpc.FlightExtension;
import io.waterwheel.topology.sql.StatementShape;
import io.waterwheel.topology.sql.Statements;
import java.util.List;
import java.util.function.Consumer;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.SchemaResult;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.CancelResult;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionClosePreparedStatementRequest;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionCreatePreparedStatementRequest;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionCreatePreparedStatementResult;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandPreparedStatementQuery;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandPreparedStatementUpdate;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementQuery;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementUpdate;
import org.apache.arrow.flight.sql.impl.FlightSql.DoPutPreparedStatementResult;
import org.apache.arrow.flight.sql.impl.FlightSql.DoPutUpdateResult;
import org.apache.arrow.flight.sql.impl.FlightSql.TicketStatementQuery;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * The calls of Flight SQL about statements. {@code get} calls of Flight that plan run on threads that may block, and so
 * do actions; see {@link io.waterwheel.topology.rpc.RpcServer}. Thread-safe.
 */
final class FlightSqlService extends CatalogService {
    private final Statements statements;
    /** A tag and a number. */
    private static final int MOST_REPLY_BYTES = 16;

    /** The header by which gRPC tells that it sends a call again that a server may have seen. */
    private static final String ATTEMPTS_BEFORE = "grpc-previous-rpc-attempts";

    /** Of values that wait for their statement to run. */
    private static final long MOST_BOUND_BYTES = 64L << 20;

    private final BoundMemory bound = new BoundMemory(MOST_BOUND_BYTES);
    private final OpenStatements open = new OpenStatements();

    FlightSqlService(FlightExtension.Services services, Statements statements) {
        super(services, statements);
        this.statements = statements;
    }

    private Schema schema(StatementShape shape, FlightExtension.Form form) {
        return services().schema(shape.fields(), shape.columns(), form);
    }

    // Statements.

    @Override
    public FlightInfo getFlightInfoStatement(
            CommandStatementQuery command, CallContext context, FlightDescriptor descriptor) {
        return info(statement(command.getQuery()), context, descriptor);
    }

    @Override
    public FlightInfo getFlightInfoPreparedStatement(
            CommandPreparedStatementQuery command, CallContext context, FlightDescriptor descriptor) {
        return info(StatementHandles.statement(command.getPreparedStatementHandle()), context, descriptor);
    }

    private static Statement statement(String sql) {
        try {
            return Statement.of(sql);
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_SQL, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * What a query's answer will be, and its ticket. A change is made here: a driver that wants no rows of an answer
     * drops its stream before the server has begun it, or never asks for it.
     */
    private FlightInfo info(Statement statement, CallContext context, FlightDescriptor descriptor) {
        FlightSqlSession session = session();
        FlightExtension.Form form = form(session);
        StatementShape shape = statements.shape(statement);
        Statement asked = session.over(statement, shape.streams());
        Schema schema = schema(shape, form);
        ByteString handle;
        if (statement.changes()) {
            UpdateSink sink = new UpdateSink(context::isCancelled, services().client());
            long unused = change(List.of(services().timed(statements.hinted(asked))), sink);
            handle = StatementHandles.doneTicket(sink.row(), form);
        } else {
            handle = StatementHandles.ticket(asked, form);
        }
        TicketStatementQuery ticket =
                TicketStatementQuery.newBuilder().setStatementHandle(handle).build();
        return new FlightInfo(schema, descriptor, determineEndpoints(ticket, descriptor, schema), -1, -1);
    }

    /** Without a location: the server that was asked, by the address that its client knows. */
    @Override
    protected <T extends Message> List<FlightEndpoint> determineEndpoints(
            T request, FlightDescriptor descriptor, Schema schema) {
        return List.of(new FlightEndpoint(new Ticket(Any.pack(request).toByteArray())));
    }

    @Override
    public SchemaResult getSchemaStatement(
            CommandStatementQuery command, CallContext context, FlightDescriptor descriptor) {
        return new SchemaResult(schema(statements.shape(statement(command.getQuery())), form(session())));
    }

    @Override
    public SchemaResult getSchemaPreparedStatement(
            CommandPreparedStatementQuery command, CallContext context, FlightDescriptor descriptor) {
        return new SchemaResult(schema(
                statements.shape(StatementHandles.statement(command.getPreparedStatementHandle())), form(session())));
    }

    @Override
    public void getStreamStatement(TicketStatementQuery ticket, CallContext context, ServerStreamListener listener) {
        answer(StatementHandles.asked(ticket.getStatementHandle()), listener);
    }

    @Override
    public void getStreamPreparedStatement(
            CommandPreparedStatementQuery command, CallContext context, ServerStreamListener listener) {
        FlightSqlSession session = session();
        Statement asked = StatementHandles.statement(command.getPreparedStatementHandle());
        if (asked.changes()) {
            listener.error(CallStatus.INVALID_ARGUMENT
                    .withDescription("what changes something is done by GetFlightInfo or DoPut, and not by DoGet")
                    .toRuntimeException());
            return;
        }
        FlightExtension.Form form = form(session);
        ByteString ticket = StatementHandles.ticket(asked, form);
        services()
                .run(
                        () -> answer(
                                new StatementHandles.Asked(
                                        session.over(
                                                asked, statements.shape(asked).streams()),
                                        form,
                                        StatementHandles.id(ticket),
                                        false),
                                listener),
                        listener::error);
    }

    private void answer(StatementHandles.Asked asked, ServerStreamListener listener) {
        services()
                .answer(
                        asked.statement(),
                        asked.form(),
                        asked.done() ? Statements.DONE : statements,
                        listener,
                        cancel -> open.began(asked.id(), cancel),
                        () -> open.ended(asked.id()));
    }

    // Prepared statements.

    @Override
    public void createPreparedStatement(
            ActionCreatePreparedStatementRequest request, CallContext context, StreamListener<Result> listener) {
        guarded(listener, to -> {
            FlightExtension.Form form = form(session());
            Statement statement = statement(request.getQuery());
            StatementShape shape = statements.shape(statement);
            ActionCreatePreparedStatementResult.Builder created = ActionCreatePreparedStatementResult.newBuilder()
                    .setPreparedStatementHandle(StatementHandles.handle(statement))
                    .setDatasetSchema(ColumnTypes.bytes(schema(shape, form)));
            if (statement.changes()) {
                // By this drivers know what is executed as an update.
                created.setDatasetSchema(ColumnTypes.bytes(new Schema(List.of())));
            }
            if (!shape.parameters().isEmpty()) {
                created.setParameterSchema(ColumnTypes.bytes(ColumnTypes.parameters(
                        services(),
                        shape.parameters(),
                        form,
                        FlightSqlSession.bindsMillis(services().headers()))));
            }
            to.onNext(new Result(Any.pack(created.build()).toByteArray()));
            to.onCompleted();
        });
    }

    /** There is nothing to close. */
    @Override
    public void closePreparedStatement(
            ActionClosePreparedStatementRequest request, CallContext context, StreamListener<Result> listener) {
        listener.onCompleted();
    }

    /** Runs on a thread for puts, as long as the client sends. */
    @Override
    public Runnable acceptPut(CallContext context, FlightStream stream, StreamListener<PutResult> acknowledged) {
        return () -> {
            PutWatch watch = PutWatch.begin(services().patience());
            try {
                super.acceptPut(context, stream, acknowledged).run();
            } catch (RuntimeException e) {
                acknowledged.onError(services()
                        .error(
                                watch.end()
                                        ? new WaterwheelException(
                                                ErrorCode.CLIENT_SLOW,
                                                "the client did not send all of its values within "
                                                        + services().patience(),
                                                e)
                                        : e));
            } finally {
                boolean unused = watch.end();
            }
        };
    }

    @Override
    public Runnable acceptPutPreparedStatementQuery(
            CommandPreparedStatementQuery command,
            CallContext context,
            FlightStream stream,
            StreamListener<PutResult> acknowledged) {
        return () -> {
            Statement statement = StatementHandles.statement(command.getPreparedStatementHandle());
            try (BoundMemory.Share memory = bound.share(BoundRow.MOST_BYTES)) {
                List<Expression.Literal> values = BoundRow.read(stream, memory);
                PutWatch.received();
                ByteString handle = DoPutPreparedStatementResult.newBuilder()
                        .setPreparedStatementHandle(StatementHandles.handle(statement.withParameters(values)))
                        .build()
                        .toByteString();
                try (ArrowBuf buffer = services().allocator().buffer(handle.size())) {
                    buffer.writeBytes(handle.toByteArray());
                    acknowledged.onNext(PutResult.metadata(buffer));
                }
                acknowledged.onCompleted();
            }
        };
    }

    // Updates.

    @Override
    public Runnable acceptPutStatement(
            CommandStatementUpdate command,
            CallContext context,
            FlightStream stream,
            StreamListener<PutResult> acknowledged) {
        return () -> {
            Statement statement = statement(command.getQuery());
            while (stream.next()) {
                // A statement without values: what comes beside it means nothing.
            }
            update(List.of(statement), context, acknowledged);
        };
    }

    /** The rows of a batch are one statement: all of them are stored, or none. */
    @Override
    public Runnable acceptPutPreparedStatementUpdate(
            CommandPreparedStatementUpdate command,
            CallContext context,
            FlightStream stream,
            StreamListener<PutResult> acknowledged) {
        return () -> {
            Statement statement = StatementHandles.statement(command.getPreparedStatementHandle());
            try (BoundMemory.Share memory = bound.share(BoundRow.MOST_BYTES)) {
                List<Statement> all = BoundRow.readAll(stream, memory).stream()
                        .map(statement::withParameters)
                        .toList();
                update(all.isEmpty() ? List.of(statement) : all, context, acknowledged);
            }
        };
    }

    private void update(List<Statement> asked, CallContext context, StreamListener<PutResult> acknowledged) {
        PutWatch.received();
        FlightSqlSession session = session();
        List<String> read = statements.shape(asked.get(0)).streams();
        List<Statement> timed = asked.stream()
                .map(statement -> services().timed(statements.hinted(session.over(statement, read))))
                .toList();
        // Its memory is taken before something is done that could not be told for want of it.
        try (ArrowBuf buffer = services().allocator().buffer(MOST_REPLY_BYTES)) {
            long rows = change(
                    timed, new UpdateSink(context::isCancelled, services().client()));
            try {
                buffer.writeBytes(DoPutUpdateResult.newBuilder()
                        .setRecordCount(rows)
                        .build()
                        .toByteArray());
                acknowledged.onNext(PutResult.metadata(buffer));
                acknowledged.onCompleted();
            } catch (RuntimeException e) {
                throw new WaterwheelException(
                        ErrorCode.OUTCOME_UNKNOWN,
                        "the statement was done (" + rows + " rows were stored), and must not be sent again; its answer"
                                + " could not be handed over: " + e.getMessage(),
                        e);
            }
        }
    }

    private long change(List<Statement> timed, UpdateSink sink) {
        if (services().headers().get(ATTEMPTS_BEFORE) != null) {
            throw new WaterwheelException(
                    ErrorCode.OUTCOME_UNKNOWN,
                    "the client's gRPC sent the statement a second time, by itself; whether the first was done is not"
                            + " known, so the second was not: look before you try again");
        }
        try {
            return statements.update(timed, sink);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaterwheelException(
                    ErrorCode.OUTCOME_UNKNOWN, "the server is closing; look whether the statement was run", e);
        }
    }

    // What is not done here.

    @Override
    public Runnable acceptPutStatementBulkIngest(
            CommandStatementIngest command,
            CallContext context,
            FlightStream stream,
            StreamListener<PutResult> acknowledged) {
        throw new WaterwheelException(
                ErrorCode.SQL_UNSUPPORTED,
                "statement: tables of rows are not taken; INSERT is, also with many rows of values, and Kafka");
    }

    // Cancelling.

    @Override
    public void cancelFlightInfo(
            CancelFlightInfoRequest request, CallContext context, StreamListener<CancelStatus> listener) {
        guarded(listener, to -> {
            to.onNext(cancel(request.getInfo()) ? CancelStatus.CANCELLED : CancelStatus.NOT_CANCELLABLE);
            to.onCompleted();
        });
    }

    @Override
    @SuppressWarnings("deprecation") // older drivers send it
    public void cancelQuery(FlightInfo info, CallContext context, StreamListener<CancelResult> listener) {
        guarded(listener, to -> {
            to.onNext(cancel(info) ? CancelResult.CANCELLED : CancelResult.NOT_CANCELLABLE);
            to.onCompleted();
        });
    }

    private boolean cancel(FlightInfo info) {
        boolean any = false;
        for (FlightEndpoint endpoint : info.getEndpoints()) {
            try {
                Any ticket = Any.parseFrom(endpoint.getTicket().getBytes());
                if (ticket.is(TicketStatementQuery.class)) {
                    any |= open.cancel(StatementHandles.id(
                            ticket.unpack(TicketStatementQuery.class).getStatementHandle()));
                }
            } catch (InvalidProtocolBufferException e) {
                throw new WaterwheelException(
                        ErrorCode.BAD_REQUEST, "cancel: the ticket is none that this server gave", e);
            }
        }
        return any;
    }

    /** Tells the caller of a failure in our words. */
    private <T> void guarded(StreamListener<T> listener, Consumer<StreamListener<T>> work) {
        try {
            work.accept(listener);
        } catch (RuntimeException e) {
            listener.onError(services().error(e));
        }
    }
}
