package io.waterwheel.gateway.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of one request into memory, as it comes, without a thread that waits. It may have a number of bytes,
 * and must come at a mean of 1 KiB/s once ten seconds have gone by. One thread at a time.
 */
public final class BodyReader implements Runnable {
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LEAST_BYTES_A_SECOND = 1 << 10;
    private static final int FIRST_BYTES = 4 << 10;
    private static final int MOST_DROPPED = 1 << 20;

    private final Request request;
    private final int mostBytes;
    private final PushBudget.Lease lease;
    private final long graceNanos;
    /** For the whole body. */
    private final long mostNanos;

    private final Consumer<byte[]> whole;
    private final Consumer<Throwable> failed;
    private final long begin = System.nanoTime();
    /** Set where the body does not come at once. */
    private Scheduler.@Nullable Task deadline;

    private byte[] bytes = {};
    /** Of what came, also where it is not kept. */
    private long length;
    /** Why the body is not kept, once that is known. */
    private @Nullable HttpFailure refused;

    private BodyReader(
            Request request,
            int mostBytes,
            PushBudget.Lease lease,
            long graceNanos,
            long mostNanos,
            Consumer<byte[]> whole,
            Consumer<Throwable> failed) {
        this.request = request;
        this.mostBytes = mostBytes;
        this.lease = lease;
        this.graceNanos = graceNanos;
        this.mostNanos = mostNanos;
        this.whole = whole;
        this.failed = failed;
    }

    /**
     * A client that sends nothing at all is no one's turn: somebody else has to look at the clock. Most bodies come
     * with their head, and need none.
     */
    private void watchClock() {
        if (deadline == null) {
            deadline = request.getComponents()
                    .getScheduler()
                    .schedule(
                            () -> request.fail(new TimeoutException("the body did not come in time")),
                            mostNanos,
                            TimeUnit.NANOSECONDS);
        }
    }

    private void stopClock() {
        Scheduler.Task task = deadline;
        if (task != null) {
            task.cancel();
        }
    }

    /**
     * Begins to read.
     *
     * @param mostBytes a body that is longer fails with BODY_TOO_LARGE, before it is read where it says so itself
     * @param lease takes the bytes as they come
     * @param whole takes the body; on the thread that its last bytes came on
     * @param failed told in its place what went wrong
     */
    public static void read(
            Request request,
            int mostBytes,
            PushBudget.Lease lease,
            Consumer<byte[]> whole,
            Consumer<Throwable> failed) {
        read(request, mostBytes, lease, GRACE_NANOS, whole, failed);
    }

