package io.waterwheel.embedded.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.known.KnownRows;
import io.waterwheel.query.Query;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows are sent under keys to two gateways at once, each again until it is confirmed, while gateways and the server
 * with its broker are killed: every row of a 2xx is there once, and each key has one place. One gateway sends on to the
 * other. Two who follow the stream meanwhile, by the client and by HTTP, get each row once. In the long form the same
 * again with the broker in a process of its own, which is killed too. {@code -Dkills=N}, {@code -Dseed=N}.
 */
@Tag("embedded")
final class KeyedPushTest {
    private static final int KILLS = Rounds.of("kills", 2, 50);
    private static final boolean LONG = Rounds.of("kills", 0, 50) > 0;
    private static final int ROWS = 20;
    private static final int CLIENTS = 4;

    @TempDir
    Path folder;

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger confirmed = new AtomicInteger();
    private final AtomicInteger again = new AtomicInteger();
    private final Map<Integer, String> positions = new ConcurrentHashMap<>();
    private final AtomicReferenceArray<String> gateways = new AtomicReferenceArray<>(2);
    /** Requests that were under way when something was killed, and failed. */
    private final AtomicInteger met = new AtomicInteger();

    private volatile long killedAt = System.nanoTime();
    /** Whether what was killed is on its way up. */
    private volatile boolean down;

    private volatile boolean ends;
    /** The test ends, whatever is not confirmed. */
    private volatile boolean givenUp;

    private volatile int used;

    @Test
    void rowsUnderKeysAreThereOnce() throws Exception {
        run(false);
    }

    @Test
    void soTheyAreWhenTheBrokerAloneIsKilled() throws Exception {
        assumeTrue(LONG, "in the long form, with -Dkills=N");
        run(true);
    }

    /** @param split whether the broker is a process of its own, and killed as such */
    private void run(boolean split) throws Exception {
        System.err.println("keyed push: seed " + seed + (split ? ", the broker by itself" : ""));
        Random random = new Random(seed);
        List<ChildProcess> children = new ArrayList<>();
        List<RowFollower> followers = new ArrayList<>();
        try (Installation installation = new Installation(folder, folder.resolve("chunks"), split)) {
            installation.startAll();
            try (WaterwheelClient client = WaterwheelClient.connect(installation.url())) {
                client.createStream(KnownRows.definition());
            }
            for (int g = 0; g < 2; g++) {
                children.add(gateway(installation, g));
            }
            List<CompletableFuture<Void>> sending = new ArrayList<>();
            for (int c = 0; c < CLIENTS; c++) {
                Random own = new Random(random.nextLong());
                sending.add(CompletableFuture.runAsync(
                        () -> send(own), task -> daemon(task).start()));
            }
            followers.add(RowFollower.byClient(installation.url()).start());
            followers.add(RowFollower.byHttp(() -> gateways.get(used)).start());
            long begin = System.nanoTime();
            // Further ones where no request was under way at any so far, as may be.
            for (int kill = 0; kill < KILLS || (met.get() == 0 && kill < KILLS + 10); kill++) {
                System.err.printf(
                        "keyed push: %s confirmed after %s ms%n", confirmed, (System.nanoTime() - begin) / 1_000_000);
                int before = confirmed.get();
                int enough = 20 + random.nextInt(100);
                await(sending, () -> confirmed.get() >= before + enough);
                flush(installation);
                int failed = met.get();
                if (kill % 3 == 1) {
                    kill(installation, Installation.Part.SERVER);
                } else if (split && kill % 3 == 0) {
                    kill(installation, Installation.Part.KAFKA);
                } else {
                    int g = random.nextInt(2);
                    killed(children.get(g));
                    children.set(g, gateway(installation, g));
                }
                down = false;
                System.err.println("keyed push: " + (met.get() - failed) + " failed that were under way at the kill");
            }
            // What the test is about: otherwise it shows no more than that confirmed rows are there.
            assertThat(met.get()).as("seed %s: requests that a kill met", seed).isPositive();
            int before = confirmed.get();
            await(sending, () -> confirmed.get() >= before + 50);
            ends = true;
            for (CompletableFuture<Void> one : sending) {
                one.get(5, TimeUnit.MINUTES);
            }
            for (RowFollower follower : followers) {
                io.waterwheel.Waiting.until(
                        "every row came", Duration.ofMinutes(5), () -> follower.rows() == next.get() * ROWS);
                System.err.println("keyed push: " + follower);
            }
            try (WaterwheelClient client = WaterwheelClient.connect(installation.url())) {
                check(client);
                assertThat(client.verify(KnownRows.STREAM, Duration.ofMinutes(5))
                                .agrees())
                        .isTrue();
            }
            System.err.println("keyed push: " + KILLS + " kills, " + met.get() + " failed at them, " + next.get()
                    + " keys, " + again.get() + " sent again after they were confirmed");
        } finally {
            givenUp = true;
            for (RowFollower follower : followers) {
                follower.close();
            }
            for (ChildProcess child : children) {
                child.close();
            }
        }
    }

