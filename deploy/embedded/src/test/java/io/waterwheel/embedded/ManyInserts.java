package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;

/** Many INSERT statements at once against a whole server: each is stored whole, or refused by name. */
final class ManyInserts {
    private static final int MANY = 48;
    private static final int ROWS = 200;
    /** Of the server and of gRPC. */
    private static final Pattern POOLED = Pattern.compile("(waterwheel-query|grpc-default-executor)-\\d+");

    private final WaterwheelClient client;

    ManyInserts(WaterwheelClient client) {
        this.client = client;
    }

    private long inserted(int number, Set<String> positions) {
        List<String> rows = new ArrayList<>();
        for (int row = 0; row < ROWS; row++) {
            rows.add("(" + (number * ROWS + row) + ", NOW(), 'row " + row + " of statement " + number + "')");
        }
        // One that has a place waits for its turn as long as it may.
        Statement insert = Statement.of("INSERT INTO inserted_at_once (id, at, note) VALUES " + String.join(", ", rows))
                .withTimeout(Duration.ofMinutes(5));
        try (Cursor cursor = client.sql(insert)) {
            assertThat(cursor.next()).isTrue();
            synchronized (positions) {
                positions.add(cursor.getString("positions"));
            }
            return cursor.getLong("rows");
        }
    }

    private long counted(String values, Set<String> positions) {
        try (Cursor cursor = client.sql("SELECT /*+ at_least('" + String.join(",", positions) + "') */ " + values
                + " AS n FROM inserted_at_once")) {
            assertThat(cursor.next()).isTrue();
            return cursor.getLong("n");
        }
    }

    private void done(String statement) {
        try (Cursor cursor = client.sql(statement)) {
            assertThat(cursor.next()).isTrue();
        }
    }

    /** Without those of two pools that have nothing to do and end after a minute of that, if they are not too many. */
    private static long threads() {
        ThreadInfo[] all = ManagementFactory.getThreadMXBean().dumpAllThreads(false, false);
        long idle = Arrays.stream(all)
                .filter(Objects::nonNull)
                .filter(thread -> POOLED.matcher(thread.getThreadName()).matches())
                // With an end it polls for work; without one it would wait for ever.
                .filter(thread -> thread.getThreadState() == Thread.State.TIMED_WAITING)
                .filter(thread -> Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("getTask")))
                .count();
        return all.length - Math.min(idle, MANY);
    }

    void eachIsStoredWholeOrRefused() throws Exception {
        done("CREATE STREAM inserted_at_once (id BIGINT, at TIMESTAMP, note VARCHAR) KEY (id) TIME (at)");
        Set<String> positions = new TreeSet<>();
        // What the first one makes, such as a producer, stays.
        long stored = inserted(MANY, positions);
        long threadsBefore = threads();
        CountDownLatch go = new CountDownLatch(1);
        Queue<Long> answers = new ConcurrentLinkedQueue<>();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            int number = i;
            Thread thread = new Thread(() -> {
                try {
                    go.await();
                    answers.add(inserted(number, positions));
                } catch (InterruptedException | RuntimeException | Error e) {
                    failures.add(e);
                }
            });
            threads.add(thread);
            thread.start();
        }
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).allSatisfy(failure -> assertThat(failure)
                .hasMessageContaining("nothing was stored, try again")
                .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.is(ErrorCode.SERVER_BUSY))
                        .as(e.toString())
                        .isTrue()));
        // As many as have a place are never refused.
        assertThat(answers).hasSizeGreaterThanOrEqualTo(16).allMatch(rows -> rows == ROWS);
        assertThat(answers.size() + failures.size()).isEqualTo(MANY);
        System.out.printf("%d INSERTs at once: %d stored, %d refused%n", MANY, answers.size(), failures.size());
        for (long rows : answers) {
            stored += rows;
        }
        assertThat(counted("COUNT(*)", positions)).isEqualTo(stored);
        assertThat(counted("COUNT(DISTINCT id)", positions)).isEqualTo(stored);
        // Those that were refused are stored when they are sent again; one at a time all are.
        for (int i = 0; i < 5; i++) {
            stored += inserted(MANY + 1 + i, positions);
        }
        assertThat(counted("COUNT(*)", positions)).isEqualTo(stored);
        Waiting.until("no query is open", () -> client.queries().isEmpty());
        Waiting.until("their threads have ended or wait for other work", () -> threads() <= threadsBefore + 16);
        done("DROP STREAM inserted_at_once");
    }
}
