package io.waterwheel.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.client.FakeServer;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.Retention;
import io.waterwheel.tuple.LostRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.flight.CallStatus;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that wait until their rows are visible share questions, and each has a time of its own. */
@Timeout(300)
final class VisibilityTest {
    private static final int WAITING = 100;
    private static final List<Field> FIELDS = List.of(new Field("count", FieldType.LONG, false));

    private final ExecutorService reading = Executors.newCachedThreadPool();
    private final SteppedTime time = new SteppedTime();

    @AfterEach
    void stop() {
        reading.shutdownNow();
    }

    /** Goes by when the test says so; what is due then is done on its thread. */
    private static final class SteppedTime implements Visibility.Time {
        private record Due(long at, Runnable task) {}

        private long now;
        private final List<Due> later = new ArrayList<>();

        @Override
        public synchronized long nanos() {
            return now;
        }

        @Override
        public synchronized void later(long nanos, Runnable task) {
            later.add(new Due(now + nanos, task));
        }

        void advance(Duration by) {
            List<Due> due;
            synchronized (this) {
                now += by.toNanos();
                due = later.stream().filter(one -> one.at() <= now).toList();
                later.removeAll(due);
            }
            due.forEach(one -> one.task().run());
        }

        /** The same where something is due by then; else nothing: a question is under way. */
        void advanceTo(Duration by) {
            if (isSomeDue(by)) {
                advance(by);
            }
        }

        synchronized boolean isSomeDue(Duration by) {
            return later.stream().anyMatch(one -> one.at() - now <= by.toNanos());
        }
    }

    private Visibility visibility(WaterwheelClient client) {
        return new Visibility("s", () -> client, reading, Runnable::run, time);
    }

    private static void answer(FakeServer.Answer answer, Map<Integer, Long> positions) {
        answer.whole(FIELDS, List.<Object[]>of(new Object[] {0L}), new Verdict(true, List.of(), positions, 1, 0, 0, 0));
    }

    private static void unmet(FakeServer.Answer answer, String why) {
        answer.fail(FakeServer.failure(CallStatus.TIMED_OUT, new WaterwheelException(ErrorCode.INCOMPLETE, why)));
    }

