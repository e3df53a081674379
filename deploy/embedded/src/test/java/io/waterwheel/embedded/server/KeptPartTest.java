package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class KeptPartTest {
    private static final long LOOK_MILLIS = 1;

    private final Queue<Fake> made = new ConcurrentLinkedQueue<>();
    private final Deque<Throwable> startFailures = new ArrayDeque<>();
    private final AtomicInteger starts = new AtomicInteger();
    private final CountDownLatch mayStart = new CountDownLatch(1);
    /** What the keeper told when it began each start; of the tests that set {@link #kept}. */
    private final Queue<String> troubles = new ConcurrentLinkedQueue<>();

    private volatile @Nullable KeptPart<Fake> kept;

    /** A part that ends when it is told to. */
    private final class Fake implements KeptPart.Part<Fake> {
        final AtomicInteger closed = new AtomicInteger();
        volatile boolean ended;
        volatile @Nullable Error stopFailure;

        Fake() {
            made.add(this);
        }

        @Override
        public boolean ended() {
            return ended;
        }

        @Override
        public Fake again() throws IOException {
            starts.incrementAndGet();
            awaitUninterrupted(mayStart);
            KeptPart<Fake> keeper = kept;
            if (keeper != null) {
                troubles.add(keeper.trouble());
            }
            Throwable failure = startFailures.poll();
            if (failure instanceof IOException planted) {
                throw planted;
            } else if (failure instanceof Error planted) {
                throw planted;
            }
            return new Fake();
        }

        @Override
        public void close() {
            closed.incrementAndGet();
            Error failure = stopFailure;
            if (failure != null) {
                throw failure;
            }
        }
    }

    /** As a start that nothing interrupts. */
    private static void awaitUninterrupted(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Fake last() {
        return made.stream().reduce((before, after) -> after).orElseThrow();
    }

    @Test
    void goesOnWhateverAPartOrItsDiskFailsWith() {
        mayStart.countDown();
        startFailures.add(new IOException("planted"));
        startFailures.add(new IOException("planted"));
        startFailures.add(new OutOfMemoryError("planted: no thread"));
        Fake first = new Fake();
        first.stopFailure = new InternalError("planted: a mapped file");
        AtomicInteger looks = new AtomicInteger();
        AtomicBoolean writable = new AtomicBoolean();
        KeptPart<Fake> kept = KeptPart.of(
                "the part",
                first,
                () -> {
                    if (looks.incrementAndGet() == 2) {
                        throw new UncheckedIOException(new IOException("planted: the probe"));
                    }
                    return writable.get() ? "" : "planted: it is full";
                },
                LOOK_MILLIS);
        this.kept = kept;
        try {
            assertThat(kept.trouble()).isEmpty();
            first.ended = true;
            Waiting.until("looks go on after one that failed", () -> looks.get() > 3);
            assertThat(starts).as("starts while nothing can be written").hasValue(0);
            assertThat(kept.trouble())
                    .isEqualTo("the part has ended, and is started again when its disk can be written:"
                            + " planted: it is full");
            assertThat(first.closed).hasValue(1);
            writable.set(true);
            Waiting.until("it is back", () -> kept.trouble().isEmpty());
            assertThat(starts).hasValue(4);
            assertThat(troubles)
                    .as("what the last start failed with is told until the next one")
                    .contains("the part did not start again: java.lang.OutOfMemoryError: planted: no thread");
            last().ended = true;
            Waiting.until("the next one follows", () -> made.size() == 3);
        } finally {
            kept.close();
        }
        assertThat(made).extracting(fake -> fake.closed.get()).containsExactly(1, 1, 1);
    }

    @Test
    void startsThatFailGetRarer() {
        mayStart.countDown();
        for (int i = 0; i < 1_000; i++) {
            startFailures.add(new IOException("planted"));
        }
        Fake first = new Fake();
        KeptPart<Fake> kept = KeptPart.of("the part", first, () -> "", LOOK_MILLIS);
        try {
            long begin = System.nanoTime();
            first.ended = true;
            // Pauses of 2, 4, .. 512 ms lie between.
            Waiting.until("ten starts", () -> starts.get() >= 10);
            assertThat(System.nanoTime() - begin).isGreaterThan(500_000_000);
        } finally {
            kept.close();
        }
    }

    @Test
    void closesItsPartAlsoOnAThreadThatIsInterrupted() {
        Fake first = new Fake();
        KeptPart<Fake> kept = KeptPart.of("the part", first, () -> "", LOOK_MILLIS);
        Thread.currentThread().interrupt();
        kept.close();
        assertThat(Thread.interrupted()).as("the flag is there again").isTrue();
        assertThat(first.closed).hasValue(1);
    }

    @Test
    void closesAPartThatIsJustStarting() throws Exception {
        Fake first = new Fake();
        KeptPart<Fake> kept = KeptPart.of("the part", first, () -> "", LOOK_MILLIS);
        first.ended = true;
        Waiting.until("it starts", () -> starts.get() == 1);
        Thread closing = new Thread(kept::close, "closing");
        closing.start();
        Waiting.until("it is waited for", () -> closing.getState() == Thread.State.TIMED_WAITING);
        mayStart.countDown();
        closing.join();
        assertThat(made).extracting(fake -> fake.closed.get()).containsExactly(1, 1);
    }
}