    static void read(
            Request request,
            int mostBytes,
            PushBudget.Lease lease,
            long graceNanos,
            Consumer<byte[]> whole,
            Consumer<Throwable> failed) {
        boolean drops = request.getLength() > mostBytes;
        if (drops
                && (request.getLength() > 2L * mostBytes || request.getHeaders().contains(HttpHeader.EXPECT))) {
            failed.accept(tooLarge(request.getLength() + " bytes", mostBytes));
            return;
        }
        boolean unknown = request.getLength() < 0;
        if (request.getLength() == 0 || (unknown && !request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING))) {
            whole.accept(new byte[0]);
            return;
        }
        BodyReader reader = new BodyReader(
                request,
                mostBytes,
                lease,
                graceNanos,
                graceNanos + TimeUnit.SECONDS.toNanos(mostBytes / LEAST_BYTES_A_SECOND),
                whole,
                failed);
        if (drops) {
            reader.refuse(tooLarge(request.getLength() + " bytes", mostBytes), 0);
        }
        reader.run();
    }

    /**
     * Reads the body of a request that is refused for what its head says, and drops it; then tells the client why. A
     * client that sends all before it reads would else see a connection that breaks, and no answer. A body of more than
     * 1 MiB is not waited for, nor is one that the client sends only when it is asked to; any other for ten seconds.
     *
     * @param lease of nothing
     * @param refused told why
     */
    public static void drop(Request request, PushBudget.Lease lease, HttpFailure why, Consumer<Throwable> refused) {
        boolean none = request.getLength() == 0
                || (request.getLength() < 0 && !request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING));
        if (none || request.getLength() > MOST_DROPPED || request.getHeaders().contains(HttpHeader.EXPECT)) {
            lease.close();
            refused.accept(why);
            return;
        }
        BodyReader reader = new BodyReader(
                request,
                MOST_DROPPED / 2,
                lease,
                GRACE_NANOS,
                GRACE_NANOS,
                body -> {
                    throw new IllegalStateException("a body was kept that is dropped");
                },
                refused);
        reader.refuse(why, 0);
        reader.run();
    }

    @Override
    public void run() {
        while (true) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                if (tooSlow()) {
                    HttpFailure slow = HttpFailure.of(
                            HttpCode.BODY_TOO_SLOW,
                            "the body came slower than " + LEAST_BYTES_A_SECOND + " bytes a second: " + length
                                    + " bytes in " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin) + " s");
                    fail(refused != null ? refused : slow);
                    return;
                }
                watchClock();
                request.demand(this);
                return;
            }
            if (Content.Chunk.isFailure(chunk)) {
                // What is not wanted need not come.
                fail(refused != null ? refused : unread(chunk.getFailure()));
                return;
            }
            boolean last = chunk.isLast();
            HttpFailure why = refused;
            try {
                if (why != null) {
                    length += chunk.remaining();
                } else {
                    take(chunk.getByteBuffer());
                }
            } catch (HttpFailure e) {
                why = e;
                refuse(e, chunk.remaining());
            } finally {
                chunk.release();
            }
            if (why != null
                    && (last || length > 2L * mostBytes || request.getHeaders().contains(HttpHeader.EXPECT))) {
                fail(why);
                return;
            }
            if (last) {
                stopClock();
                whole.accept(length == bytes.length ? bytes : Arrays.copyOf(bytes, (int) length));
                return;
            }
        }
    }

    /** What comes is the client's: it is late, cut off, or in no chunks. */
    private static Throwable unread(Throwable why) {
        if (why instanceof TimeoutException) {
            return HttpFailure.of(HttpCode.BODY_TOO_SLOW, "the body did not come in time: " + why.getMessage());
        }
        return why instanceof HttpException || why instanceof IOException
                ? HttpFailure.of(HttpCode.BAD_HTTP, "the body cannot be read: " + why.getMessage())
                : why;
    }

    private boolean tooSlow() {
        long beyond = System.nanoTime() - begin - graceNanos;
        return beyond > 0 && length < beyond / 1e9 * LEAST_BYTES_A_SECOND;
    }

    /**
     * Keeps nothing more, and gives back what was taken. Many clients send all before they read: what is left is read
     * and dropped, as much again as a body may have, for else they would see a connection that breaks, and no answer.
     */
    private void refuse(HttpFailure why, int unread) {
        refused = why;
        bytes = new byte[0];
        length += unread;
        lease.close();
    }

    /** @throws HttpFailure where it may not be kept */
    private void take(ByteBuffer some) {
        int count = some.remaining();
        if (count > mostBytes - length) {
            throw tooLarge("more", mostBytes);
        }
        if (bytes.length - length < count) {
            long announced = Math.max(0, request.getLength());
            long wanted = Math.max(Math.max(2L * bytes.length, length + (long) count), FIRST_BYTES);
            // What is announced is taken as it comes, not on the client's word.
            int larger = (int) Math.min(wanted, announced > length ? announced : mostBytes);
            lease.grow(larger - bytes.length);
            bytes = Arrays.copyOf(bytes, larger);
        }
        some.get(bytes, (int) length, count);
        length += count;
    }

    private void fail(Throwable why) {
        stopClock();
        bytes = new byte[0];
        failed.accept(why);
    }

    private static HttpFailure tooLarge(String got, int most) {
        return HttpFailure.of(
                HttpCode.BODY_TOO_LARGE,
                most == 0
                        ? "this request takes no body, got " + got
                        : "the body may have " + most + " bytes, got " + got + "; send less at a time");
    }
}
