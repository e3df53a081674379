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
 * Work of which there is one at a time. A client that lost its connection and repeats its call, by the id that it gave
 * the call, does not meet its own first one: it has that one's reply, or does the work when that ends because its
 * caller is gone. Of those who repeat a call only the last one waits. All others are refused, also where they ask for
 * the same work: it began before they asked, and its result would say nothing of what was done in between. Thread-safe;
 * calls block.
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

    /**
     * Which call it is.
     *
     * @param id made by the client, the same when it repeats the call; empty: it never does
     * @param streamId what it is about: another stream of the same name is other work
     */
    record Id(String id, int streamId) {
        boolean isRepeatedBy(Id other) {
            return !id.isEmpty() && equals(other);
        }
    }

    /**
     * Work that somebody does.
     *
     * @param waiting the call that waits for its reply, if any
     */
    private record UnderWay<R>(
            Id id,
            String subject,
            CompletableFuture<R> reply,
            AtomicReference<AdminHandler.@Nullable Caller> waiting) {}

    private final String what;
    private final AtomicReference<@Nullable UnderWay<R>> underWay = new AtomicReference<>();

    /** @param what such as "verification", for messages */
    SharedCall(String what) {
        this.what = what;
    }

    /**
     * Does the work, or waits for the reply when this call repeats the one that is under way.
     *
     * @param subject what it is done for, such as a stream's name, for messages
     * @param deadlineNanos until then it waits for another's, by {@link System#nanoTime}
     * @throws WaterwheelException of the work; or code BUSY when another call is under way, or the same for longer, or
     *     it was repeated once more; or CLIENT_GONE
     * @throws RuntimeException as the work ended, also for who waits for it
     */
    R call(Id id, String subject, AdminHandler.Caller caller, long deadlineNanos, Work<R> work)
            throws InterruptedException {
        UnderWay<R> own = new UnderWay<>(id, subject, new CompletableFuture<>(), new AtomicReference<>());
        while (true) {
            UnderWay<R> other = underWay.compareAndExchange(null, own);
            if (other == null) {
                return reply(own, work);
            } else if (!other.id().isRepeatedBy(id)) {
                throw busy("another " + what + " is under way, of " + other.subject());
            }
            try {
                return await(other, caller, deadlineNanos);
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

    private R await(UnderWay<R> other, AdminHandler.Caller caller, long deadlineNanos) throws InterruptedException {
        // The one that waited has lost its connection, or it would not call again: its thread is for others.
        other.waiting().set(caller);
        while (true) {
            try {
                return other.reply().get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                caller.requireThere();
                if (other.waiting().get() != caller) {
                    throw busy("this call was repeated");
                }
                if (System.nanoTime() - deadlineNanos >= 0) {
                    throw busy("the same " + what + " is still under way");
                }
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RuntimeException failure) {
                    throw failure;
                }
                if (e.getCause() instanceof Error failure) {
                    throw failure;
                }
                throw busy("the same " + what + " was under way, and was interrupted");
            }
        }
    }

    private static WaterwheelException busy(String why) {
        return new WaterwheelException(ErrorCode.BUSY, why + "; ask again later");
    }
}
