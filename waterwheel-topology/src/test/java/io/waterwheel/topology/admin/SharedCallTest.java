package io.waterwheel.topology.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.rpc.AdminHandler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class SharedCallTest {
    private static final AdminHandler.Caller THERE = () -> false;
    private static final SharedCall.Id CALL = new SharedCall.Id("1", 1);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final SharedCall<String> calls = new SharedCall<>("verification");
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger done = new AtomicInteger();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private static long soon() {
        return System.nanoTime() + TimeUnit.SECONDS.toNanos(50);
    }

    private Future<String> first(String failure) throws InterruptedException {
        Future<String> first = threads.submit(() -> calls.call(CALL, "s", THERE, soon(), () -> {
            begun.countDown();
            goOn.await();
            done.incrementAndGet();
            if (failure.equals("DEFECT")) {
                throw new ArithmeticException("a defect");
            }
            if (!failure.isEmpty()) {
                throw new WaterwheelException(ErrorCode.valueOf(failure), "failed");
            }
            return "first";
        }));
        begun.await();
        return first;
    }

    private Future<String> second(CountDownLatch waits) {
        AdminHandler.Caller looked = () -> {
            // It is asked while it waits.
            waits.countDown();
            return false;
        };
        return threads.submit(() -> calls.call(CALL, "s", looked, soon(), () -> {
            done.incrementAndGet();
            return "second";
        }));
    }

    private String afterTheFirst(String failure) throws Exception {
        Future<String> first = first(failure);
        CountDownLatch waits = new CountDownLatch(1);
        Future<String> second = second(waits);
        waits.await();
        goOn.countDown();
        assertThat(first).failsWithin(50, TimeUnit.SECONDS);
        return second.get();
    }

    @Test
    void whoRepeatsTheCallThatIsUnderWayHasItsReply() throws Exception {
        Future<String> first = first("");
        CountDownLatch waits = new CountDownLatch(1);
        Future<String> second = second(waits);
        waits.await();
        goOn.countDown();
        assertThat(first.get()).isEqualTo("first");
        assertThat(second.get()).isEqualTo("first");
        assertThat(done).hasValue(1);
        assertThat(calls.call(CALL, "s", THERE, soon(), () -> "third")).isEqualTo("third");
    }

    /** A client whose connection broke calls again, before the server has seen that it is gone. */
    @Test
    void whenItEndsBecauseItsCallerIsGoneTheNextDoesIt() throws Exception {
        assertThat(afterTheFirst("CLIENT_GONE")).isEqualTo("second");
        assertThat(done).hasValue(2);
    }

    @Test
    void itsFailureIsThatOfAllWhoWait() {
        assertThatThrownBy(() -> afterTheFirst("INCOMPLETE"))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(WaterwheelException.class)
                .hasMessageContaining("failed");
        assertThat(done).hasValue(1);
    }

    @Test
    void itsDefectIsToldAsOneToAll() {
        assertThatThrownBy(() -> afterTheFirst("DEFECT"))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(ArithmeticException.class);
        assertThat(done).hasValue(1);
    }

    private void assertBusy(SharedCall.Id id) {
        assertThatThrownBy(() -> calls.call(id, "s", THERE, soon(), () -> "no"))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("BUSY"));
    }

    /** What began before it was asked says nothing of what was appended in between. */
    @Test
    void anotherCallOfTheSameStreamIsRefused() throws Exception {
        Future<String> first = first("");
        assertBusy(new SharedCall.Id("2", 1));
        assertBusy(new SharedCall.Id("", 1));
        // Dropped and created again.
        assertBusy(new SharedCall.Id("1", 2));
        goOn.countDown();
        assertThat(first.get()).isEqualTo("first");
    }

    @Test
    void aCallWithoutAnIdIsNeverARepetition() throws Exception {
        SharedCall.Id none = new SharedCall.Id("", 1);
        Future<String> first = threads.submit(() -> calls.call(none, "s", THERE, soon(), () -> {
            begun.countDown();
            goOn.await();
            return "first";
        }));
        begun.await();
        assertBusy(none);
        goOn.countDown();
        assertThat(first.get()).isEqualTo("first");
    }

    /** However often a client calls again, one thread waits. */
    @Test
    void ofThoseWhoRepeatACallTheLastWaits() throws Exception {
        Future<String> first = first("");
        CountDownLatch waits = new CountDownLatch(1);
        Future<String> second = second(waits);
        waits.await();
        Future<String> third = second(new CountDownLatch(1));
        assertThatThrownBy(second::get)
                .hasCauseInstanceOf(WaterwheelException.class)
                .hasMessageContaining("this call was repeated");
        goOn.countDown();
        assertThat(first.get()).isEqualTo("first");
        assertThat(third.get()).isEqualTo("first");
    }

    @Test
    void otherWorkIsRefusedAndNoOneWaitsForLong() throws Exception {
        Future<String> first = first("");
        assertThatThrownBy(() -> calls.call(new SharedCall.Id("2", 1), "other", THERE, soon(), () -> "no"))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("BUSY"));
        assertThatThrownBy(() -> calls.call(CALL, "s", THERE, System.nanoTime(), () -> "no"))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("BUSY"));
        assertThatThrownBy(() -> calls.call(CALL, "s", () -> true, soon(), () -> "no"))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("CLIENT_GONE"));
        goOn.countDown();
        assertThat(first.get()).isEqualTo("first");
    }
}