    /** A hundred requests come while the first question is open: they are answered by one more. */
    @Test
    void thoseThatWaitShareOneQuestion() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        try (FakeServer server = FakeServer.answering((query, answer) -> {
                    release.await();
                    answer(answer, Map.of());
                });
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            Visibility visibility = visibility(client);
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
            // Without rows there is nothing to ask for.
            assertThat(visibility.await(Map.of())).isCompleted();
            assertThat(server.queries).hasSize(2);
        }
    }

    /** A question that has no answer holds up nobody beyond the time of each. */
    @Test
    void eachWaitsForATimeOfItsOwn() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        try (FakeServer server = FakeServer.answering((query, answer) -> {
                    release.await();
                    answer(answer, Map.of());
                });
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            Visibility visibility = visibility(client);
            CompletableFuture<@Nullable Void> first = visibility.await(Map.of(0, 5L));
            Waiting.until("the question is open", () -> server.queries.size() == 1);
            time.advance(Duration.ofSeconds(20));
            CompletableFuture<@Nullable Void> second = visibility.await(Map.of(0, 6L));
            time.advance(Duration.ofMillis(9_999));
            assertThat(first).isNotDone();
            time.advance(Duration.ofMillis(1));
            assertThat(first).isCompletedExceptionally();
            assertThatThrownBy(first::join)
                    .hasMessageContaining("after 30 s it is not known that queries see the rows: there was no answer");
            time.advance(Duration.ofMillis(19_999));
            assertThat(second).isNotDone();
            time.advance(Duration.ofMillis(1));
            assertThat(second).isCompletedExceptionally();
            assertThatThrownBy(second::join).hasMessageContaining("after 30 s");
            release.countDown();
            visibility.await(Map.of(0, 7L)).join();
        }
    }

    /** Partition 1 stands: rows of other partitions are told at once, and its own when it goes on. */
    @Test
    void aPartitionThatStandsHoldsUpNoOther() throws Exception {
        AtomicLong standing = new AtomicLong(3);
        try (FakeServer server = FakeServer.answering((query, answer) -> {
                    if (query.atLeast().getOrDefault(1, 0L) > standing.get()) {
                        unmet(answer, "partition 1 stands");
                    } else {
                        answer(answer, Map.of(0, 1_000L, 1, standing.get()));
                    }
                });
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            Visibility visibility = visibility(client);
            CompletableFuture<@Nullable Void> stands = visibility.await(Map.of(0, 5L, 1, 4L));
            visibility.await(Map.of(0, 6L)).join();
            visibility.await(Map.of(1, 3L, 0, 7L)).join();
            assertThat(stands).isNotDone();
            assertThat(server.queries)
                    .as("questions that were not met: one")
                    .filteredOn(query ->
                            query.atLeast().containsKey(1) && query.atLeast().get(1) > 3)
                    .hasSize(1);
            // While all that is waited for stands, there is a look now and then.
            int before = server.queries.size();
            Waiting.until("it looks again", () -> {
                time.advanceTo(Visibility.PACE);
                return server.queries.size() > before + 1;
            });
            visibility.await(Map.of(0, 8L)).join();
            time.advance(Visibility.PATIENCE);
            assertThatThrownBy(stands::join).hasMessageContaining("after 30 s").hasMessageContaining("1 stands");
            CompletableFuture<@Nullable Void> goesOn = visibility.await(Map.of(1, 5L));
            CompletableFuture<@Nullable Void> later = visibility.await(Map.of(1, 6L));
            standing.set(5);
            Waiting.until("what went on is seen", () -> {
                time.advanceTo(Visibility.PACE);
                return goesOn.isDone();
            });
            goesOn.join();
            assertThat(later).isNotDone();
            standing.set(6);
            Waiting.until("the rest, too", () -> {
                time.advanceTo(Visibility.PACE);
                return later.isDone();
            });
            later.join();
        }
    }

    /** Who sends row after row to a partition that stood once does not wait for a pause with each of them. */
    @Test
    void aPartitionThatHasCaughtUpIsAskedForAtOnce() throws Exception {
        AtomicLong standing = new AtomicLong(3);
        try (FakeServer server = FakeServer.answering((query, answer) -> {
                    if (query.atLeast().getOrDefault(1, 0L) > standing.get()) {
                        unmet(answer, "partition 1 stands");
                    } else {
                        answer(answer, Map.of(1, standing.get()));
                    }
                });
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            Visibility visibility = visibility(client);
            CompletableFuture<@Nullable Void> stands = visibility.await(Map.of(1, 4L));
            Waiting.until("there is a pause", () -> time.isSomeDue(Visibility.PACE));
            standing.set(4);
            time.advance(Visibility.PACE);
            stands.join();
            // No time goes by from here on.
            standing.set(5);
            visibility.await(Map.of(1, 5L)).get(1, TimeUnit.MINUTES);
            assertThat(server.queries)
                    .extracting(Query::atLeast)
                    .containsExactly(Map.of(1, 4L), Map.of(), Map.of(), Map.of(1, 5L));
        }
    }

    /** What another question does not change is told at once: the stream is gone, or has lost what came before. */
    @Test
    void whatWillNotChangeIsToldAtOnce() throws Exception {
        try (FakeServer server = FakeServer.answering((query, answer) -> {
                    if (query.atLeast().containsKey(2)) {
                        answer.fail(FakeServer.failure(
                                CallStatus.NOT_FOUND,
                                new WaterwheelException(ErrorCode.NO_SUCH_STREAM, "there is no stream 's'")));
                    } else if (query.atLeast().containsKey(1)) {
                        unmet(answer, "lost below what was demanded");
                    } else {
                        answer.whole(
                                FIELDS,
                                List.<Object[]>of(new Object[] {0L}),
                                new Verdict(
                                        Verdict.Completeness.WHOLE,
                                        new SessionPositions(1, Map.of(0, 9L, 1, 9L)),
                                        new Verdict.Gone(
                                                List.of(new LostRange(1, 2, 4, "retention")), Retention.NO_HORIZON),
                                        1,
                                        0,
                                        new Verdict.Effort(1, 0, Statistics.NONE)));
                    }
                });
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            Visibility visibility = visibility(client);
            assertThatThrownBy(() -> visibility.await(Map.of(2, 1L)).join()).hasMessageContaining("there is no stream");
            assertThatThrownBy(() -> visibility.await(Map.of(1, 7L)).join())
                    .hasMessageContaining("partition 1, offsets 2 to 3 (retention)");
            visibility.await(Map.of(0, 7L)).join();
        }
    }
}
