package io.waterwheel.topology.rpc;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.schema.Field;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.wire.WireQueries;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/** An answer as a Flight stream of record batches; the verdict is the metadata of the last one, which has no rows. */
final class FlightAnswer implements AnswerSink, AutoCloseable {
    /** About the size of a batch: large enough to be cheap, small enough to be held for many clients. */
    private static final int BATCH_BYTES = 1 << 20;

    private static final int BATCH_ROWS = 1 << 16;

    private final ServerStreamListener listener;
    private final BufferAllocator allocator;
    private final Readiness readiness;
    private final long deadlineNanos;
    private final BooleanSupplier closing;
    private final String client;
    private @Nullable ArrowRows batch;
    private boolean ended;

    /**
     * An answer.
     *
     * @param patienceNanos how long it waits for a client that takes nothing of it
     * @param closing whether the server closes: the answer is given up then
     * @param client host and port of the connection
     */
    FlightAnswer(
            ServerStreamListener listener,
            BufferAllocator allocator,
            long deadlineNanos,
            long patienceNanos,
            BooleanSupplier closing,
            String client) {
        this.closing = closing;
        this.client = client;
        this.listener = listener;
        this.allocator = allocator;
        this.readiness = new Readiness(listener, patienceNanos, closing);
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    public void start(List<Field> fields) {
        if (batch != null) {
            throw new IllegalStateException("an answer starts once");
        }
        ArrowRows rows = new ArrowRows(fields, allocator);
        batch = rows;
        listener.start(rows.root());
    }

    @Override
    public void rows(TupleBlock block) {
        ArrowRows target = batch;
        if (target == null || ended) {
            throw new IllegalStateException("rows come between start and end");
        }
        int perBatch = block.size() == 0
                ? 1
                : (int) Math.max(1, Math.min(BATCH_ROWS, BATCH_BYTES / (1 + block.bytes() / block.size())));
        for (int first = 0; first < block.size(); first += perBatch) {
            await();
            target.fill(block, first, Math.min(perBatch, block.size() - first));
            listener.putNext();
        }
    }

    private void await() {
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
        byte[] bytes = WireQueries.verdict(verdict);
        ArrowBuf metadata = allocator.buffer(bytes.length);
        metadata.writeBytes(bytes);
        if (batch != null) {
            batch.clear();
        }
        ended = true;
        listener.putNext(metadata);
        listener.completed();
    }

    @Override
    public void fail(WaterwheelException failure) {
        if (!ended) {
            ended = true;
            listener.error(RpcErrors.toFlight(failure, closing.getAsBoolean()));
        }
    }

    @Override
    public boolean cancelled() {
        return readiness.cancelled();
    }

    @Override
    public String client() {
        return client;
    }

    @Override
    public void endWhen(BooleanSupplier ended) {
        readiness.endWhen(ended);
    }

    @Override
    public boolean ready() {
        return listener.isReady();
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
