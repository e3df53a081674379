package io.waterwheel.unpack;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
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
     * @return the answer; fails with {@link HttpTimeoutException} where it took longer, and with another
     *     {@link IOException} where it is too long or the connection ended, which may be the cause of a
     *     {@link CompletionException}
     */
    public static CompletableFuture<HttpResponse<byte[]>> of(
            HttpClient client, HttpRequest request, int most, Duration within) {
        long end = System.nanoTime() + within.toNanos();
        // The client's own time ends with the head.
        HttpRequest timed = HttpRequest.newBuilder(request, (name, value) -> true)
                .timeout(within)
                .build();
        return client.sendAsync(timed, head -> new BoundedAnswer(most, end - System.nanoTime()))
                .exceptionallyCompose(failure -> {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    return CompletableFuture.failedFuture(
                            cause instanceof TimeoutException || cause instanceof HttpTimeoutException
                                    ? new HttpTimeoutException("no answer within " + within.toMillis() + " ms")
                                    : failure);
                });
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return whole;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        given.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            if (buffer.remaining() > most - bytes.size()) {
                whole.completeExceptionally(new IOException("an answer of more than " + most + " bytes"));
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
