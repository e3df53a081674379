package io.waterwheel.unpack;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * An answer by HTTP whose other side is not trusted to end it: refused as soon as its body is longer than allowed, or
 * head and body together take longer. Its connection is closed then.
 */
public final class BoundedAnswer implements HttpResponse.BodySubscriber<byte[]> {
    private final int most;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
    private volatile Flow.@Nullable Subscription subscription;

    private BoundedAnswer(int most, long nanos) {
        this.most = most;
        var unused = whole.orTimeout(nanos, TimeUnit.NANOSECONDS).whenComplete((body, failure) -> {
            Flow.Subscription from = subscription;
            if (failure != null && from != null) {
                from.cancel();
            }
        });
    }

    /**
     * Sends a request. What is done with the answer is done by a thread of all, not by one of the client's.
     *
     * @param most bytes of the body
     * @param within how long the whole answer may take, more than zero
     * @return the answer; fails with {@link HttpTimeoutException} where it took longer, with
     *     {@link AnswerTooLongException} where it is too long, and with another {@link IOException} where the
     *     connection was not made or ended, each of which may be the cause of a {@link CompletionException}
     */
    public static CompletableFuture<HttpResponse<byte[]>> of(
            HttpClient client, HttpRequest request, int most, Duration within) {
        long end = System.nanoTime() + within.toNanos();
        // The client's own time ends with the head.
        HttpRequest timed = HttpRequest.newBuilder(request, (name, value) -> true)
                .timeout(within)
                .build();
        CompletableFuture<HttpResponse<byte[]>> sent =
                client.sendAsync(timed, head -> new BoundedAnswer(most, end - System.nanoTime()));
        // Once more, since the client's own time begins when the host's name has been looked up. Not on the clock's
        // thread, which all futures share.
        return sent.copy().orTimeout(within.toNanos(), TimeUnit.NANOSECONDS).exceptionallyComposeAsync(failure -> {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            boolean late = cause instanceof TimeoutException
                    || (cause instanceof HttpTimeoutException && !(cause instanceof HttpConnectTimeoutException));
            if (late) {
                sent.cancel(true);
            }
            return CompletableFuture.failedFuture(
                    late ? new HttpTimeoutException("no answer within " + within.toMillis() + " ms") : failure);
        });
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return whole;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        if (whole.isDone()) {
            // Its time was up before, when there was nothing to cancel.
            given.cancel();
            return;
        }
        given.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            if (buffer.remaining() > most - bytes.size()) {
                whole.completeExceptionally(new AnswerTooLongException(most));
                return;
            }
            byte[] piece = new byte[buffer.remaining()];
            buffer.get(piece);
            bytes.writeBytes(piece);
        }
    }

    @Override
    public void onError(Throwable failure) {
        whole.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        whole.complete(bytes.toByteArray());
    }
}
