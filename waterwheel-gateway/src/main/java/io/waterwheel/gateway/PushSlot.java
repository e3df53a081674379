package io.waterwheel.gateway;

import io.waterwheel.client.Appender;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.gateway.http.ConnectionThreads;
import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.gateway.rows.PushedRows;
import io.waterwheel.gateway.rows.RowDecoder;
import io.waterwheel.gateway.rows.RowTools;
import io.waterwheel.schema.RecordFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the rows of all requests to one stream, many at a time: while the brokers confirm one batch, the next gathers,
 * so that batches grow with the load. A batch of few rows waits for the requests that are likely to come at once, as
 * long as the batch before it took or while they come one behind the other: each batch has its price at the brokers. It
 * has a thread of its own; what waits in its queue is bounded by {@link PushBudget}.
 */
final class PushSlot {
    private static final Logger LOG = LoggerFactory.getLogger(PushSlot.class);
    /** Each batch is flushed by itself: a timer that sends what has gathered would only cut it into smaller records. */
    private static final AppenderSettings SETTINGS =
            new AppenderSettings(Duration.ofSeconds(1), 256 << 10, 32L << 20, Duration.ofSeconds(30));

    /** Rows of one batch; more wait for the next. */
    private static final int BATCH_ROWS = 1 << 16;

    /** A batch of as many rows waits for no others: what it costs at the brokers is little beside what its rows do. */
    private static final int MANY_ROWS = 512;

    private static final long MOST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Between two looks at the queue: to be woken by each request would cost as much as is saved. */
    private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    /** The longest pause between two requests that come one behind the other. */
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(300);

    private static final long IDLE_SECONDS = 60;
    /** Bodies up to this length are decoded with tools that are kept. */
    private static final int SHORT_BYTES = 16 << 10;

    /** Those that bodies have. */
    private static final List<RecordFormat> FORMATS = List.of(RecordFormat.CSV, RecordFormat.JSON, RecordFormat.BLOCK);

    private final StreamDetails stream;
    private final Executor answers;
    /** By format of bodies. */
    private final Map<RecordFormat, RowTools.Shelf> tools = new EnumMap<>(RecordFormat.class);

    private final LinkedBlockingQueue<Waiting> queue = new LinkedBlockingQueue<>();
    /** Guarded by this. */
    private boolean ended;

    /** Rows, and what is told when they are stored; without rows a call to end. */
    private record Waiting(@Nullable PushedRows rows, CompletableFuture<Map<Integer, Long>> stored) {}

    private final Thread thread;
    // Only the slot's thread uses both. Of the last batch: the requests in it and those that waited at its end, and the
    // time from when it was sent until it was confirmed.
    private int lastRequests;
    private long lastNanos;
    /** By partition, where all that the appender has sent ends. Of the slot's thread. */
    private Map<Integer, Long> sent = Map.of();
    /** When this number waits in the queue, the thread goes on at once. */
    private volatile int wanted = Integer.MAX_VALUE;

    private PushSlot(StreamDetails stream, Executor answers) {
        this.stream = stream;
        this.answers = answers;
        for (RecordFormat format : FORMATS) {
            tools.put(format, new RowTools.Shelf(stream.definition(), format));
        }
        this.thread =
                new Thread(this::run, "gateway-push-" + stream.definition().name());
        thread.setDaemon(true);
    }

    /** @param answers tells those who wait, while the next batch goes its way; takes whatever it is given */
    static PushSlot start(StreamDetails stream, Executor answers) {
        PushSlot slot = new PushSlot(stream, answers);
        slot.thread.start();
        return slot;
    }

    /** The stream as it was when the slot was started. */
    StreamDetails stream() {
        return stream;
    }

    /**
     * Decodes the rows of a body of this format, all of it on this thread.
     *
     * @param linesOnly of JSON: whether it is lines, also where it begins as an array
     */
    PushedRows decode(
            RecordFormat format,
            byte[] bytes,
            RowDecoder.Header header,
            boolean linesOnly,
            boolean keepBad,
            PushBudget.Lease lease) {
        if (bytes.length > SHORT_BYTES) {
            // The tools would keep what a long row took, and cost little beside it.
            return new RowDecoder(stream.definition(), format, keepBad, lease)
                    .linesOnly(linesOnly)
                    .decode(bytes, header);
        }
        RowTools.Shelf shelf = Objects.requireNonNull(tools.get(format));
        RowTools taken = shelf.take();
        PushedRows rows =
                new RowDecoder(taken, keepBad, lease).linesOnly(linesOnly).decode(bytes, header);
        // After a failure they are forgotten.
        shelf.give(taken);
        return rows;
    }

    /**
     * Stores rows; the future has the offset below which they lie, by partition: those where their batch has rows.
     *
     * @return null when the slot has ended: another is to be started
     */
    synchronized @Nullable CompletableFuture<Map<Integer, Long>> store(PushedRows rows) {
        if (ended) {
            return null;
        }
        Waiting waiting = new Waiting(rows, new CompletableFuture<>());
        queue.add(waiting);
        if (queue.size() == wanted) {
            LockSupport.unpark(thread);
        }
        return waiting.stored();
    }

    /** Takes no more; what it has taken is stored. */
    synchronized void end() {
        if (!ended) {
            ended = true;
            queue.add(new Waiting(null, new CompletableFuture<>()));
        }
    }

    /** Whether it takes no more. */
    synchronized boolean hasEnded() {
        return ended;
    }

    /** Whether it still stores what it took. */
    boolean isRunning() {
        return thread.isAlive();
    }

