package io.waterwheel.gateway;

import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * An answer in pieces, which waits for its client: a piece is taken by the network before the next is made. That of a
 * query has a trailer as its last word. One thread.
 */
final class AnswerStream {
    /** The verdict's trailer. */
    static final String VERDICT = "Waterwheel-Verdict";

    private final Request request;
    private final Response response;
    private final Callback callback;
    private final long patienceMillis;
    private volatile @Nullable String verdict;

    /**
     * @param patienceMillis how long the client may take for one piece
     * @param trailer whether a verdict comes last
     */
    AnswerStream(Request request, Response response, Callback callback, long patienceMillis, boolean trailer) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.patienceMillis = patienceMillis;
        if (!trailer) {
            return;
        }
        response.getHeaders().put(HttpHeader.TRAILER, VERDICT);
        response.setTrailersSupplier(() -> {
            String said = verdict;
            return said == null ? HttpFields.EMPTY : HttpFields.build().put(VERDICT, said);
        });
    }

    /** The client is gone, or takes too little: there is no client left to tell. */
    static final class ClientGone extends RuntimeException {
        private static final long serialVersionUID = 1;

        ClientGone(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    static void requireChunks(Request request) {
        if (request.getConnectionMetaData().getHttpVersion().getVersion() < HttpVersion.HTTP_1_1.getVersion()) {
            throw HttpFailure.of(
                    HttpCode.HTTP_TOO_OLD,
                    "the answer comes in chunks and ends with a trailer, which HTTP/1.0 has not: ask by HTTP/1.1");
        }
    }

    /**
     * Writes the last of an answer, or all of it where it comes in one piece. Ends the connection when its client does
     * not take that within the time that a connection may rest.
     */
    static void writeLast(Request request, Response response, ByteBuffer bytes, Callback callback) {
        AtomicBoolean taken = new AtomicBoolean();
        AtomicReference<Scheduler.@Nullable Task> deadline = new AtomicReference<>();
        response.write(
                true,
                bytes,
                Callback.from(
                        () -> {
                            taken.set(true);
                            Scheduler.Task task = deadline.get();
                            if (task != null) {
                                task.cancel();
                            }
                        },
                        callback));
        EndPoint client = request.getConnectionMetaData().getConnection().getEndPoint();
        long millis = client.getIdleTimeout();
        // Most answers are taken at once, and need no clock.
        if (millis > 0 && !taken.get()) {
            Scheduler.Task task = request.getComponents()
                    .getScheduler()
                    .schedule(
                            () -> client.close(
                                    new TimeoutException("the client did not take its answer in " + millis + " ms")),
                            millis,
                            TimeUnit.MILLISECONDS);
            deadline.set(task);
            if (taken.get()) {
                task.cancel();
            }
        }
    }

    /**
     * Sends a piece.
     *
     * @throws ClientGone when the client does not take it
     */
    void write(byte[] bytes, int length) {
        send(false, ByteBuffer.wrap(bytes, 0, length));
    }

    /** Ends an answer without a verdict; nothing waits for the client to take it. */
    void end() {
        writeLast(request, response, ByteBuffer.allocate(0), callback);
    }

    /** Ends the answer; nothing waits for the client to take it. */
    void end(String saidLast) {
        verdict = saidLast;
        end();
    }

    /** Ends the connection in place of the answer: what came is not all, and cannot be taken for that. */
    void cut(Throwable why) {
        callback.failed(why);
    }

    private void send(boolean last, ByteBuffer bytes) {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        response.write(
                last, bytes, Callback.from(() -> sent.complete(null), failure -> sent.completeExceptionally(failure)));
        try {
            sent.get(patienceMillis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new ClientGone("the client is gone", e.getCause());
        } catch (TimeoutException e) {
            IOException slow = new IOException(
                    "the client took less than " + bytes.limit() + " bytes in " + patienceMillis + " ms");
            request.getConnectionMetaData().getConnection().getEndPoint().close(slow);
            throw new ClientGone(String.valueOf(slow.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClientGone("the gateway is closing", e);
        }
    }
}
