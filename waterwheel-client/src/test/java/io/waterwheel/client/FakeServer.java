package io.waterwheel.client;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.Statement;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.wire.TraceParent;
import io.waterwheel.wire.TypeMetadata;
import io.waterwheel.wire.WireErrors;
import io.waterwheel.wire.WireQueries;
import io.waterwheel.wire.WireStatements;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.locks.LockSupport;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.ErrorFlightMetadata;
import org.apache.arrow.flight.FlightConstants;
import org.apache.arrow.flight.FlightProducer;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** A Flight server that speaks the published protocol, value by value, and answers what a test says. */
public final class FakeServer implements AutoCloseable {
    /** Answers one query on the server's thread. */
    public interface Answers {
        void answer(Query query, Answer answer) throws Exception;
    }

    /** Answers one call. */
    public interface Calls {
        byte[] call(String action, byte[] body) throws Exception;
    }

    private static final int CLOSE_SECONDS = 30;

    private final BufferAllocator allocator = new RootAllocator();

    /**
     * Not Flight's own: that one is shut down first of all, and gRPC can then tell no answer under way that its client
     * is gone. It would go on for ever.
     */
    private final ExecutorService executor = Executors.newCachedThreadPool();

    private final FlightServer server;
    private final Answers answers;
    private final Calls calls;

    /** The answers under way, and the server. */
    private final Phaser answering = new Phaser(1);

    /** Every query that came, in order. */
    public final List<Query> queries = new CopyOnWriteArrayList<>();
    /** The {@code traceparent} of each query and statement, in order. */
    public final List<Traced> traces = new CopyOnWriteArrayList<>();
    /** Statements that were asked, in order; each is answered as a query of a stream "statement". */
    public final List<Statement> statements = new CopyOnWriteArrayList<>();

    /**
     * What came with a query or statement.
     *
     * @param stream that it asks of
     * @param parent empty where it came without
     */
    public record Traced(String stream, String parent) {}

    private FakeServer(Answers answers, Calls calls) throws IOException {
        this.answers = answers;
        this.calls = calls;
        this.server = FlightServer.builder(allocator, Location.forGrpcInsecure("127.0.0.1", 0), new Producer())
                .executor(executor)
                .build();
        server.start();
    }

    public static FakeServer start(Answers answers, Calls calls) throws IOException {
        return new FakeServer(answers, calls);
    }

    public static FakeServer answering(Answers answers) throws IOException {
        return start(answers, (action, body) -> {
            throw new AssertionError("not asked for: " + action);
        });
    }

    public String url() {
        return "grpc://127.0.0.1:" + server.getPort();
    }

    @Override
    public void close() throws Exception {
        server.shutdown();
        try {
            server.close();
            // A cancelled call counts as ended while its answer still holds memory.
            answering.awaitAdvanceInterruptibly(answering.arrive(), CLOSE_SECONDS, SECONDS);
        } finally {
            executor.shutdownNow();
        }
        allocator.close();
    }

    /** A failure as the server of the protocol sends it. */
    public static FlightRuntimeException failure(CallStatus status, WaterwheelException error) {
        ErrorFlightMetadata metadata = new ErrorFlightMetadata();
        metadata.insert(WireErrors.TRAILER, WireErrors.detail(error));
        return status.withDescription("see the detail").withMetadata(metadata).toRuntimeException();
    }

    /** One answer under way. */
    public static final class Answer {
        private final FlightProducer.ServerStreamListener listener;
        private final BufferAllocator allocator;
        private @Nullable VectorSchemaRoot root;

        Answer(FlightProducer.ServerStreamListener listener, BufferAllocator allocator) {
            this.listener = listener;
            this.allocator = allocator;
        }

        public void start(List<Field> fields) {
            List<org.apache.arrow.vector.types.pojo.Field> arrow = new ArrayList<>();
            for (Field field : fields) {
                arrow.add(new org.apache.arrow.vector.types.pojo.Field(
                        field.name(),
                        new FieldType(field.nullable(), type(field.type()), null, TypeMetadata.of(field.type())),
                        null));
            }
            root = VectorSchemaRoot.create(new Schema(arrow), allocator);
            listener.start(root);
        }

        public void rows(List<@Nullable Object[]> rows) {
            fill(rows);
            listener.putNext();
        }

        private void fill(List<@Nullable Object[]> rows) {
            root.clear();
            for (int f = 0; f < root.getFieldVectors().size(); f++) {
                FieldVector vector = root.getVector(f);
                vector.allocateNew();
                for (int r = 0; r < rows.size(); r++) {
                    set(vector, r, rows.get(r)[f]);
                }
                vector.setValueCount(rows.size());
            }
            root.setRowCount(rows.size());
        }

        /** The verdict, as the metadata of a message without rows. */
        public void verdict(Verdict verdict) {
            fill(List.of());
            byte[] bytes = WireQueries.verdict(verdict);
            ArrowBuf metadata = allocator.buffer(bytes.length);
            metadata.writeBytes(bytes);
            listener.putNext(metadata);
        }

        public void end() {
            listener.completed();
        }