    /** Waits until all that was taken is stored, or was refused by the brokers; up to this time. */
    void awaitEnd(long millis) throws InterruptedException {
        thread.join(Math.max(1, millis));
    }

    private synchronized boolean ends() {
        ended |= queue.isEmpty();
        return ended && queue.isEmpty();
    }

    private void run() {
        Appender appender = null;
        List<Waiting> batch = new ArrayList<>();
        Throwable why = new IllegalStateException("it has ended");
        try {
            boolean goesOn = true;
            while (goesOn) {
                gather(batch);
                if (batch.isEmpty()) {
                    goesOn = !ends();
                    continue;
                }
                try {
                    appender = appender == null ? Appender.open(stream, SETTINGS) : appender;
                    store(appender, batch);
                } catch (RuntimeException e) {
                    LOG.warn("stream {}: a batch was not confirmed", name(), e);
                    batch.forEach(waiting -> waiting.stored().completeExceptionally(e));
                    close(appender);
                    appender = null;
                    sent = Map.of();
                }
                batch.clear();
            }
        } catch (InterruptedException e) {
            why = e;
        } catch (Error e) {
            LOG.error("stream {}: rows are stored no more by this thread", name(), e);
            why = e;
        } finally {
            endWith(batch, why);
            close(appender);
        }
    }

    /** Takes no more, and answers all that wait: they would wait for ever. */
    private void endWith(List<Waiting> batch, Throwable why) {
        synchronized (this) {
            ended = true;
        }
        queue.drainTo(batch);
        if (!batch.isEmpty()) {
            WaterwheelException failure = new WaterwheelException(
                    ErrorCode.APPEND_FAILED,
                    "some of the rows may not be stored: the gateway stopped (" + why + ")",
                    why);
            batch.forEach(waiting -> waiting.stored().completeExceptionally(failure));
        }
    }

    private String name() {
        return stream.definition().name();
    }

    /** What waits, up to the rows of a batch; nothing when nothing has come for a while, or it is to end. */
    private void gather(List<Waiting> batch) throws InterruptedException {
        Waiting first = queue.poll(IDLE_SECONDS, TimeUnit.SECONDS);
        if (first == null || first.rows() == null) {
            return;
        }
        batch.add(first);
        int rows = take(batch, first.rows().rows());
        long begin = System.nanoTime();
        long came = begin;
        long now = begin;
        // The clients of a moment ago send again as soon as they have their answers; while they come, the wait goes on.
        while (waits(lastRequests, lastNanos, batch.size(), rows, now - begin, now - came)) {
            Waiting next = queue.peek();
            if (next != null && next.rows() == null) {
                return; // the slot is to end, and nothing comes behind that
            }
            int missing = lastRequests - batch.size();
            wanted = missing;
            if (queue.size() < missing) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
            wanted = Integer.MAX_VALUE;
            int before = batch.size();
            rows = take(batch, rows);
            now = System.nanoTime();
            if (batch.size() > before) {
                came = now;
            }
        }
    }

    /**
     * Whether a batch waits for more requests.
     *
     * @param lastRequests of the batch before, and of those that waited at its end
     * @param lastNanos that the brokers took for the batch before
     * @param waited since the first request was taken, in nanoseconds
     * @param pause since the last one was
     */
    static boolean waits(int lastRequests, long lastNanos, int requests, int rows, long waited, long pause) {
        return requests < lastRequests
                && rows < MANY_ROWS
                && waited < MOST_WAIT_NANOS
                && (waited < lastNanos || pause < PAUSE_NANOS);
    }

    /** Takes what waits into a batch that has rows already; returns how many it has then. */
    private int take(List<Waiting> batch, int rows) {
        int taken = rows;
        Waiting next = queue.peek();
        while (taken < BATCH_ROWS && next != null && next.rows() != null) {
            batch.add(next);
            taken += next.rows().rows();
            queue.remove();
            next = queue.peek();
        }
        return taken;
    }

    private void store(Appender appender, List<Waiting> batch) {
        try {
            for (Waiting waiting : batch) {
                PushedRows rows = waiting.rows();
                if (rows != null) {
                    if (rows.tuples().size() > 0) {
                        appender.append(rows.tuples());
                    }
                    rows.records().forEach(appender::appendRecord);
                }
            }
            long begin = System.nanoTime();
            Map<Integer, Long> ends = appender.flush();
            lastNanos = System.nanoTime() - begin;
            // Those that have grown: in the others this batch has no rows, and who waits for it does not wait for them.
            Map<Integer, Long> positions = new HashMap<>(ends);
            positions.entrySet().removeAll(sent.entrySet());
            sent = ends;
            lastRequests = batch.size() + queue.size();
            List<Runnable> told = new ArrayList<>(batch.size());
            for (Waiting waiting : batch) {
                CompletableFuture<Map<Integer, Long>> stored = waiting.stored();
                told.add(() -> stored.complete(positions));
            }
            ConnectionThreads.answerAll(answers, told);
        } catch (WaterwheelException e) {
            if (e.is(ErrorCode.APPEND_FAILED)) {
                throw e;
            }
            // Whatever it is for one record, others may have been stored before it.
            throw new WaterwheelException(
                    ErrorCode.APPEND_FAILED, "some of the rows may not be stored: " + e.getMessage(), e);
        }
    }

    private static void close(@Nullable Appender appender) {
        try {
            if (appender != null) {
                appender.close();
            }
        } catch (RuntimeException e) {
            // All that was not confirmed has been told to those who sent it.
            LOG.debug("an appender did not close", e);
        }
    }
}
