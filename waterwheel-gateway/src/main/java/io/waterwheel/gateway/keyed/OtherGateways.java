package io.waterwheel.gateway.keyed;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.unpack.AnswerTooLongException;
import io.waterwheel.unpack.BoundedAnswer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks other gateways to store rows under keys whose lanes they have. Each is asked for a bounded number at a time, and
 * further ones wait in turn, or they would take all connections that it has. No thread waits. Thread-safe.
 */
final class OtherGateways {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Duration CONNECT = Duration.ofSeconds(1);
    /** Of the patience that there is for a request, what the other gateway has: the rest is for a claim. */
    private static final int PARTS = 4;

    /** Requests that one other gateway is asked at a time: of its connections it has most left for clients. */
    private static final int MOST_AT_ONCE = 128;

    /** A gateway tells another one positions, or a failure; one that is too old to know of it, also what it rejects. */
    static final int MOST_ANSWER_BYTES = 1 << 20;

    private static final int OK = 200;
    private static final int BUSY = 429;

    private final Duration patience;
    private final Executor threads;
    private final int mostAtOnce;
    /** By place; without those that are asked nothing. Guarded by this. */
    private final Map<String, Line> lines = new HashMap<>();
    /** Made when it is needed: it has a thread. Guarded by this. */
    private @Nullable HttpClient http;

    /** Requests for the gateway at one place. Guarded by the OtherGateways. */
    private static final class Line {
        int underWay;
        final Deque<Asked> waiting = new ArrayDeque<>();
    }

    /** One request, and who waits for what the other gateway says. */
    private record Asked(Owner to, HttpRequest request, Letter.Sender own, CompletableFuture<Outcome> outcome) {}

    /** @param threads read answers; take whatever they are given */
    OtherGateways(Duration patience, Executor threads) {
        this(patience, threads, MOST_AT_ONCE);
    }

    OtherGateways(Duration patience, Executor threads, int mostAtOnce) {
        this.patience = patience.dividedBy(PARTS);
        this.threads = threads;
        this.mostAtOnce = mostAtOnce;
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
     * What waits behind such a failure fails with it: it does not wait for as long again.
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
                    .POST(HttpRequest.BodyPublishers.ofByteArray(letter.body()));
            letter.headers().forEach(builder::header);
            request = builder.build();
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(failure(to, e));
        }
        Asked asked = new Asked(to, request, own, new CompletableFuture<>());
        synchronized (this) {
            Line line = lines.computeIfAbsent(to.place(), place -> new Line());
            if (line.underWay >= mostAtOnce) {
                line.waiting.add(asked);
                return asked.outcome();
            }
            line.underWay++;
        }
        send(asked);
        return asked.outcome();
    }

    private void send(Asked asked) {
        // Beyond that the client is not to wait.
        long left = asked.own().untilMillis() - System.currentTimeMillis();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.min(patience.toMillis(), left));
        var unused = ask(asked.request(), end)
                .thenApply(answer -> read(answer, asked.own().taken()))
                .exceptionallyCompose(failure -> {
                    // The first may have been read all the same.
                    return ofConnection(cause(failure)) && System.nanoTime() - end < 0
                            ? ask(asked.request(), end)
                                    .thenApply(answer ->
                                            read(answer, asked.own().taken()).perhaps())
                            : CompletableFuture.failedFuture(failure);
                })
                .whenComplete((outcome, failure) -> {
                    Throwable none = failure == null ? null : cause(failure);
                    List<Runnable> told = ended(asked, outcome, none);
                    told.forEach(Runnable::run);
                });
    }

    /** What is to be done now that a request has ended: the next ones are sent, or told that it is in vain. */
    private List<Runnable> ended(Asked asked, @Nullable Outcome outcome, @Nullable Throwable none) {
        List<Runnable> told = new ArrayList<>();
        told.add(
                outcome != null
                        ? () -> asked.outcome().complete(outcome)
                        : () -> asked.outcome().completeExceptionally(failure(asked.to(), none)));
        // An answer that is too long says nothing of the others.
        boolean ofAll = none != null && !(none instanceof AnswerTooLongException);
        boolean silent = ofAll && none instanceof IOException;
        synchronized (this) {
            String place = asked.to().place();
            Line line = Objects.requireNonNull(lines.get(place));
            line.underWay--;
            if (ofAll) {
                line.waiting.removeIf(one -> {
                    boolean vain = silent || one.to().equals(asked.to());
                    if (vain) {
                        told.add(() -> one.outcome().completeExceptionally(failure(one.to(), none)));
                    }
                    return vain;
                });
            }
            while (line.underWay < mostAtOnce && !line.waiting.isEmpty()) {
                Asked next = line.waiting.remove();
                if (System.currentTimeMillis() < next.own().untilMillis()) {
                    line.underWay++;
                    told.add(() -> send(next));
                } else {
                    told.add(() -> next.outcome()
                            .complete(new Outcome.Failed(
                                    false,
                                    failure(next.to(), new IllegalStateException("has others to answer before")))));
                }
            }
            if (line.underWay == 0) {
                lines.remove(place);
            }
        }
        return told;
    }

    /** Ends with the answer, whole, or fails, by this time at the latest. */
    private CompletableFuture<HttpResponse<byte[]>> ask(HttpRequest request, long end) {
        try {
            Duration left = Duration.ofNanos(Math.max(1_000_000, end - System.nanoTime()));
            return BoundedAnswer.of(http(), request, MOST_ANSWER_BYTES, left);
        } catch (RuntimeException e) {
            // Its threads have ended with the gateway.
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static IllegalStateException failure(Owner to, @Nullable Throwable cause) {
        String why = cause instanceof IllegalStateException
                        || cause instanceof HttpTimeoutException
                        || cause instanceof AnswerTooLongException
                ? cause.getMessage()
                : String.valueOf(cause);
        return new IllegalStateException("the gateway at " + to.place() + ": " + why, cause);
    }

    /** Whether a connection that was kept had ended, most likely: the other gateway ends those that rest. */
    private static boolean ofConnection(Throwable cause) {
        return cause instanceof IOException
                && !(cause instanceof HttpTimeoutException)
                && !(cause instanceof AnswerTooLongException)
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
        boolean told = false;
        try (JsonParser json = JSON.createParser(answer.body())) {
            String within = null;
            json.nextToken();
            JsonToken token;
            while ((token = json.nextToken()) != null) {
                if (token == JsonToken.START_OBJECT) {
                    within = json.currentName();
                    told |= "positions".equals(within);
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
            if (!told) {
                throw new IllegalStateException("its answer of status " + status + " has no positions");
            }
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