    /** Starts it again at once. */
    private void kill(Installation installation, Installation.Part part) throws Exception {
        killed(installation.part(part));
        installation.start(part);
    }

    /** Kills it while rows are posted without a rest; what is killed is down until it was started again. */
    private void killed(ChildProcess child) throws Exception {
        killedAt = System.nanoTime();
        child.kill();
        down = true;
    }

    /** So that some rows move from memory into chunks while they are followed. */
    private static void flush(Installation installation) {
        try (WaterwheelClient client = WaterwheelClient.connect(installation.url())) {
            client.flush(KnownRows.STREAM);
        } catch (io.waterwheel.error.WaterwheelException e) {
            System.err.println("keyed push: no flush, " + e.getMessage());
        }
    }

    private static void await(List<CompletableFuture<Void>> sending, java.util.function.BooleanSupplier done)
            throws Exception {
        io.waterwheel.Waiting.until("rows are confirmed", Duration.ofMinutes(5), () -> {
            for (CompletableFuture<Void> one : sending) {
                if (one.isCompletedExceptionally()) {
                    one.get();
                }
            }
            return done.getAsBoolean();
        });
    }

    private ChildProcess gateway(Installation installation, int number) throws Exception {
        ChildProcess child = ChildProcess.launch(
                        "gateway-" + number,
                        Path.of("target", "fault-logs"),
                        Installation.withQuickStart("-Xmx256m", "--add-opens=java.base/java.nio=ALL-UNNAMED"),
                        "io.waterwheel.embedded.Main",
                        List.of("gateway", "--server", installation.url(), "--port", "0"),
                        "ready: ")
                .awaitReady();
        gateways.set(number, child.ready().substring("ready: ".length()));
        return child;
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }

    private void send(Random random) {
        HttpClient http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(20))
                .build();
        while (!ends && !givenUp) {
            int key = next.getAndIncrement();
            long begun = System.nanoTime();
            while (!givenUp && !post(http, random, key)) {
                if (begun - killedAt < 0) {
                    met.incrementAndGet();
                }
                // The gateway may be on its way up, and needs the processors.
                LockSupport.parkNanos(5_000_000);
                begun = System.nanoTime();
            }
            confirmed.incrementAndGet();
            if (down) {
                // Some dozens a second are enough, and what was killed needs the processors to come up.
                LockSupport.parkNanos(LONG ? 5_000_000 : 50_000_000);
            }
            if (random.nextInt(4) == 0 && post(http, random, Math.max(0, key - random.nextInt(200)))) {
                again.incrementAndGet();
            }
        }
    }

    /** Whether it was confirmed. */
    private boolean post(HttpClient http, Random random, int key) {
        StringBuilder rows = new StringBuilder();
        for (long id = (long) key * ROWS; id < (key + 1L) * ROWS; id++) {
            rows.append(id)
                    .append(',')
                    .append(KnownRows.key(id))
                    .append(',')
                    .append(KnownRows.time(id))
                    .append(',')
                    .append(KnownRows.value(id))
                    .append('\n');
        }
        int at = random.nextInt(2);
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(gateways.get(at) + "/v1/streams/" + KnownRows.STREAM + "/rows"))
                .timeout(Duration.ofMillis(500 + random.nextInt(10_000)))
                .header("Content-Type", "text/csv")
                .header("Idempotency-Key", "key-" + key)
                .POST(HttpRequest.BodyPublishers.ofString(rows.toString()))
                .build();
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString(UTF_8));
            if (answer.statusCode() != 200) {
                assertThat(answer.statusCode()).as(answer.body()).isIn(429, 503, 504);
                TimeUnit.MILLISECONDS.sleep(20);
                return false;
            }
            String before = positions.putIfAbsent(key, answer.body());
            assertThat(before == null || before.equals(answer.body()))
                    .as("seed %s, key %s: %s, before %s", seed, key, answer.body(), before)
                    .isTrue();
            return true;
        } catch (IOException e) {
            // The gateway is gone, or the answer is late: the client does not know what was stored.
            used = 1 - at;
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void check(WaterwheelClient client) {
        int rows = next.get() * ROWS;
        // A question that names no positions may be answered without an indexer that has just got its first row.
        Waiting.until("all rows are seen", () -> client.query(KnownRows.STREAM).count() >= rows);
        BitSet found = new BitSet();
        try (Cursor cursor = client.query(
                Query.of(KnownRows.STREAM).withSelect(List.of("id", "v")).withTimeout(Duration.ofMinutes(5)))) {
            while (cursor.next()) {
                int id = (int) cursor.getLong("id");
                assertThat(found.get(id))
                        .as("seed %s: row %s is twice", seed, id)
                        .isFalse();
                assertThat(cursor.getLong("v")).isEqualTo(KnownRows.value(id));
                found.set(id);
            }
        }
        assertThat(found.cardinality()).as("seed %s", seed).isEqualTo(rows);
    }
}
