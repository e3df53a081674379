package io.waterwheel.decode.registry;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The body of an answer, refused as soon as it is longer than allowed, or takes longer. */
final class BoundedBody implements HttpResponse.BodySubscriber<byte[]> {
    private final int most;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
    private volatile Flow.@Nullable Subscription subscription;

    BoundedBody(int most, long seconds) {
        this.most = most;
        var unused = whole.orTimeout(seconds, TimeUnit.SECONDS).whenComplete((body, failure) -> {
            Flow.Subscription from = subscription;
            if (failure != null && from != null) {
                // Closes the connection, whose other side may never end.
                from.cancel();
            }
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
            if (bytes.size() + buffer.remaining() > most) {
                whole.completeExceptionally(new IOException("an answer of more than " + most + " bytes"));
                return;
            }
            byte[] piece = new byte[buffer.remaining()];
            buffer.get(piece);
            bytes.write(piece, 0, piece.length);
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
