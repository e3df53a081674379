package io.waterwheel.topology.worker;

import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.WayInMetrics;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that owns a task's state machines. Events come through two bounded queues: data, whose senders wait when
 * it is full, and control, which is handled first and refused when it is full (the sender repeats it). Who sends only
 * puts, so a control message never stands behind data.
 *
 * <p>A failure of the handler ends the loop, is told to {@link Handler#onFailure}, and is thrown to the next caller
 * that hands over data: the host of the task opens it anew, as nothing can be known of a state machine that threw.
 *
 * @param <E> what a task's events are
 */
public final class EventLoop<E> implements AutoCloseable {
    /** What the loop's owner does. All calls on the loop's thread, but for what {@link #onFailure} says of itself. */
    public interface Handler<E> {
        void on(E event, long nowNanos) throws Exception;

        /** Called about every tick interval; each second while it {@link #rests}, and when the loop is woken. */
        void onTick(long nowNanos) throws Exception;

        /** Whether time changes nothing of it, such as of a task that has no stream. Asked after ticks and events. */
        default boolean rests() {
            return false;
        }

        /** The loop ends before it is closed. Waits for nothing; on the loop's thread, or that which says so. */
        default void onFailure(Throwable cause) {}
    }

    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);
    private static final int DATA_EVENTS = 256;
    private static final int CONTROL_EVENTS = 16 * 1024;
    /** Between two ticks of a handler that rests. */
    private static final long RESTING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private final Handler<E> handler;
    private final long tickNanos;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition();
    private final Condition notFull = lock.newCondition();
    private final ArrayDeque<E> data = new ArrayDeque<>(DATA_EVENTS);
    private final ArrayDeque<E> control = new ArrayDeque<>();
    private boolean closed;
    private boolean woken;
    /** Time for which senders of data have waited for room, those that wait at present not included. */
    private long fullNanos;

    private volatile @Nullable Throwable failure;

    /** @param tickNanos time between ticks */
    public EventLoop(String name, long tickNanos, Handler<E> handler) {
        this.name = name;
        this.handler = handler;
        this.tickNanos = tickNanos;
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Hands over data; waits while the queue is full. */
    public void put(E event) throws InterruptedException {
        lock.lock();
        try {
            // The loop itself must not wait for itself; what it adds is bounded by the events it handles.
            if (data.size() >= DATA_EVENTS) {
                awaitRoom();
            }
            Throwable cause = failure;
            if (cause != null) {
                throw new IllegalStateException(name + " has failed", cause);
            }
            if (!closed) {
                data.add(event);
                notEmpty.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private void awaitRoom() throws InterruptedException {
        long begin = System.nanoTime();
        // The loop itself must not wait for itself; what it adds is bounded by the events it handles.
        while (data.size() >= DATA_EVENTS && !closed && Thread.currentThread() != thread) {
            notFull.await();
        }
        fullNanos += System.nanoTime() - begin;
    }

    /**
     * Measures its queues.
     *
     * @return closing it ends that
     */
    public AutoCloseable measure(Metrics metrics) {
        AutoCloseable[] parts = {
            metrics.gauge(WayInMetrics.QUEUE, () -> locked(data::size), name),
            metrics.gauge(WayInMetrics.QUEUE_LIMIT, () -> DATA_EVENTS, name),
            metrics.gauge(WayInMetrics.CONTROL, () -> locked(control::size), name),
            metrics.gauge(WayInMetrics.CONTROL_LIMIT, () -> CONTROL_EVENTS, name),
            metrics.read(WayInMetrics.QUEUE_FULL, values -> values.add(locked(() -> fullNanos) * 1e-9, name))
        };
        return () -> Closing.all(LOG, name, parts);
    }

    private long locked(LongSupplier value) {
        lock.lock();
        try {
            return value.getAsLong();
        } finally {
            lock.unlock();
        }
    }

    /** Hands over control; false, and nothing done, when the queue is full or the loop has ended. */
    public boolean offer(E event) {
        lock.lock();
        try {
            if (closed || control.size() >= CONTROL_EVENTS) {
                return false;
            }
            control.add(event);
            notEmpty.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the loop as if its handler had failed: for work done for it on other threads. */
    public void fail(Throwable cause) {
        tell(cause);
        LOG.error("[{}] failed: all tasks of its worker are opened anew", name, cause);
    }

    /** Whatever becomes of that, senders hear of it: what they hand over must not be lost in silence. */
    private void tell(Throwable cause) {
        try {
            // Before a sender hears of it, who would be taken for the first that has failed.
            handler.onFailure(cause);
        } finally {
            failure = cause;
            endNow();
        }
    }

    private void endNow() {
        lock.lock();
        try {
            closed = true;
            notEmpty.signalAll();
            notFull.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        List<E> batch = new ArrayList<>();
        long nextTick = System.nanoTime() + tickNanos;
        boolean rests = false;
        try {
            while (take(batch, nextTick)) {
                for (int i = 0; i < batch.size(); i++) {
                    handler.on(batch.get(i), System.nanoTime());
                }
                batch.clear();
                long now = System.nanoTime();
                boolean tick = now - nextTick >= 0 || wasWoken();
                if (tick) {
                    handler.onTick(now);
                }
                if (tick || rests) {
                    boolean rested = rests;
                    rests = handler.rests();
                    if (tick) {
                        nextTick = now + (rests ? Math.max(RESTING_NANOS, tickNanos) : tickNanos);
                    } else if (rested && !rests) {
                        nextTick = now + tickNanos;
                    }
                }
            }
        } catch (InterruptedException e) {
            if (!isClosed()) {
                tell(e);
            }
            LOG.info("[{}] interrupted: ends", name);
        } catch (Throwable e) {
            tell(e);
            // Last: where memory is out, the line may fail.
            LOG.error("[{}] failed: all tasks of its worker are opened anew", name, e);
        } finally {
            endNow();
        }
    }

    /** Makes the next tick be now: what the handler looks at has changed. Any thread. */
    public void wake() {
        lock.lock();
        try {
            woken = true;
            notEmpty.signal();
        } finally {
            lock.unlock();
        }
    }

    private boolean wasWoken() {
        lock.lock();
        try {
            boolean was = woken;
            woken = false;
            return was;
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for events or the next tick; all control, and one data event, so that control never waits for more. */
    private boolean take(List<E> batch, long nextTick) throws InterruptedException {
        lock.lock();
        try {
            while (data.isEmpty() && control.isEmpty() && !closed && !woken) {
                long left = nextTick - System.nanoTime();
                if (left <= 0) {
                    return true;
                }
                // Another look says whether it was long enough.
                long unused = notEmpty.awaitNanos(left);
            }
            if (closed) {
                return false;
            }
            E event;
            while ((event = control.poll()) != null) {
                batch.add(event);
            }
            event = data.poll();
            if (event != null) {
                batch.add(event);
                notFull.signal();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the loop after the event it is at; what is queued is dropped. */
    @Override
    public void close() {
        endNow();
        if (Thread.currentThread() != thread) {
            try {
                thread.join(TimeUnit.SECONDS.toMillis(5));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
