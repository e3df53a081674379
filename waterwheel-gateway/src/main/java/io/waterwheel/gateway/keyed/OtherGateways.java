package io.waterwheel.gateway.keyed;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Asks other gateways to store rows under keys whose lanes they have. Waits for nothing. Thread-safe. */
final class OtherGateways {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Duration CONNECT = Duration.ofSeconds(1);
    /** Of the patience that there is for a request, what the other gateway has: the rest is for a claim. */
    private static final int PARTS = 4;

    private static final int MOST_ANSWER_BYTES = 64 << 10;
    private static final int OK = 200;
    private static final int BUSY = 429;

    private final Duration patience;
    private final Executor threads;
    /** Made when it is needed: it has a thread. Guarded by this. */
    private @Nullable HttpClient http;

    /** @param threads read answers; take whatever they are given */
    OtherGateways(Duration patience, Executor threads) {
        this.patience = patience.dividedBy(PARTS);
        this.threads = threads;
    }

    private synchronized HttpClient http() {
        HttpClient present = http;
        if (present == null) {
            present = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(CONNECT)
                    .proxy(HttpClient.Builder.NO_PROXY)
                    .executor(threads)
                    .build();
            http = present;
        }
        return present;
    }

    /**
     * Has rows stored. Done with what the other gateway says; fails where it gives no answer, or has not taken them.
     *
     * @param entry of their key
     * @param untilMillis when they may be stored, since 1970
     */
    CompletableFuture<Outcome> store(Owner to, Commit.Entry entry, Letter letter, long untilMillis) {
        Letter.Sender own = new Letter.Sender(to.claim(), untilMillis, entry.key(), entry.body());
        HttpRequest request;
        try {
            String target = letter.path() + "?" + Letter.PARAMETER + "=" + own.parameter()
                    + (letter.allow() ? "&partial=allow" : "");
            HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create("http://" + to.place() + target))
                    .timeout(patience)
                    .POST(HttpRequest.BodyPublishers.ofByteArray(letter.body()));
            letter.headers().forEach(builder::header);
            request = builder.build();
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(e);
        }
        return ask(request)
                .exceptionallyCompose(
                        failure -> ofConnection(failure) ? ask(request) : CompletableFuture.failedFuture(failure))
                .thenApply(answer -> read(answer, own.taken()));
    }

    private CompletableFuture<HttpResponse<byte[]>> ask(HttpRequest request) {
        HttpResponse.BodyHandler<byte[]> body =
                head -> head.headers().firstValueAsLong("Content-Length").orElse(Long.MAX_VALUE) <= MOST_ANSWER_BYTES
                        ? HttpResponse.BodySubscribers.ofByteArray()
                        : HttpResponse.BodySubscribers.replacing(new byte[0]);
        try {
            return http().sendAsync(request, body);
        } catch (RuntimeException e) {
            // Its threads have ended with the gateway.
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Whether a connection that was kept had ended, most likely: the other gateway ends those that rest. */
    private static boolean ofConnection(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof IOException
                && !(cause instanceof HttpTimeoutException)
                && !(cause instanceof ConnectException);
    }

    private static Outcome read(HttpResponse<byte[]> answer, String claim) {
        int status = answer.statusCode();
        Optional<String> taken = answer.headers().firstValue(Letter.TAKEN);
        // One that is busy has the lanes all the same.
        if (status != BUSY && !taken.equals(Optional.of(claim))) {
            throw new IllegalStateException("it was not taken, status " + status);
        }
        Map<Integer, Long> positions = new HashMap<>();
        Map<String, String> texts = new HashMap<>();
        try (JsonParser json = JSON.createParser(answer.body())) {
            String within = null;
            json.nextToken();
            JsonToken token;
            while ((token = json.nextToken()) != null) {
                if (token == JsonToken.START_OBJECT) {
                    within = json.currentName();
                } else if (token == JsonToken.END_OBJECT) {
                    within = null;
                } else if (token == JsonToken.VALUE_STRING && within == null) {
                    texts.put(json.currentName(), json.getText());
                } else if (token == JsonToken.VALUE_NUMBER_INT && "positions".equals(within)) {
                    positions.put(Integer.parseInt(json.currentName()), json.getLongValue());
                }
            }
        } catch (IOException | NumberFormatException e) {
            throw new IllegalStateException("its answer of status " + status + " cannot be read: " + e.getMessage(), e);
        }
        if (status == OK) {
            return new Outcome.Elsewhere(positions, null);
        }
        HttpFailure failure = failure(status, texts);
        return failure.code().equals(HttpCode.KEYS_UNAVAILABLE.name())
                ? new Outcome.Failed(false, failure)
                : new Outcome.Elsewhere(Map.of(), failure);
    }

    private static HttpFailure failure(int status, Map<String, String> texts) {
        String code = texts.get("code");
        String message = texts.get("message");
        if (code == null || message == null) {
            throw new IllegalStateException("its answer has status " + status + " and is none of a gateway");
        }
        return HttpFailure.told(status, code, message, texts.get("at"));
    }
}
