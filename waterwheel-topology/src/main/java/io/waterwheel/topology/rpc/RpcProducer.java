package io.waterwheel.topology.rpc;

import io.grpc.Context;
import io.grpc.Deadline;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.Statement;
import io.waterwheel.schema.Field;
import io.waterwheel.wire.AdminCall;
import io.waterwheel.wire.WireQueries;
import io.waterwheel.wire.WireStatements;
import io.waterwheel.wire.proto.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.ActionType;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightProducer;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.PollInfo;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.SchemaResult;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Hands each call to its handler on its pool. Flight calls this on threads that must not block: what asks for rows,
 * with the events that tell of its readiness and of a client that is gone, comes on the thread that reads the network,
 * other calls on a pool.
 */
final class RpcProducer extends NoOpFlightProducer {
    /** So that a query that ends at its deadline is judged by what it lacks, not by how late its answer was sent. */
    private static final Duration SENDING_SLACK = Duration.ofSeconds(1);

    /** Subqueries end with their caller's deadline, which gRPC enforces; this is for one that has none. */
    private static final Duration SUBQUERY_LIMIT = Duration.ofHours(1);

    /** A longer one may take a while to read: a shape of thousands of corners, for instance. */
    private static final int SHORT_TICKET_BYTES = 16 << 10;

    private final RpcSettings settings;
    private final BufferAllocator allocator;
    private final QueryHandler queries;
    private final StatementHandler statements;
    private final AdminHandler admin;
    /** Null where no worker is to call. */
    private final @Nullable PeerHandler peers;

    private final @Nullable PeerGate gate;
    private final Executor queryPool;
    private final Executor subqueryPool;
    private final Executor callPool;
    /** For what is short, but not as short as it must be where the network is read. */
    private final Executor connections;
    /** Null where clients speak our own protocol only. */
    private final @Nullable FlightExtension extension;

    private final @Nullable FlightProducer extended;
    private volatile boolean closing;

    RpcProducer(
            RpcSettings settings,
            BufferAllocator allocator,
            QueryHandler queries,
            StatementHandler statements,
            AdminHandler admin,
            @Nullable PeerHandler peers,
            @Nullable PeerGate gate,
            Executor queryPool,
            Executor subqueryPool,
            Executor callPool,
            Executor connections,
            @Nullable FlightExtension extension) {
        this.settings = settings;
        this.allocator = allocator;
        this.queries = queries;
        this.statements = statements;
        this.admin = admin;
        this.peers = peers;
        this.gate = gate;
        this.queryPool = queryPool;
        this.subqueryPool = subqueryPool;
        this.callPool = callPool;
        this.connections = connections;
        this.extension = extension;
        this.extended = extension == null ? null : extension.over(new ExtensionServices());
    }

    /** What answers in the other protocol. */
    private FlightProducer extended() {
        if (extended == null) {
            throw new WaterwheelException(ErrorCode.BAD_REQUEST, "this port takes no such calls");
        }
        return extended;
    }

    private final class ExtensionServices implements FlightExtension.Services {
        @Override
        public BufferAllocator allocator() {
            return allocator;
        }

        @Override
        public FlightExtension.Headers headers() {
            return ThisCall.headers();
        }

        @Override
        public String client() {
            return ThisCall.client();
        }

        @Override
        public Schema schema(List<Field> fields, List<ColumnSink.Column> columns, FlightExtension.Form form) {
            return ArrowRows.schema(fields, columns, form);
        }

        @Override
        public Statement timed(Statement asked) {
            Duration timeout = timeout(asked.timeout());
            Deadline deadline = Context.current().getDeadline();
            if (deadline != null) {
                // Who gives up then would be told of what is missing too late.
                Duration left = Duration.ofMillis(Math.max(1, deadline.timeRemaining(TimeUnit.MILLISECONDS)));
                timeout = left.compareTo(timeout) < 0 ? left : timeout;
            }
            return asked.withTimeout(timeout);
        }

        @Override
        public void answer(
                Statement asked,
                FlightExtension.Form form,
                StatementHandler handler,
                ServerStreamListener listener,
                Consumer<Runnable> started,
                Runnable ended) {
            Statement statement = timed(handler.hinted(asked));
            RpcProducer.this.answer(
                    listener,
                    form,
                    Objects.requireNonNull(statement.timeout()),
                    statement.allowPartial(),
                    answer -> {
                        started.accept(answer::cancel);
                        handler.answer(statement, answer);
                    },
                    ended);
        }

