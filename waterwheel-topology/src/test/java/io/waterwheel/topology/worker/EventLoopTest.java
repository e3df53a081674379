package io.waterwheel.topology.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.Scrape;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class EventLoopTest {
    private static final class Recorder implements EventLoop.Handler<String> {
        final List<String> seen = new CopyOnWriteArrayList<>();
        final CountDownLatch ticks = new CountDownLatch(3);
        final CountDownLatch busy = new CountDownLatch(1);
        final CountDownLatch go = new CountDownLatch(1);
        final CountDownLatch last = new CountDownLatch(1);

        @Override
        public void on(String event, long now) throws Exception {
            if (event.equals("wait")) {
                busy.countDown();
                go.await();
            } else if (event.equals("fail")) {
                throw new IllegalStateException("as told");
            }
            seen.add(event);
            if (event.equals("last")) {
                last.countDown();
            }
        }

        @Override
        public void onTick(long now) {
            ticks.countDown();
        }
    }

    /** A rest is a second: sixty ticks would take a minute. */
    @Test
    void aHandlerThatRestsTicksWhenItIsWokenAndOnceItRestsNoLonger() throws Exception {
        AtomicInteger ticks = new AtomicInteger();
        AtomicBoolean rests = new AtomicBoolean(true);
        EventLoop.Handler<String> handler = new EventLoop.Handler<>() {
            @Override
            public void on(String event, long now) {
                rests.set(false);
            }

            @Override
            public void onTick(long now) {
                ticks.incrementAndGet();
            }

            @Override
            public boolean rests() {
                return rests.get();
            }
        };
        long begun = System.nanoTime();
        try (EventLoop<String> loop = new EventLoop<>("test", 1_000_000, handler)) {
            loop.start();
            Waiting.until("it rests", () -> ticks.get() > 0);
            for (int i = 0; i < 60; i++) {
                int before = ticks.get();
                loop.wake();
                Waiting.until("it ticks", () -> ticks.get() > before);
            }
            int before = ticks.get();
            loop.put("work");
            Waiting.until("it ticks again and again", () -> ticks.get() > before + 60);
        }
        assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(40));
    }

    @Test
    void controlOvertakesDataAndTicksCome() throws Exception {
        Recorder recorder = new Recorder();
        try (EventLoop<String> loop = new EventLoop<>("test", 1_000_000, recorder)) {
            loop.start();
            loop.put("wait");
            assertThat(recorder.busy.await(1, TimeUnit.MINUTES)).isTrue();
            loop.put("data-1");
            loop.put("last");
            assertThat(loop.offer("control")).isTrue();
            recorder.go.countDown();
            assertThat(recorder.last.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(recorder.seen).containsExactly("wait", "control", "data-1", "last");
            assertThat(recorder.ticks.await(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void ticksComeToAHandlerThatRestsTooAndLessOften() throws Exception {
        CountDownLatch ticks = new CountDownLatch(3);
        EventLoop.Handler<String> resting = new EventLoop.Handler<>() {
            @Override
            public void on(String event, long now) {}

            @Override
            public void onTick(long now) {
                ticks.countDown();
            }

            @Override
            public boolean rests() {
                return true;
            }
        };
        try (EventLoop<String> loop = new EventLoop<>("test", 1_000_000, resting)) {
            long begin = System.nanoTime();
            loop.start();
            assertThat(ticks.await(1, TimeUnit.MINUTES)).isTrue();
            // One after an interval, and two after four each: a busy machine makes it longer only.
            assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(9_000_000);
        }
    }

    @Test
    void queuesAreMeasured() throws Exception {
        Recorder recorder = new Recorder();
        Metrics metrics = Metrics.unread();
        try (EventLoop<String> loop = new EventLoop<>("task", 1_000_000, recorder);
                AutoCloseable measured = loop.measure(metrics)) {
            assertThat(measured).isNotNull();
            loop.start();
            loop.put("wait");
            assertThat(recorder.busy.await(1, TimeUnit.MINUTES)).isTrue();
            for (int i = 0; i < 256; i++) {
                loop.put("data");
            }
            assertThat(loop.offer("control")).isTrue();
            assertThat(page(metrics))
                    .contains("waterwheel_queue_events{task=\"task\"} 256.0")
                    .contains("waterwheel_queue_limit_events{task=\"task\"} 256.0")
                    .contains("waterwheel_control_queue_events{task=\"task\"} 1.0")
                    .contains("waterwheel_queue_full_seconds_total{task=\"task\"} 0.0\n");
            Thread waits = new Thread(() -> {
                try {
                    loop.put("last");
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            waits.start();
            Waiting.until("it waits", () -> waits.getState() == Thread.State.WAITING);
            recorder.go.countDown();
            assertThat(recorder.last.await(1, TimeUnit.MINUTES)).isTrue();
            waits.join();
            assertThat(page(metrics))
                    .contains("waterwheel_queue_events{task=\"task\"} 0.0")
                    .doesNotContain("waterwheel_queue_full_seconds_total{task=\"task\"} 0.0\n");
        }
        assertThat(page(metrics)).doesNotContain("waterwheel_queue");
    }

    private static String page(Metrics metrics) {
        return new String(Scrape.of(List.of(metrics), null).body(), StandardCharsets.UTF_8);
    }

    @Test
    void aFailureReachesWhoeverHandsOverDataNext() throws Exception {
        EventLoop<String> loop = new EventLoop<>("test", 1_000_000, new Recorder());
        loop.start();
        loop.put("fail");
        assertThatThrownBy(() -> {
                    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
                    while (System.nanoTime() < deadline) {
                        loop.put("data");
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("test has failed")
                .hasRootCauseMessage("as told");
        assertThat(loop.offer("control")).isFalse();
        loop.close();
    }

    /** Where the loop ends, and that cannot even be told: whose data would be lost must hear of it. */
    @ParameterizedTest
    @ValueSource(strings = {"fail", "interrupt", "told"})
    void aFailureThatCannotBeToldReachesSendersAllTheSame(String how) throws Exception {
        EventLoop.Handler<String> handler = new EventLoop.Handler<>() {
            @Override
            public void on(String event, long now) {
                if (event.equals("fail")) {
                    throw new IllegalStateException("as told");
                }
                Thread.currentThread().interrupt();
            }

            @Override
            public void onTick(long now) {}

            @Override
            public void onFailure(Throwable cause) {
                throw new OutOfMemoryError("made up");
            }
        };
        try (EventLoop<String> loop = new EventLoop<>("test", 1_000_000, handler)) {
            loop.start();
            if (how.equals("told")) {
                assertThatThrownBy(() -> loop.fail(new IllegalStateException("as told")))
                        .isInstanceOf(OutOfMemoryError.class);
            } else {
                loop.put(how);
                Waiting.until("the loop has ended", () -> !loop.offer("control"));
            }
            assertThatThrownBy(() -> loop.put("data")).hasMessage("test has failed");
        }
    }

    @Test
    void aLoopThatIsInterruptedRefusesWhatIsHandedOver() throws Exception {
        EventLoop.Handler<String> handler = new EventLoop.Handler<>() {
            @Override
            public void on(String event, long now) {
                Thread.currentThread().interrupt();
            }

            @Override
            public void onTick(long now) {}
        };
        try (EventLoop<String> loop = new EventLoop<>("test", 1_000_000, handler)) {
            loop.start();
            loop.put("interrupt");
            Waiting.until("the loop has ended", () -> !loop.offer("control"));
            assertThatThrownBy(() -> loop.put("data"))
                    .hasMessage("test has failed")
                    .hasRootCauseInstanceOf(InterruptedException.class);
        }
    }
}