        public void fail(FlightRuntimeException failure) {
            listener.error(failure);
        }

        /** Waits until the client takes more, or is gone. */
        public void awaitReady() {
            while (!listener.isReady() && !listener.isCancelled()) {
                LockSupport.parkNanos(100_000);
            }
        }

        public boolean cancelled() {
            return listener.isCancelled();
        }

        /** All of a plain answer. */
        public void whole(List<Field> fields, List<@Nullable Object[]> rows, Verdict verdict) {
            start(fields);
            if (!rows.isEmpty()) {
                rows(rows);
            }
            verdict(verdict);
            end();
        }
    }

    private static ArrowType type(io.waterwheel.schema.FieldType type) {
        return switch (type.kind()) {
            case INT -> new ArrowType.Int(32, true);
            case LONG -> new ArrowType.Int(64, true);
            case FLOAT -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
            case DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
            case BOOLEAN -> ArrowType.Bool.INSTANCE;
            case TIMESTAMP -> new ArrowType.Timestamp(TimeUnit.MILLISECOND, "UTC");
            case TIMESTAMP_US -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC");
            case TIMESTAMP_NS -> new ArrowType.Timestamp(TimeUnit.NANOSECOND, "UTC");
            case IPV4 -> new ArrowType.Int(32, false);
            case STRING -> ArrowType.Utf8.INSTANCE;
            case BYTES -> ArrowType.Binary.INSTANCE;
            case DECIMAL -> new ArrowType.Decimal(type.precision(), type.scale(), 128);
            case UUID, IPV6 -> new ArrowType.FixedSizeBinary(16);
        };
    }

    private static void set(FieldVector vector, int row, @Nullable Object value) {
        if (value == null) {
            vector.setNull(row);
        } else if (vector instanceof IntVector ints) {
            ints.setSafe(row, (int) value);
        } else if (vector instanceof BigIntVector longs) {
            longs.setSafe(row, (long) value);
        } else if (vector instanceof TimeStampVector times) {
            times.setSafe(row, (long) value);
        } else if (vector instanceof UInt4Vector addresses) {
            byte[] text = ((String) value).getBytes(StandardCharsets.UTF_8);
            addresses.setSafe(row, (int) Ipv4.parse(text, 0, text.length));
        } else if (vector instanceof Float4Vector floats) {
            floats.setSafe(row, (float) value);
        } else if (vector instanceof Float8Vector doubles) {
            doubles.setSafe(row, (double) value);
        } else if (vector instanceof BitVector bits) {
            bits.setSafe(row, (boolean) value ? 1 : 0);
        } else if (vector instanceof VarCharVector texts) {
            texts.setSafe(row, ((String) value).getBytes(StandardCharsets.UTF_8));
        } else if (vector instanceof DecimalVector decimals) {
            decimals.setSafe(row, (BigDecimal) value);
        } else if (vector instanceof FixedSizeBinaryVector sixteens) {
            byte[] bytes = new byte[16];
            byte[] text = ((String) value).getBytes(StandardCharsets.UTF_8);
            io.waterwheel.schema.FieldType type = Objects.requireNonNull(
                    TypeMetadata.sixteen(vector.getField().getMetadata()));
            type.parseSixteen(text, 0, text.length, bytes);
            sixteens.setSafe(row, bytes);
        } else {
            ((VarBinaryVector) vector).setSafe(row, (byte[]) value);
        }
    }

    private final class Producer extends NoOpFlightProducer {
        @Override
        public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
            Query query;
            try {
                query = query(ticket);
            } catch (WaterwheelException e) {
                listener.error(failure(CallStatus.INVALID_ARGUMENT, e));
                return;
            }
            String trace =
                    context.getMiddleware(FlightConstants.HEADER_KEY).headers().get(TraceParent.HEADER);
            traces.add(new Traced(query.stream(), trace == null ? "" : trace));
            answering.register();
            Answer answer = new Answer(listener, allocator);
            try {
                answers.answer(query, answer);
            } catch (FlightRuntimeException e) {
                listener.error(e);
            } catch (Exception e) {
                listener.error(CallStatus.INTERNAL.withCause(e).toRuntimeException());
            } finally {
                if (answer.root != null) {
                    answer.root.close();
                }
                answering.arriveAndDeregister();
            }
        }

        private Query query(Ticket ticket) {
            io.waterwheel.wire.proto.Ticket asked = WireQueries.parseTicket(ticket.getBytes());
            if (asked.hasStatement()) {
                statements.add(WireStatements.fromMessage(asked.getStatement()));
                return Query.of("statement");
            }
            Query query = WireQueries.fromMessage(asked.getQuery());
            queries.add(query);
            return query;
        }

        @Override
        public void doAction(CallContext context, Action action, StreamListener<Result> listener) {
            try {
                listener.onNext(new Result(calls.call(action.getType(), action.getBody())));
                listener.onCompleted();
            } catch (FlightRuntimeException e) {
                listener.onError(e);
            } catch (Exception e) {
                listener.onError(CallStatus.INTERNAL.withCause(e).toRuntimeException());
            }
        }
    }
}