        @Override
        public void run(FlightExtension.Work work, Consumer<FlightRuntimeException> failed) {
            try {
                submit(callPool, "calls", Context.current().wrap(() -> {
                    try {
                        work.run();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        failed.accept(error(e));
                    } catch (Exception | Error e) {
                        failed.accept(error(e));
                    }
                }));
            } catch (RuntimeException e) {
                failed.accept(error(e));
            }
        }

        @Override
        public Duration patience() {
            return settings.patience();
        }

        @Override
        public FlightRuntimeException error(Throwable failure) {
            return failure instanceof FlightRuntimeException flight ? flight : failure(failure);
        }
    }

    /** From now on calls end as soon as they can; see {@link RpcErrors#toFlight} for what they are told. */
    void closing() {
        closing = true;
    }

    private boolean isClosing() {
        return closing;
    }

    /** Of what no handler on a pool has begun. */
    private static FlightRuntimeException refusal(RuntimeException failure) {
        return RpcErrors.toFlight(RpcErrors.of(failure), false);
    }

    private FlightRuntimeException failure(Throwable failure) {
        return RpcErrors.toFlight(RpcErrors.of(failure), closing);
    }

    @Override
    public void getStream(
            CallContext context, org.apache.arrow.flight.Ticket flightTicket, ServerStreamListener listener) {
        byte[] ticket = flightTicket.getBytes();
        boolean isExtended = extension != null && extension.takesTicket(ticket);
        if (!isExtended && ticket.length <= SHORT_TICKET_BYTES) {
            getStream(ticket, listener);
            return;
        }
        try {
            submit(connections, "calls", Context.current().wrap(() -> {
                if (isExtended) {
                    extendedStream(context, flightTicket, listener);
                } else {
                    getStream(ticket, listener);
                }
            }));
        } catch (RuntimeException e) {
            listener.error(refusal(e));
        }
    }

    private void getStream(byte[] bytes, ServerStreamListener listener) {
        try {
            Ticket ticket = WireQueries.parseTicket(bytes);
            switch (ticket.getKindCase()) {
                case QUERY -> query(WireQueries.fromMessage(ticket.getQuery()), listener);
                case STATEMENT -> statement(WireStatements.fromMessage(ticket.getStatement()), listener);
                case SUBQUERY -> subquery(ticket.getSubquery().toByteArray(), listener);
                case KIND_NOT_SET -> throw new WaterwheelException(ErrorCode.BAD_QUERY, "the ticket holds no query");
            }
        } catch (RuntimeException e) {
            listener.error(refusal(e));
        } catch (Error e) {
            // The thread is that of every call of the connection.
            listener.error(failure(e));
        }
    }

    private void extendedStream(
            CallContext context, org.apache.arrow.flight.Ticket ticket, ServerStreamListener listener) {
        try {
            extended().getStream(context, ticket, listener);
        } catch (FlightRuntimeException e) {
            listener.error(e);
        } catch (RuntimeException e) {
            listener.error(refusal(e));
        }
    }

    private void query(Query asked, ServerStreamListener listener) {
        Duration timeout = timeout(asked.hasTimeout() ? asked.timeout() : null);
        Query query = asked.withTimeout(timeout);
        answer(
                listener,
                FlightExtension.Form.OWN,
                timeout,
                query.allowPartial(),
                answer -> queries.query(query, answer),
                () -> {});
    }

    private void statement(Statement asked, ServerStreamListener listener) {
        Statement hinted = statements.hinted(asked);
        Duration timeout = timeout(hinted.timeout());
        Statement statement = hinted.withTimeout(timeout);
        answer(
                listener,
                FlightExtension.Form.OWN,
                timeout,
                statement.allowPartial(),
                answer -> statements.answer(statement, answer),
                () -> {});
    }

    /** How long an answer may take; without a wish, what is usual. */
    private Duration timeout(@Nullable Duration wished) {
        Duration asked = wished == null ? settings.usualQuery() : wished;
        return asked.compareTo(settings.longestQuery()) > 0 ? settings.longestQuery() : asked;
    }

    /** What gives an answer. */
    private interface Answering {
        void to(FlightAnswer answer) throws InterruptedException;
    }

    private void answer(
            ServerStreamListener listener,
            FlightExtension.Form form,
            Duration timeout,
            boolean allowPartial,
            Answering answering,
            Runnable ended) {
        // What an answer that may lack something has by its deadline is sent after it.
        Duration sending = allowPartial ? timeout.plus(settings.patience()) : timeout;
        FlightAnswer answer = new FlightAnswer(
                listener,
                allocator,
                System.nanoTime() + sending.plus(SENDING_SLACK).toNanos(),
                settings.patience().toNanos(),
                this::isClosing,
                ThisCall.client(),
                ThisCall.trace(),
                form,
                ThisCall.network());
        submit(queryPool, "queries", () -> {
            try (answer) {
                try {
                    answering.to(answer);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    answer.fail(RpcErrors.of(e));
                } catch (RuntimeException | Error e) {
                    answer.fail(RpcErrors.of(e));
                }
                if (!answer.ended()) {
                    answer.fail(RpcErrors.of(new IllegalStateException("the answer was given no end")));
                }
            } finally {
                ended.run();
            }
        });
    }

