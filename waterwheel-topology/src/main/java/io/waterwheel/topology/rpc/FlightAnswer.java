package io.waterwheel.topology.rpc;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.AnswerPace;
import io.waterwheel.query.run.ClientWait;
import io.waterwheel.schema.Field;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.wire.WireQueries;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * An answer as a Flight stream of record batches; the verdict is the metadata of the last one, which may have no rows.
 * Rows are held back until there is a batch of them, unless nothing else comes for a moment.
 */
final class FlightAnswer implements ColumnSink, AutoCloseable {
    private static final int BATCH_ROWS = 1 << 16;
    /** Columns of an answer that is sent at once: a schema of more takes a while to be written. */
    private static final int FEW_COLUMNS = 64;
    /** What is left of this share of the memory for answers bounds a batch: many of them are under way at a time. */
    private static final int ANSWERS = 64;

    private final ServerStreamListener listener;
    private final BufferAllocator allocator;
    private final Readiness readiness;
    private final long deadlineNanos;
    private final BooleanSupplier closing;
    private final String client;
    private final String trace;
    private final FlightExtension.Form form;
    /** Runs what is to be written to the connection at once. */
    private final Executor network;

    private volatile boolean stopped;
    private ClientWait waits = NOT_TOLD;
    private @Nullable ArrowRows batch;
    private @Nullable List<Column> columns;
    /** Whether the schema was sent. */
    private boolean shown;
    /** Whether rows that came have not been sent. */
    private boolean begun;
    /** About the bytes of those. */
    private long begunBytes;
    /** Whether a batch was sent. */
    private boolean sent;

    private int batchBytes = AnswerPace.LEAST_BATCH_BYTES;
    /**
     * Of the next batch at most: small once one was sent that was not full, as a batch keeps its memory until written.
     */
    private int nextBytes = AnswerPace.LEAST_BATCH_BYTES;
    /** Whether the next row waits for the client; asked on any thread. */
    private volatile boolean full;

    private boolean ended;

    /** In place of one who wants to be told. */
    private static final ClientWait NOT_TOLD = new ClientWait() {
        @Override
        public void begin(Runnable end) {}

        @Override
        public void end() {}
    };

