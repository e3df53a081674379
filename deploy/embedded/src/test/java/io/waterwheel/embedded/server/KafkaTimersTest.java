package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.raft.TimingWheelExpirationService;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.purgatory.DelayedOperationKey;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.util.ShutdownableThread;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.SystemTimerReaper;
import org.apache.kafka.server.util.timer.TimerTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is due is done without the threads of Kafka that looked for it, and none of these is left. */
@Timeout(300)
final class KafkaTimersTest {
    private static final DelayedOperationKey KEY = () -> "key";

    /** A request that nothing completes. */
    private static final class Waits extends DelayedOperation {
        private final CountDownLatch expired = new CountDownLatch(1);

        Waits() {
            super(1);
        }

        @Override
        public void onExpiration() {
            expired.countDown();
        }

        @Override
        public void onComplete() {}

        @Override
        public boolean tryComplete() {
            return false;
        }
    }

    private static final class Once extends TimerTask {
        private final CountDownLatch done = new CountDownLatch(1);

        Once() {
            super(1);
        }

        @Override
        public void run() {
            done.countDown();
        }
    }

    /** A broker's: its threads are those of one group. */
    private static final class Parts {
        private final DelayedOperationPurgatory<Waits> fetches = new DelayedOperationPurgatory<>("Fetch", 1);
        private final DelayedOperationPurgatory<Waits> writes = new DelayedOperationPurgatory<>("Produce", 1);
        private final SystemTimerReaper groups =
                new SystemTimerReaper("group-coordinator-reaper", new SystemTimer("group-coordinator"));
        private final SystemTimerReaper clients =
                new SystemTimerReaper("client-metrics-reaper", new SystemTimer("client-metrics"));
        private final SystemTimer quorumTimer = new SystemTimer("raft-expiration-executor");
        private final TimingWheelExpirationService quorum = new TimingWheelExpirationService(quorumTimer);

        void close() throws Exception {
            fetches.shutdown();
            writes.shutdown();
            groups.close();
            clients.close();
            quorum.shutdown();
            quorumTimer.close();
        }
    }

    static List<Thread> living(ThreadGroup group) {
        Thread[] threads = new Thread[2 * group.activeCount() + 10];
        return Arrays.stream(threads, 0, group.enumerate(threads)).toList();
    }

    @Test
    void whatIsDueIsDoneAndKafkasThreadsEnd() throws Exception {
        ThreadGroup group = new ThreadGroup("broker");
        FutureTask<Parts> making = new FutureTask<>(Parts::new);
        Thread maker = new Thread(group, making);
        maker.start();
        Parts parts = making.get();
        maker.join();
        try (KafkaTimers timers = KafkaTimers.take(group)) {
            assertThat(timers).isNotNull();
            Waiting.until("none of Kafka's threads is left", () -> living(group).stream()
                    .noneMatch(ShutdownableThread.class::isInstance));
            assertThat(living(group))
                    .extracting(Thread::getName)
                    .as("one for each whose waits are short, and one for all others")
                    .containsExactlyInAnyOrder(
                            "ExpirationReaper-1-Fetch",
                            "group-coordinator-reaper",
                            "raft-expiration-reaper",
                            "kafka-patient-timers");
            // Twice: the second comes to a thread that waits.
            for (int round = 0; round < 2; round++) {
                List<CountDownLatch> due = new ArrayList<>();
                for (DelayedOperationPurgatory<Waits> purgatory : List.of(parts.fetches, parts.writes)) {
                    Waits waits = new Waits();
                    assertThat(purgatory.tryCompleteElseWatch(waits, List.of(KEY)))
                            .isFalse();
                    due.add(waits.expired);
                }
                for (SystemTimerReaper timer : List.of(parts.groups, parts.clients)) {
                    Once once = new Once();
                    timer.add(once);
                    due.add(once.done);
                }
                CompletableFuture<Object> answer = parts.quorum.failAfter(1);
                for (CountDownLatch each : due) {
                    assertThat(each.await(30, TimeUnit.SECONDS)).isTrue();
                }
                Waiting.until("the quorum's wait has ended", answer::isCompletedExceptionally);
            }
            // As a broker ends: before its timers do.
            parts.close();
        }
        Waiting.until("no thread is left", () -> living(group).isEmpty());
    }
}
