package io.waterwheel.topology.kafka;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.ingest.source.LogReader;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.schema.text.KafkaFields;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads parts of the log again, on a thread and a consumer of its own. Reads of several partitions go on side by side;
 * one that brings nothing within {@link #PATIENCE} fails as TEMPORARY, and one partition's failure is that read's only.
 * Requests are bounded by the rule of the seam: one per partition of a stream; a second one fails at once. Streams of
 * one topic take turns at its partitions.
 */
public final class KafkaLogReader implements LogReader {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaLogReader.class);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** How long its thread waits for the next read before it ends. */
    private static final Duration REST = Duration.ofSeconds(30);

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);
    private static final int FETCH_BYTES = 1 << 20;

    /** What is asked of the thread, in order. */
    private sealed interface Call {}

    private record Cancellation(int streamId, TopicPartition of) implements Call {}

    private record Request(
            int streamId,
            TopicPartition from,
            long offset,
            long base,
            KafkaFields wanted,
            int maxBytes,
            long deadlineNanos,
            BiConsumer<@Nullable RecordBatch, @Nullable Exception> done)
            implements Call {}

    private final TopicNames topics;
    private final Consumer<ByteBuffer, ByteBuffer> consumer;
    private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();
    /** Only the thread's. */
    private final Map<TopicPartition, Request> active = new HashMap<>();

    /** Only the thread's: by partition, those of other streams, in the order of their turns; none is empty. */
    private final Map<TopicPartition, Deque<Request>> waiting = new HashMap<>();

    /** Where there is no memory for one that says more. */
    private final RuntimeException noMemory = new IllegalStateException("the log reader has no memory");

    private final String clientId;
    private final long restNanos;
    /** There while there is something to read, and a while longer; guarded by this. It hands the consumer on. */
    private @Nullable Thread thread;

    private volatile boolean closed;

    public KafkaLogReader(String bootstrap, String clientId, TopicNames topics) {
        this(bootstrap, clientId, topics, REST);
    }

    /** The same, for tests that cannot wait as long for the end of its thread. */
    KafkaLogReader(String bootstrap, String clientId, TopicNames topics, Duration rest) {
        this(ConsumerSettings.consumer(bootstrap, clientId, FETCH_BYTES), clientId, topics, rest);
    }

    /** The same, for tests of what a consumer does. */
    KafkaLogReader(Consumer<ByteBuffer, ByteBuffer> consumer, String clientId, TopicNames topics, Duration rest) {
        this.topics = topics;
        this.clientId = clientId;
        this.restNanos = rest.toNanos();
        this.consumer = consumer;
    }

    /** Puts a call where the thread takes it; false, and nothing done, when this is closed. */
    private synchronized boolean ask(Call call) {
        if (closed) {
            return false;
        }
        calls.add(call);
        if (thread == null) {
            Thread made = new Thread(this::run, clientId);
            made.setDaemon(true);
            try {
                made.start();
            } catch (Error e) {
                // Of memory for a thread; others may have it later.
                calls.remove(call);
                throw e;
            }
            thread = made;
        }
        consumer.wakeup();
        return true;
    }

    /** Whether the thread, which has nothing to do, ends now. */
    private synchronized boolean rests() {
        if (calls.isEmpty() && !closed) {
            thread = null;
            return true;
        }
        return false;
    }

    /** Whether there is a thread now. */
    synchronized boolean hasThread() {
        return thread != null;
    }

    @Override
    public void read(
            int streamId,
            int partition,
            long from,
            long base,
            KafkaFields wanted,
            int maxBytes,
            BiConsumer<@Nullable RecordBatch, @Nullable Exception> done) {
        String topic = topics.topicOf(streamId);
        if (topic == null) {
            done.accept(null, new IllegalStateException("stream " + streamId + " is not in the catalog"));
            return;
        }
        Request request = new Request(
                streamId,
                new TopicPartition(topic, partition),
                from,
                base,
                wanted,
                maxBytes,
                System.nanoTime() + PATIENCE.toNanos(),
                done);
        try {
            if (!ask(request)) {
                done.accept(null, new IllegalStateException("the log reader is closed"));
            }
        } catch (Error e) {
            done.accept(null, new IllegalStateException("no thread could be had", e));
        }
    }

    @Override
    public void cancel(int streamId, int partition) {
        String topic = topics.topicOf(streamId);
        if (topic != null) {
            try {
                boolean unused = ask(new Cancellation(streamId, new TopicPartition(topic, partition)));
            } catch (Error e) {
                // Without a thread nothing is being read.
                LOG.warn("log reader: no thread could be had: {}", e.toString());
            }
        }
    }

    private void run() {
        try {
            if (!readOn()) {
                return;
            }
        } catch (Throwable e) {
            if (!leave(because(e))) {
                return;
            }
        }
        failAll(new IllegalStateException("the log reader is closed"));
        Thread.interrupted(); // or the consumer would refuse to close
        consumer.close(CloseOptions.timeout(CLOSE_PATIENCE));
    }

    private RuntimeException because(Throwable e) {
        try {
            return new IllegalStateException("the log reader failed", e);
        } catch (Error none) {
            return noMemory;
        }
    }

    /** Until this is closed; false when its thread ends before, since there is nothing to do. */
    private boolean readOn() {
        while (!closed) {
            try {
                if (!takeCalls() && rests()) {
                    return false;
                }
                if (!active.isEmpty()) {
                    poll();
                }
            } catch (WakeupException e) {
                // A request or the end: the loop sees which.
            } catch (InterruptedException | InterruptException e) {
                return true;
            } catch (RuntimeException e) {
                fail(FailedPartitions.of(e, active.keySet()), e);
            }
        }
        return true;
    }

    /** Lets go of all reads: the next one makes another thread. True when this is closed, and the thread ends that. */
    private boolean leave(RuntimeException why) {
        boolean left = false;
        try {
            while (!left) {
                failAll(why);
                left = hasLeft(false);
            }
        } finally {
            if (!left) {
                left = hasLeft(true);
            }
        }
        LOG.error("log reader: all reads failed", why);
        return isMine();
    }

    private synchronized boolean isMine() {
        return thread == Thread.currentThread();
    }

    /** @param anyhow also while calls wait, which the next thread takes */
    private synchronized boolean hasLeft(boolean anyhow) {
        boolean leaves = anyhow || calls.isEmpty();
        if (leaves && !closed) {
            thread = null;
        }
        return leaves;
    }

    /**
     * Waits only when nothing is under way.
     *
     * @return whether there is something to do
     */
    private boolean takeCalls() throws InterruptedException {
        Call call = active.isEmpty() ? calls.poll(restNanos, TimeUnit.NANOSECONDS) : calls.poll();
        boolean some = call != null || !active.isEmpty();
        boolean changed = false;
        while (call != null) {
            if (call instanceof Request request) {
                changed |= take(request);
            } else if (call instanceof Cancellation cancellation) {
                Request request = active.get(cancellation.of);
                if (request != null && request.streamId == cancellation.streamId) {
                    active.remove(cancellation.of);
                    changed = true;
                } else {
                    request = takeWaiting(cancellation.streamId, cancellation.of);
                }
                if (request != null) {
                    complete(request, null, cancelled(request));
                }
            }
            call = calls.poll();
        }
        if (changed) {
            goOn();
        }
        return some;
    }

    /** Whether it may begin. What is not taken is answered. */
    private boolean take(Request request) {
        try {
            return tryTake(request);
        } catch (Throwable e) {
            complete(request, null, because(e));
            throw e;
        }
    }

    private boolean tryTake(Request request) {
        Request present = active.get(request.from);
        Deque<Request> others = waiting.get(request.from);
        boolean second = (present != null && present.streamId == request.streamId)
                || (others != null && others.stream().anyMatch(other -> other.streamId == request.streamId));
        if (second) {
            complete(
                    request,
                    null,
                    new IllegalStateException(
                            request.from + ": a read is under way; at most one per partition of a stream"));
            return false;
        }
        waiting.computeIfAbsent(request.from, from -> new ArrayDeque<>(1)).add(request);
        return present == null;
    }

    private @Nullable Request takeWaiting(int streamId, TopicPartition of) {
        Deque<Request> others = waiting.getOrDefault(of, new ArrayDeque<>(1));
        for (Iterator<Request> each = others.iterator(); each.hasNext(); ) {
            Request request = each.next();
            if (request.streamId == streamId) {
                each.remove();
                if (others.isEmpty()) {
                    waiting.remove(of);
                }
                return request;
            }
        }
        return null;
    }

    /**
     * Lets the consumer read what is active, and begins the reads whose turn has come. In two steps: the consumer must
     * forget what it knew of a partition that was read, since the next read of it must ask the broker where it ends.
     */
    private void goOn() {
        consumer.assign(active.keySet());
        List<Request> begun = new ArrayList<>();
        for (Iterator<Map.Entry<TopicPartition, Deque<Request>>> each =
                        waiting.entrySet().iterator();
                each.hasNext(); ) {
            Map.Entry<TopicPartition, Deque<Request>> of = each.next();
            if (!active.containsKey(of.getKey())) {
                // It is never in neither, whatever fails.
                Request next = of.getValue().element();
                active.put(of.getKey(), next);
                of.getValue().remove();
                begun.add(next);
                if (of.getValue().isEmpty()) {
                    each.remove();
                }
            }
        }
        if (!begun.isEmpty()) {
            consumer.assign(active.keySet());
            begun.forEach(request -> consumer.seek(request.from, Math.max(0, request.offset - request.base)));
        }
    }

    private void poll() {
        ConsumerRecords<ByteBuffer, ByteBuffer> records;
        try {
            records = consumer.poll(POLL);
        } catch (OffsetOutOfRangeException e) {
            e.offsetOutOfRangePartitions().forEach((from, position) -> {
                Request request = active.get(from);
                if (request != null) {
                    LogGapException gap = new LogGapException(from, position, e);
                    active.remove(from);
                    complete(request, null, gap);
                }
            });
            goOn();
            goOnWhereTheyStand();
            return;
        }
        boolean some = false;
        for (Iterator<Request> each = active.values().iterator(); each.hasNext(); ) {
            Request request = each.next();
            List<ConsumerRecord<ByteBuffer, ByteBuffer>> read = records.records(request.from);
            // Not asked of the consumer: it might have to ask the broker first, and wait, or throw.
            OffsetAndMetadata next = records.nextOffsets().get(request.from);
            long to = (next == null ? Math.max(0, request.offset - request.base) : next.offset()) + request.base;
            if (to > request.offset || atEnd(request)) {
                // Its own: what one poll brought is much larger than what the asker has accounted for. While it is made
                // the request is active, and fails with what that fails with.
                RecordBatch batch = Batches.first(
                                request.streamId,
                                request.from.partition(),
                                request.offset,
                                to,
                                request.base,
                                read,
                                request.wanted,
                                request.maxBytes)
                        .own();
                each.remove();
                some = true;
                complete(request, batch, null);
            } else if (System.nanoTime() - request.deadlineNanos > 0) {
                each.remove();
                some = true;
                complete(request, null, timeout(request));
            }
        }
        if (some) {
            goOn();
        }
        endWaiting();
    }

    /** Those whose time was over before their turn came. */
    private void endWaiting() {
        if (waiting.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        for (Iterator<Deque<Request>> each = waiting.values().iterator(); each.hasNext(); ) {
            Deque<Request> others = each.next();
            others.removeIf(request -> {
                boolean over = now - request.deadlineNanos > 0;
                if (over) {
                    complete(request, null, timeout(request));
                }
                return over;
            });
            if (others.isEmpty()) {
                each.remove();
            }
        }
    }

    private boolean atEnd(Request request) {
        return consumer.currentLag(request.from).orElse(1) == 0;
    }

    private RuntimeException timeout(Request request) {
        return unavailable(request, "within " + PATIENCE.toSeconds() + " s");
    }

    private RuntimeException cancelled(Request request) {
        return unavailable(request, "yet, and others wait for the memory");
    }

    private RuntimeException unavailable(Request request, String soon) {
        try {
            return new WaterwheelException(
                    ErrorCode.LOG_UNAVAILABLE,
                    request.from + ": nothing was read from offset " + request.offset + " " + soon
                            + "; is the broker that leads the partition running?");
        } catch (Error none) {
            return noMemory;
        }
    }

    /** Ends the reads of some partitions; the others go on. */
    private void fail(Set<TopicPartition> blamed, RuntimeException why) {
        LOG.warn("log reader: {} of {} reads failed: {}", blamed.size(), active.size(), why.toString());
        // With room for all: what is out of the map must be in the list.
        List<Request> failed = new ArrayList<>(blamed.size());
        for (TopicPartition partition : blamed) {
            Request request = active.remove(partition);
            if (request != null) {
                failed.add(request);
            }
        }
        try {
            // Also lets go of what was fetched of them: it would fail again.
            goOn();
            goOnWhereTheyStand();
        } finally {
            for (Request request : failed) {
                complete(request, null, why);
            }
        }
    }

    /** A poll that fails may have passed records of other reads, and has not handed them on. */
    private void goOnWhereTheyStand() {
        active.values().forEach(read -> consumer.seek(read.from, Math.max(0, read.offset - read.base)));
    }

    private void failAll(RuntimeException e) {
        for (Iterator<Request> each = active.values().iterator(); each.hasNext(); ) {
            Request request = each.next();
            each.remove();
            complete(request, null, e);
        }
        for (Iterator<Deque<Request>> each = waiting.values().iterator(); each.hasNext(); ) {
            Deque<Request> others = each.next();
            for (Request request = others.poll(); request != null; request = others.poll()) {
                complete(request, null, e);
            }
            each.remove();
        }
        for (Call call = calls.poll(); call != null; call = calls.poll()) {
            if (call instanceof Request request) {
                complete(request, null, e);
            }
        }
    }

    /** Throws nothing: what one receiver fails with is no other's. */
    private static void complete(Request request, @Nullable RecordBatch batch, @Nullable Exception failure) {
        try {
            request.done.accept(batch, failure);
        } catch (Throwable e) {
            try {
                LOG.error("log reader: the receiver of {} from {} failed", request.from, request.offset, e);
            } catch (Throwable none) {
                // Where memory is out, a line of a log may fail too.
            }
        }
    }

    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
        }
        if (running == null) {
            boolean interrupted = Thread.interrupted(); // or the consumer would refuse to close
            consumer.close(CloseOptions.timeout(CLOSE_PATIENCE));
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            return;
        }
        consumer.wakeup();
        running.interrupt();
        try {
            running.join(2 * CLOSE_PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
