package io.waterwheel.topology.admin;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.rpc.AdminHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Work of which there is one at a time. A call that asks for what is under way has its reply: so a client that lost its
 * connection and calls again does not meet its own first call. When that ends because its caller is gone, the next one
 * does the work. Thread-safe; calls block.
 *
 * @param <R> reply
 */
final class SharedCall<R> {
    /** How often one who waits looks whether its own caller is there. */
    private static final long LOOK_MILLIS = 100;

    /** What replies to one call. */
    interface Work<R> {
        R reply() throws InterruptedException;
    }

    private record UnderWay<R>(String subject, CompletableFuture<R> reply) {}

    private final String what;
    private final AtomicReference<@Nullable UnderWay<R>> underWay = new AtomicReference<>();

    /** @param what such as "verification", for messages */
    SharedCall(String what) {
        this.what = what;
    }

    /**
     * Does the work, or waits for the reply of the same work that is under way.
     *
     * @param subject what it is done for; two with the same are the same work
     * @param deadlineNanos until then it waits for another's, by {@link System#nanoTime}
     * @throws WaterwheelException of the work; or code BUSY when other work is under way, or the same for longer; or
     *     CLIENT_GONE
     */
    R call(String subject, AdminHandler.Caller caller, long deadlineNanos, Work<R> work) throws InterruptedException {
        UnderWay<R> own = new UnderWay<>(subject, new CompletableFuture<>());
        while (true) {
            UnderWay<R> other = underWay.compareAndExchange(null, own);
            if (other == null) {
                return reply(own, work);
            } else if (!other.subject().equals(subject)) {
                throw busy("another " + what + " is under way, of " + other.subject());
            }
            try {
                return await(other.reply(), caller, deadlineNanos);
            } catch (WaterwheelException e) {
                if (!e.is(ErrorCode.CLIENT_GONE)) {
                    throw e;
                }
                // Either the other's caller is gone, or this one's.
                caller.requireThere();
            }
        }
    }

    private R reply(UnderWay<R> own, Work<R> work) throws InterruptedException {
        try {
            R reply = work.reply();
            own.reply().complete(reply);
            return reply;
        } catch (RuntimeException | Error | InterruptedException e) {
            own.reply().completeExceptionally(e);
            throw e;
        } finally {
            underWay.set(null);
        }
    }

    private R await(CompletableFuture<R> reply, AdminHandler.Caller caller, long deadlineNanos)
            throws InterruptedException {
        while (true) {
            try {
                return reply.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                caller.requireThere();
                if (System.nanoTime() - deadlineNanos >= 0) {
                    throw busy("the same " + what + " is still under way");
                }
            } catch (ExecutionException e) {
                if (e.getCause() instanceof WaterwheelException failure) {
                    throw failure;
                }
                throw busy("the same " + what + " was under way, and failed: " + e.getCause());
            }
        }
    }

    private static WaterwheelException busy(String why) {
        return new WaterwheelException(ErrorCode.BUSY, why + "; ask again later");
    }
}
