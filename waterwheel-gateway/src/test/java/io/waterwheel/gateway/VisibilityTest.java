package io.waterwheel.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.client.FakeServer;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.arrow.flight.CallStatus;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that wait until their rows are visible share questions. */
@Timeout(300)
final class VisibilityTest {
    private static final int WAITING = 100;

    /** A hundred requests come while the first question is open: they are answered by one more. */
    @Test
    void thoseThatWaitShareOneQuestion() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        List<Field> fields = List.of(new Field("count", FieldType.LONG, false));
        ExecutorService reading = Executors.newCachedThreadPool();
        try (FakeServer server = FakeServer.answering((query, answer) -> {
                    release.await();
                    if (query.atLeast().getOrDefault(1, 0L) == WAITING) {
                        answer.fail(FakeServer.failure(
                                CallStatus.UNAVAILABLE,
                                new WaterwheelException(ErrorCode.INCOMPLETE, "indexer 1 does not answer")));
                    } else {
                        answer.whole(
                                fields,
                                List.<Object[]>of(new Object[] {0L}),
                                new Verdict(true, List.of(), Map.of(), 1, 0, 0, 0));
                    }
                });
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            Visibility visibility = new Visibility("s", () -> client, reading, Runnable::run);
            CompletableFuture<@Nullable Void> first = visibility.await(Map.of(0, 5L));
            Waiting.until("the first question is open", () -> server.queries.size() == 1);
            List<CompletableFuture<@Nullable Void>> others = new ArrayList<>();
            for (int i = 1; i <= WAITING; i++) {
                // In an order of their own: what counts is the greatest offset, not the last.
                others.add(visibility.await(Map.of(i % 2, 10L + i * 37 % WAITING)));
            }
            assertThat(server.queries).hasSize(1);
            assertThat(first).isNotDone();
            release.countDown();
            first.join();
            others.forEach(CompletableFuture::join);
            assertThat(server.queries).hasSize(2);
            assertThat(server.queries.get(0).atLeast()).containsExactly(Map.entry(0, 5L));
            assertThat(server.queries.get(1).atLeast())
                    .containsExactlyInAnyOrderEntriesOf(Map.of(0, 10L + WAITING - 2, 1, 10L + WAITING - 1));
            // One that fails tells those who share it, and the next asks anew.
            assertThatThrownBy(() -> visibility.await(Map.of(1, (long) WAITING)).join())
                    .hasMessageContaining("indexer 1 does not answer");
            visibility.await(Map.of(0, 7L)).join();
            assertThat(server.queries.get(server.queries.size() - 1).atLeast()).containsExactly(Map.entry(0, 7L));
        } finally {
            reading.shutdownNow();
        }
    }
}