    /**
     * An answer.
     *
     * @param patienceNanos how long it waits for a client that takes nothing of it
     * @param closing whether the server closes: the answer is given up then
     * @param client host and port of the connection
     * @param trace the caller's traceparent; empty where there is none
     * @param form of the batches
     * @param network the thread that writes to the connection, which then sends a small answer at once; else the thread
     *     that hands over
     */
    FlightAnswer(
            ServerStreamListener listener,
            BufferAllocator allocator,
            long deadlineNanos,
            long patienceNanos,
            BooleanSupplier closing,
            String client,
            String trace,
            FlightExtension.Form form,
            Executor network) {
        this.form = form;
        this.network = network;
        this.closing = closing;
        this.client = client;
        this.trace = trace;
        this.listener = listener;
        this.allocator = allocator;
        this.readiness = new Readiness(listener, patienceNanos, closing);
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    public void show(List<Column> shown) {
        columns = List.copyOf(shown);
    }

    @Override
    public void start(List<Field> fields) {
        if (batch != null) {
            throw new IllegalStateException("an answer starts once");
        }
        batch = new ArrowRows(fields, columns, form, allocator);
    }

    /** The schema goes with the first batch, or before it where that takes its time. */
    private void showSchema(ArrowRows rows) {
        if (!shown) {
            shown = true;
            // Vectors that were sent are let go, and never filled again.
            listener.setUseZeroCopy(true);
            listener.start(rows.shown());
        }
    }

    @Override
    public void rows(TupleBlock block) {
        ArrowRows target = batch;
        if (target == null || ended) {
            throw new IllegalStateException("rows come between start and end");
        }
        if (block.size() == 0) {
            return;
        }
        long rowBytes = 1 + block.bytes() / block.size();
        for (int first = 0; first < block.size(); ) {
            if (isFull(target)) {
                send(target);
            }
            if (!begun) {
                target.begin(capacity(block, rowBytes));
                begun = true;
            }
            int count = Math.min(target.room(), block.size() - first);
            target.add(block, first, count);
            first += count;
            begunBytes += count * rowBytes;
        }
        if (begunBytes >= enoughBytes() && listener.isReady()) {
            send(target);
        }
        full = isFull(target);
    }

    /** Rows of the batch that begins with this block: of a small answer no more than it has. */
    private int capacity(TupleBlock block, long rowBytes) {
        long left = (allocator.getLimit() - allocator.getAllocatedMemory()) / ANSWERS;
        long bytes = Math.max(AnswerPace.LEAST_BATCH_BYTES, Math.min(mostBytes(), left));
        int most = (int) Math.max(1, Math.min(BATCH_ROWS, bytes / rowBytes));
        if (!sent) {
            return Math.min(most, block.size());
        }
        // Vectors take a power of two of bytes, and a few of those are for what is null.
        int power = Integer.highestOneBit(most + most / 3);
        return Math.max(1, power - power / 32);
    }

    private int mostBytes() {
        return Math.min(batchBytes, nextBytes);
    }

    private int enoughBytes() {
        return mostBytes() - mostBytes() / 4;
    }

    private boolean isFull(ArrowRows rows) {
        return begun && (rows.room() == 0 || begunBytes >= enoughBytes());
    }

    private void send(ArrowRows rows) {
        await();
        nextBytes = isFull(rows) ? (int) Math.min(2L * mostBytes(), batchBytes) : AnswerPace.LEAST_BATCH_BYTES;
        full = false;
        showSchema(rows);
        rows.end();
        begun = false;
        begunBytes = 0;
        sent = true;
        listener.putNext();
    }

    private void await() {
        if (listener.isReady()) {
            // Looks at the deadline as well.
            awaitReady();
            return;
        }
        waits.begin(readiness::giveUp);
        try {
            awaitReady();
        } finally {
            waits.end();
        }
    }

    private void awaitReady() {
        try {
            readiness.await(deadlineNanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RpcErrors.of(e);
        }
    }

    @Override
    public void finish(Verdict verdict) {
        if (ended) {
            throw new IllegalStateException("an answer ends once");
        }
        if (batch == null) {
            start(List.of());
        }
        await();
        ArrowRows last = Objects.requireNonNull(batch);
        if (!begun) {
            last.begin(0);
        }
        last.end();
        byte[] bytes = WireQueries.verdict(verdict);
        if (shown
                || begunBytes >= enoughBytes()
                || last.shown().getFieldVectors().size() > FEW_COLUMNS) {
            end(last, bytes);
            return;
        }
        // Handed over with the batch. Sent step by step it would be written four times, for each of which both sides
        // wake up a thread.
        ended = true;
        batch = null;
        Runnable whole = () -> {
            try (last) {
                end(last, bytes);
            } catch (RuntimeException | Error e) {
                tell(e);
            }
        };
        try {
            network.execute(whole);
        } catch (RejectedExecutionException e) {
            whole.run();
        } catch (RuntimeException | Error e) {
            last.close();
            tell(e);
        }
    }

    private void tell(Throwable failure) {
        listener.error(RpcErrors.toFlight(RpcErrors.of(failure), closing.getAsBoolean()));
    }

    private void end(ArrowRows last, byte[] verdict) {
        showSchema(last);
        // Last: a failure before it would never release it.
        ArrowBuf metadata = allocator.buffer(verdict.length);
        metadata.writeBytes(verdict);
        ended = true;
        listener.putNext(metadata);
        listener.completed();
    }

    @Override
    public void fail(WaterwheelException failure) {
        if (!ended) {
            ended = true;
            // That something was done is told also to one who has cancelled.
            WaterwheelException told =
                    stopped && failure.kind() != WaterwheelException.Kind.UNKNOWN_OUTCOME ? cancellation() : failure;
            listener.error(RpcErrors.toFlight(told, closing.getAsBoolean()));
        }
    }

    private static WaterwheelException cancellation() {
        return new WaterwheelException(ErrorCode.CANCELLED, "the answer was cancelled");
    }

    /** Ends the answer by another call of its client's; on any thread. */
    void cancel() {
        stopped = true;
        readiness.giveUp();
    }

    @Override
    public boolean cancelled() {
        return stopped || readiness.cancelled();
    }

    @Override
    public String client() {
        return client;
    }

    @Override
    public String trace() {
        return trace;
    }

    @Override
    public void endWhen(BooleanSupplier ended) {
        readiness.endWhen(ended);
    }

    @Override
    public void whileWaiting(ClientWait told) {
        waits = told;
    }

    @Override
    public void holdBack(int bytes) {
        batchBytes = bytes;
    }

    @Override
    public boolean ready() {
        return listener.isReady() || !full;
    }

    @Override
    public void flush() {
        ArrowRows rows = batch;
        if (rows == null || ended || !listener.isReady()) {
            return;
        }
        if (begun) {
            send(rows);
        } else {
            showSchema(rows);
        }
    }

    /** Whether finish or fail was called. */
    boolean ended() {
        return ended;
    }

    @Override
    public void close() {
        if (batch != null) {
            batch.close();
        }
    }
}
