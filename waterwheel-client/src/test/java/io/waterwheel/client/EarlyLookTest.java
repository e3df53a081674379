package io.waterwheel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A look for coordinators that is begun before anything is asked. */
@Timeout(60)
final class EarlyLookTest {
    private static final WaterwheelException NOT_THERE =
            new WaterwheelException(ErrorCode.NO_SUCH_NAMESPACE, "no topology of this namespace was ever there");

    private final BufferAllocator allocator = new RootAllocator();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    /** What each look finds, in turn: addresses, or what it throws. Guarded by itself. */
    private final Deque<Object> found = new ArrayDeque<>();

    private final Coordinators coordinators = new Coordinators(
            new Addresses() {
                @Override
                @SuppressWarnings("unchecked") // as the tests put it there
                public List<String> now() {
                    try {
                        mayEnd.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    Object next;
                    synchronized (found) {
                        next = found.remove();
                    }
                    if (next instanceof RuntimeException failure) {
                        throw failure;
                    }
                    return (List<String>) next;
                }

                @Override
                public boolean change() {
                    return true;
                }
            },
            url -> new Connection(allocator, url));

    @AfterEach
    void close() {
        mayEnd.countDown();
        coordinators.close();
        allocator.close();
    }

    private void finds(Object... looks) {
        found.addAll(Arrays.asList(looks));
    }

    private String ask() {
        return coordinators.repeatable(Duration.ofSeconds(10), Connection::address);
    }

    private static void awaitEnd() {
        Waiting.until("the early look has ended", () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("waterwheel-client-reach")));
    }

    @Test
    void theFirstQuestionTakesWhatItFinds() {
        finds(List.of("grpc://127.0.0.1:1"));
        coordinators.reach();
        mayEnd.countDown();
        assertThat(ask()).isEqualTo("127.0.0.1:1");
        assertThat(ask()).as("known by now").isEqualTo("127.0.0.1:1");
    }

    @Test
    void whoWaitsForItHearsWhyItFailed() throws Exception {
        finds(NOT_THERE);
        coordinators.reach();
        Thread later = new Thread(() -> {
            Waiting.until("the question waits", () -> Thread.getAllStackTraces().entrySet().stream()
                    .anyMatch(entry -> entry.getKey().getName().equals("asking")
                            && Arrays.stream(entry.getValue())
                                    .anyMatch(frame -> frame.getMethodName().equals("firstLook"))
                            && entry.getKey().getState() == Thread.State.WAITING));
            mayEnd.countDown();
        });
        later.start();
        Thread.currentThread().setName("asking");
        assertThatThrownBy(this::ask).isSameAs(NOT_THERE);
        later.join();
    }

    @Test
    void aFailureOfBeforeIsNotToldLater() {
        finds(NOT_THERE, List.of("grpc://127.0.0.1:1"));
        coordinators.reach();
        mayEnd.countDown();
        awaitEnd();
        assertThat(ask()).isEqualTo("127.0.0.1:1");
    }

    @Test
    void aClientThatIsClosedFirstHasNoConnection() {
        finds(List.of("grpc://127.0.0.1:1"), List.of("grpc://127.0.0.1:1"));
        coordinators.reach();
        coordinators.close();
        mayEnd.countDown();
        awaitEnd();
        assertThatThrownBy(this::ask).hasMessage("the client is closed");
    }
}
