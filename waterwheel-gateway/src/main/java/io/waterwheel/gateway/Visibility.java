package io.waterwheel.gateway;

import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.gateway.http.ConnectionThreads;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.tuple.TimeInterval;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Finds out when stored rows of one stream are visible. Requests that wait share one question: those that come while
 * one is under way share the next. Thread-safe.
 */
final class Visibility {
    private final String stream;
    private final QueryEndpoint.Server server;
    private final Executor executor;
    private final Executor answers;
    /** Guarded by this. */
    private final List<Waiting> waiting = new ArrayList<>();

    /** Guarded by this. */
    private boolean asking;

    private record Waiting(Map<Integer, Long> positions, CompletableFuture<@Nullable Void> visible) {}

    /**
     * Makes one for which no request waits yet.
     *
     * @param executor where answers of the server are read
     * @param answers tells those who wait, in rounds
     */
    Visibility(String stream, QueryEndpoint.Server server, Executor executor, Executor answers) {
        this.stream = stream;
        this.server = server;
        this.executor = executor;
        this.answers = answers;
    }

    /** Done when all below the positions is visible to queries; fails with what the question failed with. */
    CompletableFuture<@Nullable Void> await(Map<Integer, Long> positions) {
        Waiting added = new Waiting(positions, new CompletableFuture<>());
        boolean first;
        synchronized (this) {
            waiting.add(added);
            first = !asking;
            asking = true;
        }
        if (first) {
            next();
        }
        return added.visible();
    }

    private void next() {
        List<Waiting> all;
        synchronized (this) {
            if (waiting.isEmpty()) {
                asking = false;
                return;
            }
            all = List.copyOf(waiting);
            waiting.clear();
        }
        Map<Integer, Long> positions = new HashMap<>();
        all.forEach(
                one -> one.positions().forEach((partition, offset) -> positions.merge(partition, offset, Math::max)));
        try {
            // Of times that no tuple has: nothing is read, and the answer waits for the positions all the same.
            Query query = Query.of(stream)
                    .withTimes(new TimeInterval(Long.MIN_VALUE, Long.MIN_VALUE))
                    .withResult(ResultSpec.Aggregates.COUNT)
                    .withAtLeast(positions);
            WaterwheelClient client = server.client();
            var unused = client.read(query, executor, cursor -> {
                        boolean more = true;
                        while (more) {
                            more = cursor.nextBatch();
                        }
                        return cursor.verdict();
                    })
                    .whenComplete((verdict, failure) -> told(all, failure));
        } catch (RuntimeException e) {
            told(all, e);
        }
    }

    private void told(List<Waiting> all, @Nullable Throwable failure) {
        List<Runnable> told = new ArrayList<>(all.size());
        for (Waiting one : all) {
            told.add(() -> {
                if (failure == null) {
                    one.visible().complete(null);
                } else {
                    one.visible().completeExceptionally(failure);
                }
            });
        }
        ConnectionThreads.answerAll(answers, told);
        next();
    }
}