    /** Who takes what a worker sends, if this call is a worker's. */
    private PeerHandler peers() {
        if (peers == null) {
            throw new WaterwheelException(ErrorCode.NOT_A_WORKER, "this port is for clients, not for workers");
        }
        PeerGate.requireProved();
        return peers;
    }

    private void subquery(byte[] request, ServerStreamListener listener) {
        PeerHandler handler = peers();
        FlightMessages messages =
                new FlightMessages(listener, allocator, System.nanoTime() + SUBQUERY_LIMIT.toNanos(), this::isClosing);
        submit(subqueryPool, "subqueries", () -> {
            try {
                handler.subquery(request, messages);
                listener.completed();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                listener.error(failure(e));
            } catch (RuntimeException | Error e) {
                listener.error(failure(e));
            }
        });
    }

    @Override
    public void doAction(CallContext context, Action action, StreamListener<Result> listener) {
        try {
            String type = action.getType();
            if (type.equals(ControlFrames.ACTION)) {
                PeerHandler handler = peers();
                for (ControlFrames.Frame frame : ControlFrames.read(action.getBody())) {
                    handler.control(frame.target(), frame.message());
                }
                listener.onCompleted();
                return;
            }
            if (gate != null && (type.equals(PeerGate.CHALLENGE) || type.equals(PeerGate.PROOF))) {
                listener.onNext(new Result(gate.answer(type, action.getBody())));
                listener.onCompleted();
                return;
            }
            if (extension != null && extension.takesAction(type)) {
                FlightProducer other = extended();
                new ExtensionServices().run(() -> other.doAction(context, action, listener), listener::onError);
                return;
            }
            submit(callPool, "calls", () -> call(context, action, listener));
        } catch (RuntimeException e) {
            listener.onError(refusal(e));
        }
    }

    /** Called on a thread that may block: RpcServer gives these calls threads of their own. */
    @Override
    public FlightInfo getFlightInfo(CallContext context, FlightDescriptor descriptor) {
        try {
            return extended().getFlightInfo(context, descriptor);
        } catch (RuntimeException e) {
            throw e instanceof FlightRuntimeException flight ? flight : failure(e);
        }
    }

    /** Not offered: it would be answered by GetFlightInfo, on a thread of the connections, which may not block. */
    @Override
    public PollInfo pollFlightInfo(CallContext context, FlightDescriptor descriptor) {
        throw CallStatus.UNIMPLEMENTED
                .withDescription("PollFlightInfo is not offered; call GetFlightInfo")
                .toRuntimeException();
    }

    /** As {@link #getFlightInfo}. */
    @Override
    public SchemaResult getSchema(CallContext context, FlightDescriptor descriptor) {
        try {
            return extended().getSchema(context, descriptor);
        } catch (RuntimeException e) {
            throw e instanceof FlightRuntimeException flight ? flight : failure(e);
        }
    }

    /** Called on a thread of those for puts. */
    @Override
    public Runnable acceptPut(CallContext context, FlightStream stream, StreamListener<PutResult> acknowledged) {
        return extended().acceptPut(context, stream, acknowledged);
    }

    private void call(CallContext context, Action action, StreamListener<Result> listener) {
        try {
            byte[] reply = admin.call(action.getType(), action.getBody(), () -> closing || context.isCancelled());
            listener.onNext(new Result(reply));
            listener.onCompleted();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            listener.onError(failure(e));
        } catch (RuntimeException | Error e) {
            listener.onError(failure(e));
        }
    }

    @Override
    public void listActions(CallContext context, StreamListener<ActionType> listener) {
        for (String name : AdminCall.names()) {
            listener.onNext(new ActionType(name, "see waterwheel/v1/admin.proto"));
        }
        if (extended == null) {
            listener.onCompleted();
        } else {
            extended.listActions(context, listener);
        }
    }

    private void submit(Executor pool, String what, Runnable task) {
        try {
            pool.execute(task);
        } catch (RejectedExecutionException e) {
            throw new WaterwheelException(
                    ErrorCode.SERVER_BUSY,
                    closing
                            ? "the server is closing; ask again"
                            : "the server is answering as many " + what + " as it may at a time; ask again later",
                    e);
        }
    }
}
