package io.waterwheel.topology.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ReplicaHostsTest {
    private static final int THREADS = 4;
    private static final Duration LONG = Duration.ofSeconds(50);

    private final ExecutorService lookups = Executors.newFixedThreadPool(THREADS);
    private final Map<String, AtomicInteger> asked = new ConcurrentHashMap<>();

    @AfterEach
    void close() {
        lookups.shutdownNow();
    }

    private int note(String file) {
        return asked.computeIfAbsent(file, each -> new AtomicInteger()).incrementAndGet();
    }

    @Test
    void looksUpManyAtOnceAndEachOnce() throws Exception {
        CyclicBarrier together = new CyclicBarrier(THREADS);
        ReplicaHosts hosts = new ReplicaHosts(
                file -> {
                    note(file);
                    try {
                        together.await();
                    } catch (InterruptedException | BrokenBarrierException e) {
                        throw new IOException(e);
                    }
                    return List.of("host of " + file);
                },
                lookups,
                LONG);
        List<String> files =
                IntStream.range(0, 25 * THREADS).mapToObj(i -> "file " + i).toList();
        for (int round = 0; round < 2; round++) {
            Map<String, List<String>> known = hosts.of(files);
            assertThat(known.keySet()).containsExactlyInAnyOrderElementsOf(files);
            known.forEach((file, names) -> assertThat(names).containsExactly("host of " + file));
        }
        assertThat(asked.values()).allSatisfy(times -> assertThat(times).hasValue(1));
    }

    @Test
    void leavesOutWhatCannotBeLookedUpAndTriesAgain() throws Exception {
        ReplicaHosts hosts = new ReplicaHosts(
                file -> {
                    if (note(file) == 1 && file.equals("b")) {
                        throw new IOException("refused");
                    }
                    return List.of("h");
                },
                lookups,
                LONG);
        assertThat(hosts.of(List.of("a", "b"))).containsOnlyKeys("a");
        assertThat(hosts.of(List.of("a", "b"))).containsOnlyKeys("a", "b");
    }

    @Test
    void doesNotWaitForASourceThatHangs() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        ReplicaHosts hosts = new ReplicaHosts(
                file -> {
                    try {
                        hanging.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    return List.of("h");
                },
                lookups,
                Duration.ofMillis(50));
        assertThat(hosts.of(List.of("a", "b"))).isEmpty();
        hanging.countDown();
        Map<String, List<String>> known = Map.of();
        while (known.size() < 2) {
            known = hosts.of(List.of("a", "b"));
        }
        assertThat(known.values()).containsOnly(List.of("h"));
    }
}
