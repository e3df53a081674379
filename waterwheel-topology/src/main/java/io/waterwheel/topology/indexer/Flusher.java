package io.waterwheel.topology.indexer;

import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.index.Template;
import io.waterwheel.ingest.indexer.FlushSequence;
import io.waterwheel.ingest.indexer.SealedTree;
import io.waterwheel.store.ChunkStore;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes sealed trees as chunks and commits them: those of one indexer one after another in the order they came
 * (protocol rule 7), different indexers in turn. What waits is bounded by the trees' memory pool. A flush that fails is
 * set aside and tried again until it works or its indexer stops, at times of its own; the others go on. A step that
 * takes long is told of, and when others wait for it another thread takes them. Where nothing is to be flushed it has
 * no thread.
 *
 * <p>Writers: the indexer task's loop adds; the flusher's threads take. Guarded by one lock; no step is taken under it.
 */
final class Flusher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Flusher.class);
    private static final long FIRST_RETRY_NANOS = 50_000_000;
    private static final long MAX_RETRY_NANOS = 5_000_000_000L;
    /** Once a step has taken so long, another thread may be started for what waits behind it. */
    private static final long LONG_NANOS = 5_000_000_000L;

    private static final int MAX_THREADS = 4;
    /** A thread that has been idle for so long ends. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int CLOSE_SECONDS = 5;

    /**
     * How a flush ended.
     *
     * @param fenced whether a successor has taken over
     * @param nextTemplate learnt from the chunk, or null when there was none
     */
    record Outcome(boolean fenced, @Nullable Template nextTemplate) {}

    /** Who is told of one indexer's flushes, on any thread. */
    interface Listener {
        /** It is committed, or the indexer is fenced. Not called when the stream is dropped, or the indexer stopped. */
        void done(SealedTree sealed, Outcome outcome);

        /** Going on would leave a flush out. */
        void failed(Throwable cause);

        /** Flushes fail, or take long, and why; empty: they go well again. */
        void trouble(Supplier<String> what);

        /** A try failed, and is made again. */
        default void retried() {}
    }

    /** The flushes of one indexer. */
    private static final class Line {
        final FlushSequence sequence;
        final Listener listener;
        final ArrayDeque<SealedTree> waiting = new ArrayDeque<>();
        boolean running;
        long runningSinceNanos;
        long notBeforeNanos;
        long pauseNanos = FIRST_RETRY_NANOS;
        long firstTryNanos;
        volatile String trouble = "";

        Line(FlushSequence sequence, Listener listener) {
            this.sequence = sequence;
            this.listener = listener;
        }
    }

    private final String name;
    private final ChunkStore store;
    private final FlushMeter meter;
    private final long restNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** With something to do, those that wait longest first. */
    private final List<Line> lines = new ArrayList<>();

    /** Sequences are equal to themselves only. */
    private final Map<FlushSequence, Line> bySequence = new HashMap<>();

    private final List<Thread> threads = new ArrayList<>();
    private int threadsStarted;
    private boolean closed;

    Flusher(String name, ChunkStore store, FlushMeter meter) {
        this(name, store, meter, REST_NANOS);
    }

    /** The same, for tests that cannot wait as long for the end of a thread. */
    Flusher(String name, ChunkStore store, FlushMeter meter, long restNanos) {
        this.name = name;
        this.restNanos = restNanos;
        this.store = store;
        this.meter = meter;
    }

    /** Under the lock. */
    private void addThread() {
        Thread created = new Thread(this::run, name + "-flusher-" + threadsStarted);
        created.setDaemon(true);
        try {
            created.start();
        } catch (Error e) {
            // Most likely there is no memory for a thread. The next tick tries again; the indexers' loop, which calls
            // this, must not fail for it.
            try {
                LOG.warn("[{}] no thread could be had to flush on; trying again: {}", name, e.toString());
            } catch (Error none) {
                // Without memory a line of the log may fail, too.
            }
            return;
        }
        threadsStarted++;
        threads.add(created);
    }

    /** How many threads it has now. */
    int threads() {
        lock.lock();
        try {
            return threads.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Flushes a tree.
     *
     * @param sequence the flushes of its indexer; only one thread at a time uses it
     * @param listener the same for all flushes of a sequence
     */
    void flush(FlushSequence sequence, SealedTree sealed, Listener listener) {
        // The indexer may let go of the tree (its stream is dropped) before a thread comes to it.
        if (!sealed.tryRetain()) {
            throw new IllegalStateException(name + ": flush " + sealed.flush() + " of a tree that is discarded");
        }
        lock.lock();
        try {
            if (closed) {
                sealed.release();
                return;
            }
            Line line = bySequence.get(sequence);
            if (line == null) {
                line = new Line(sequence, listener);
                line.notBeforeNanos = System.nanoTime();
                bySequence.put(sequence, line);
                lines.add(line);
            }
            if (line.waiting.isEmpty()) {
                line.firstTryNanos = System.nanoTime();
            }
            line.waiting.add(sealed);
            if (threads.isEmpty()) {
                addThread();
            }
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Time passes: looks for steps that take long, and lets go of trees whose indexers have stopped. */
    void onTick(long now) {
        List<Runnable> news = new ArrayList<>();
        lock.lock();
        try {
            lines.removeIf(this::endIfAbandoned);
            boolean due = false;
            int slow = 0;
            for (Line line : lines) {
                due |= !line.running && now - line.notBeforeNanos >= 0;
                if (line.running && now - line.runningSinceNanos > LONG_NANOS) {
                    slow++;
                    if (line.trouble.isEmpty()) {
                        tell(line, "a flush takes longer than " + LONG_NANOS / 1_000_000_000 + " s", news);
                    }
                }
            }
            if (due && slow >= threads.size() && threads.size() < MAX_THREADS && !closed) {
                addThread();
            }
        } finally {
            lock.unlock();
        }
        news.forEach(Runnable::run);
    }

    /** Not one that a thread works on: that one ends with its step. Under the lock. */
    private boolean endIfAbandoned(Line line) {
        if (line.running || !line.waiting.getFirst().isAbandoned()) {
            return false;
        }
        LOG.info(
                "[{}/indexer-{}] has stopped before flush {}",
                line.sequence.stream().name(),
                line.waiting.getFirst().indexer(),
                line.waiting.getFirst().flush());
        end(line);
        return true;
    }

    /** Nothing more of the line is flushed. Under the lock; who calls takes it from the lines. */
    private void end(Line line) {
        line.sequence.end();
        line.waiting.forEach(SealedTree::release);
        line.waiting.clear();
        bySequence.remove(line.sequence);
    }

    private static void tell(Line line, String trouble, List<Runnable> news) {
        if (!line.trouble.equals(trouble)) {
            line.trouble = trouble;
            // What it is by then: news may overtake each other.
            news.add(() -> line.listener.trouble(() -> line.trouble));
        }
    }

    private void run() {
        try {
            ChunkWriter writer = new ChunkWriter();
            Line line;
            while ((line = take()) != null) {
                work(line, writer);
            }
        } catch (InterruptedException e) {
            LOG.debug("[{}] closed", name);
        } finally {
            // Whatever it ends with: a tick makes another when there is something to do.
            lock.lock();
            try {
                threads.remove(Thread.currentThread());
            } finally {
                lock.unlock();
            }
        }
    }

    /** The line whose turn it is; null when this is closed, or has had none for long: the thread is to end. */
    private @Nullable Line take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long rests = System.nanoTime() + restNanos;
            while (!closed) {
                long now = System.nanoTime();
                long soonest = Long.MAX_VALUE;
                for (int i = 0; i < lines.size(); i++) {
                    Line line = lines.get(i);
                    if (line.running) {
                        continue;
                    }
                    if (now - line.notBeforeNanos >= 0) {
                        line.running = true;
                        line.runningSinceNanos = now;
                        // Next time the others come first.
                        lines.remove(i);
                        lines.add(line);
                        return line;
                    }
                    soonest = Math.min(soonest, line.notBeforeNanos - now);
                }
                if (lines.isEmpty() && now - rests >= 0) {
                    break;
                }
                long most = lines.isEmpty() ? rests - now : Math.min(soonest, restNanos);
                long unused = changed.awaitNanos(most);
            }
            threads.remove(Thread.currentThread());
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Takes the steps of a line's first flush, until it is committed or one fails. */
    private void work(Line line, ChunkWriter writer) {
        SealedTree sealed;
        lock.lock();
        try {
            sealed = line.waiting.getFirst();
        } finally {
            lock.unlock();
        }
        boolean last;
        try {
            last = flush(line, sealed, writer);
        } catch (StreamGoneException e) {
            line.sequence.end();
            leave(line, sealed, true);
            LOG.info("[{}] stream {} was dropped before flush {}", name, sealed.streamId(), sealed.flush());
            return;
        } catch (WaterwheelException e) {
            if (e.kind() == WaterwheelException.Kind.TEMPORARY) {
                setAside(line, sealed, e);
            } else {
                fail(line, sealed, e);
            }
            return;
        } catch (IOException e) {
            setAside(line, sealed, e);
            return;
        } catch (Throwable e) {
            fail(line, sealed, e);
            return;
        }
        // Behind all that may fail: a flush leaves its line once.
        leave(line, sealed, last);
    }

    /** @return whether nothing more of the line is to be flushed */
    private boolean flush(Line line, SealedTree sealed, ChunkWriter writer) throws IOException {
        FlushSequence sequence = line.sequence;
        if (sequence.ended()) {
            // Its stream was dropped, or a successor lives, and the indexer has not heard of it yet.
            return true;
        }
        if (sequence.next() == null) {
            sequence.add(sealed);
        }
        while (true) {
            long begin = System.nanoTime();
            switch (sequence.step(store, writer)) {
                case WRITTEN -> {
                    meter.written(begin);
                    beginStep(line);
                }
                case COMMITTED -> {
                    meter.committed(sealed.reason(), begin, line.firstTryNanos);
                    LOG.info(
                            "[{}/indexer-{}] flushed s={} reason={} tuples={} in {} ms",
                            sequence.stream().name(),
                            sealed.indexer(),
                            sealed.flush(),
                            sealed.reason(),
                            sealed.tuples(),
                            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - line.firstTryNanos));
                    line.listener.done(sealed, new Outcome(false, sequence.learnt()));
                    return false;
                }
                case FENCED -> {
                    line.listener.done(sealed, new Outcome(true, null));
                    return true;
                }
                case ABANDONED -> {
                    return true;
                }
            }
        }
    }

    /** A later flush must not be committed over this one. */
    private void fail(Line line, SealedTree sealed, Throwable cause) {
        line.sequence.end();
        try {
            line.listener.failed(cause);
        } finally {
            leave(line, sealed, true);
        }
    }

    /** The next step begins now. */
    private void beginStep(Line line) {
        lock.lock();
        try {
            line.runningSinceNanos = System.nanoTime();
        } finally {
            lock.unlock();
        }
    }

    private void setAside(Line line, SealedTree sealed, Exception cause) {
        List<Runnable> news = new ArrayList<>();
        long pauseNanos = line.pauseNanos;
        lock.lock();
        try {
            line.running = false;
            line.notBeforeNanos = System.nanoTime() + pauseNanos;
            line.pauseNanos = Math.min(2 * pauseNanos, MAX_RETRY_NANOS);
            news.add(line.listener::retried);
            tell(line, "chunks cannot be written: " + (cause.getMessage() == null ? cause : cause.getMessage()), news);
            if (closed) {
                end(line);
                lines.remove(line);
            }
            changed.signal();
        } finally {
            lock.unlock();
        }
        news.forEach(Runnable::run);
        // Last, and not under the lock, for which the indexers' loop may wait: without memory it may fail.
        LOG.warn(
                "[{}/indexer-{}] flush {} failed; trying again in {} ms",
                line.sequence.stream().name(),
                sealed.indexer(),
                sealed.flush(),
                pauseNanos / 1_000_000,
                cause);
    }

    /** @param all whether nothing more of the line is to be flushed */
    private void leave(Line line, SealedTree sealed, boolean all) {
        List<Runnable> news = new ArrayList<>();
        lock.lock();
        try {
            line.running = false;
            line.waiting.remove();
            sealed.release();
            line.pauseNanos = FIRST_RETRY_NANOS;
            line.firstTryNanos = System.nanoTime();
            line.notBeforeNanos = line.firstTryNanos;
            if (all || closed) {
                line.waiting.forEach(SealedTree::release);
                line.waiting.clear();
            }
            if (line.waiting.isEmpty()) {
                lines.remove(line);
                bySequence.remove(line.sequence);
            }
            tell(line, "", news);
            changed.signal();
        } finally {
            lock.unlock();
        }
        news.forEach(Runnable::run);
    }

    @Override
    public void close() {
        List<Thread> running;
        lock.lock();
        try {
            closed = true;
            running = List.copyOf(threads);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        running.forEach(Thread::interrupt);
        try {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
            for (Thread thread : running) {
                thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
                if (thread.isAlive()) {
                    LOG.warn("[{}] a flush did not end in time", name);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        letGo();
    }

    /** What a thread works on ends with its step. */
    private void letGo() {
        lock.lock();
        try {
            lines.removeIf(line -> {
                if (line.running) {
                    return false;
                }
                end(line);
                return true;
            });
        } finally {
            lock.unlock();
        }
    }
}
