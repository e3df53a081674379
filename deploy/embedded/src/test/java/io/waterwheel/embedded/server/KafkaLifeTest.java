package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import kafka.server.BrokerServer;
import kafka.server.KafkaRequestHandler;
import org.apache.kafka.common.utils.Exit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With threads that do what those of a broker do: none of these tests starts one. */
@Timeout(300)
final class KafkaLifeTest {
    @TempDir
    Path folder;

    private final List<Integer> halts = new CopyOnWriteArrayList<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private final AtomicBoolean full = new AtomicBoolean(true);

    /** One whose stops have all the time that a busy machine may need. */
    private KafkaLife begin() throws IOException {
        return begin(TimeUnit.SECONDS.toNanos(30));
    }

    /** One whose stops are given up soon: for those that hang. */
    private KafkaLife beginImpatient() throws IOException {
        return begin(TimeUnit.MILLISECONDS.toNanos(300));
    }

    private KafkaLife begin(long nanos) throws IOException {
        return KafkaLife.begin(folder, full::get, new KafkaLife.Limits(nanos, 2 * nanos, halts::add));
    }

    @AfterEach
    void release() {
        released.countDown();
        Exit.resetHaltProcedure();
        Exit.resetExitProcedure();
    }

    /** As a thread of a broker that nothing interrupts. */
    private void hang() {
        while (true) {
            try {
                released.await();
                return;
            } catch (InterruptedException e) {
                // It goes on.
            }
        }
    }

    /** A thread of the broker that halts when it is told to. */
    private final class Halting {
        final CountDownLatch told = new CountDownLatch(1);
        final AtomicReference<@Nullable Throwable> died = new AtomicReference<>();
        final Thread thread = new Thread(() -> {
            try {
                told.await();
                Exit.halt(1, "all log dirs have failed");
            } catch (Throwable e) {
                died.set(e);
            }
        });

        /** Called by a thread of the broker, whose group it gets. */
        Halting begin() {
            thread.start();
            return this;
        }

        /** As a start does that no interruption ends. */
        void halt() {
            told.countDown();
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        void diesAlone() {
            halt();
            assertThat(died.get()).hasMessage("the broker in " + folder + " has ended, and this thread with it");
            assertThat(halts).isEmpty();
        }
    }

    @Test
    void aBrokerThatCannotWriteEndsAloneAndOneForAnotherReasonEndsTheProcess() throws Exception {
        KafkaLife life = begin();
        Halting first = life.start(() -> new Halting().begin());
        first.diesAlone();
        assertThat(life.ended()).isTrue();
        assertThat(life.stop(() -> {})).isTrue();
        full.set(false);
        KafkaLife next = begin();
        Halting second = next.start(() -> new Halting().begin());
        second.halt();
        assertThat(halts).containsExactly(1);
        assertThat(next.ended()).isFalse();
        assertThat(next.stop(() -> {})).isTrue();
    }

    @Test
    void whatIsLeftOfABrokerThatHasEndedDiesAloneLater() throws Exception {
        KafkaLife life = begin();
        Halting late = life.start(() -> new Halting().begin());
        life.start(() -> new Halting().begin()).diesAlone();
        assertThat(life.stop(() -> {})).isTrue();
        full.set(false);
        KafkaLife next = begin();
        late.diesAlone();
        assertThat(next.ended()).isFalse();
        assertThat(next.stop(() -> {})).isTrue();
    }

    @Test
    void aThreadThatBelongsToNoBrokerHaltsTheProcess() throws Exception {
        assertThat(begin().stop(() -> {})).isTrue();
        Exit.halt(3, "planted");
        assertThat(halts).containsExactly(3);
    }

    @Test
    void aStopThatFailsIsNotInOrderAndNoOtherBrokerFollowsInTheProcess() throws Exception {
        KafkaLife life = begin();
        assertThat(life.stop(() -> {
                    throw new IllegalStateException("planted");
                }))
                .isFalse();
        assertThat(life.stop(() -> {})).as("it is not stopped twice").isFalse();
        assertThatThrownBy(this::begin)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a broker of this process did not stop in order");
        assertThat(halts).isEmpty();
        KafkaLife.endProcessWhereOneIsLeft(folder.resolve("other"));
        assertThat(halts).isEmpty();
        KafkaLife.endProcessWhereOneIsLeft(folder);
        assertThat(halts).containsExactly(1);
    }

    @Test
    void aStopThatHangsIsLeftBehindUntilItIsAtItsEnd() throws Exception {
        KafkaLife life = beginImpatient();
        Halting first = life.start(() -> new Halting().begin());
        first.diesAlone();
        assertThat(life.stop(this::hang)).isFalse();
        assertThatThrownBy(this::begin).hasMessageContaining("did not stop in order");
        released.countDown();
        Waiting.until("it has stopped after all", () -> life.stop(() -> {}));
        assertThat(begin().stop(() -> {})).isTrue();
    }

    @Test
    void aStopOfABrokerThatHasNotEndedIsBoundedTooAndWaitsWhenInterrupted() throws Exception {
        KafkaLife life = beginImpatient();
        Thread.currentThread().interrupt();
        assertThat(life.stop(this::hang)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
        released.countDown();
        Waiting.until("it has stopped after all", () -> life.stop(() -> {}));
    }

    @Test
    void aStartThatHangsAfterItsBrokerHasEndedFailsAndSaysWhy() throws Exception {
        KafkaLife life = beginImpatient();
        assertThatThrownBy(() -> life.start(() -> {
                    new Halting().begin().halt();
                    hang();
                    return "started";
                }))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll(
                        "Kafka did not start: Kafka cannot use " + folder,
                        "(status 1, all log dirs have failed)",
                        "The lines of the log before");
        assertThat(life.stop(() -> {})).as("its start still goes on").isFalse();
        released.countDown();
        Waiting.until("the start is at its end", () -> life.stop(() -> {}));
    }

    /** {@link KafkaLife} finds them by their names in a stack, so as not to wait for them for minutes. */
    @Test
    void theBrokerOfThisKafkaHasTheMethodsThatAreInterrupted() throws Exception {
        assertThat(BrokerServer.class.getName()).isEqualTo("kafka.server.BrokerServer");
        assertThat(BrokerServer.class.getMethod("shutdown", Duration.class)).isNotNull();
        assertThat(KafkaRequestHandler.class.getName()).isEqualTo("kafka.server.KafkaRequestHandler");
        assertThat(KafkaRequestHandler.class.getMethod("awaitShutdown")).isNotNull();
    }
}
