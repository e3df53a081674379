package io.waterwheel.embedded;

import io.waterwheel.client.Cursor;
import io.waterwheel.client.StreamQuery;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.WaterwheelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Clients, each with a connection of its own, that ask for much and take no more of it than the first row. */
final class SlowReaders implements AutoCloseable {
    private final List<WaterwheelClient> clients = new ArrayList<>();
    private final List<Future<String>> answers = new ArrayList<>();
    private final AtomicInteger begun = new AtomicInteger();
    private final CountDownLatch enough = new CountDownLatch(1);

    void ask(ExecutorService threads, String url, Function<WaterwheelClient, StreamQuery> question) {
        WaterwheelClient client = WaterwheelClient.connect(url);
        clients.add(client);
        answers.add(threads.submit(() -> {
            StreamQuery query = question.apply(client).timeout(Duration.ofMinutes(10));
            try (Cursor cursor = query.rows()) {
                if (!cursor.next()) {
                    return "NO_ROW";
                }
                begun.incrementAndGet();
                enough.await();
                return "";
            } catch (WaterwheelException e) {
                return e.code();
            }
        }));
    }

    /** How many have their first row. */
    int begun() {
        return begun.get();
    }

    /** Those that were refused, or whose answers have ended: the codes of their errors. */
    List<String> ended() throws Exception {
        List<String> codes = new ArrayList<>();
        for (Future<String> answer : answers) {
            if (answer.isDone()) {
                codes.add(answer.get());
            }
        }
        return codes;
    }

    /** They all leave at once. */
    @Override
    public void close() throws Exception {
        enough.countDown();
        clients.forEach(WaterwheelClient::close);
        for (Future<String> answer : answers) {
            String unused = answer.get(5, TimeUnit.MINUTES);
        }
    }
}
