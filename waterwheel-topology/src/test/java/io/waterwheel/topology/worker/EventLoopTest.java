package io.waterwheel.topology.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

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
}
