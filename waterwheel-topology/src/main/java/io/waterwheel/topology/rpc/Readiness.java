package io.waterwheel.topology.rpc;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;

/**
 * Lets the thread that fills a stream wait until the receiver is ready for more: what is queued for a slow receiver
 * stays below the server's threshold.
 */
final class Readiness {
    /** Waiting ends by a signal; the time is for a signal that a transport forgets, and for the server's closing. */
    private static final long RECHECK_MILLIS = 500;

    private final ServerStreamListener listener;
    private final BooleanSupplier closing;
    private final Object signal = new Object();
    private volatile BooleanSupplier ended = () -> false;
    private volatile boolean givenUp;
    private final long patienceNanos;

    /**
     * Of one stream.
     *
     * @param patienceNanos how long it waits for a receiver that takes nothing
     * @param closing whether the server closes; once it does it never does not
     */
    Readiness(ServerStreamListener listener, long patienceNanos, BooleanSupplier closing) {
        this.patienceNanos = patienceNanos;
        this.listener = listener;
        this.closing = closing;
        listener.setOnReadyHandler(this::wake);
        listener.setOnCancelHandler(this::wake);
    }

    private void wake() {
        synchronized (signal) {
            signal.notifyAll();
        }
    }

    /** The stream also ends once this is true, though its receiver is there. */
    void endWhen(BooleanSupplier now) {
        ended = now;
    }

    /** The stream ends now; {@link #await} fails. */
    void giveUp() {
        givenUp = true;
        wake();
    }

    /** Whether nothing more should be sent; {@link #await} fails then. */
    boolean cancelled() {
        return listener.isCancelled() || closing.getAsBoolean();
    }

    /**
     * Returns when the receiver is ready; not later than the deadline, nor than the patience allows. After the deadline
     * it fails also when the receiver is ready: one that reads slowly and steadily would else hold its answer's memory
     * for as long as it likes.
     *
     * @param deadlineNanos by {@link System#nanoTime}
     * @throws InterruptedException also when the server closes: who hands out rows may be no thread of its own
     */
    void await(long deadlineNanos) throws InterruptedException {
        long begun = System.nanoTime();
        synchronized (signal) {
            while (true) {
                if (listener.isCancelled() || givenUp || ended.getAsBoolean()) {
                    throw RpcErrors.clientGone();
                }
                if (closing.getAsBoolean()) {
                    throw new InterruptedException("the server closes");
                }
                long now = System.nanoTime();
                if (deadlineNanos - now <= 0) {
                    throw new WaterwheelException(
                            ErrorCode.CLIENT_SLOW,
                            "the client did not take the whole answer within the query's timeout; allow more time or ask for less");
                }
                if (listener.isReady()) {
                    return;
                }
                if (now - begun >= patienceNanos) {
                    throw new WaterwheelException(
                            ErrorCode.CLIENT_SLOW,
                            "the client has taken nothing of the answer for "
                                    + TimeUnit.NANOSECONDS.toMillis(patienceNanos)
                                    + " ms; read without such pauses, or ask for less");
                }
                long left = TimeUnit.NANOSECONDS.toMillis(
                        Math.min(deadlineNanos - now, begun + patienceNanos - now) + 999_999);
                signal.wait(Math.min(left, RECHECK_MILLIS));
            }
        }
    }
}
