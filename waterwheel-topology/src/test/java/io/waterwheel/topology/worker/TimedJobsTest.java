package io.waterwheel.topology.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class TimedJobsTest {
    private static final Duration SOON = Duration.ofMillis(1);

    private final TimedJobs jobs = new TimedJobs("jobs");

    @AfterEach
    void close() {
        jobs.close();
    }

    @Test
    void aJobThatLastsHoldsUpItsLineAndNoOther() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        AtomicBoolean lasting = new AtomicBoolean();
        AtomicBoolean beside = new AtomicBoolean();
        AtomicInteger behind = new AtomicInteger();
        AtomicInteger elsewhere = new AtomicInteger();
        try (TimedJobs.Line long1 = jobs.line("long").every(SOON, SOON, () -> {
                    lasting.set(true);
                    begun.countDown();
                    ends.await();
                    lasting.set(false);
                });
                TimedJobs.Line short1 = jobs.line("short")) {
            assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
            long1.every(SOON, SOON, () -> {
                beside.compareAndSet(false, lasting.get());
                behind.incrementAndGet();
            });
            short1.every(SOON, SOON, elsewhere::incrementAndGet);
            Waiting.until("the other line's jobs", () -> elsewhere.get() > 10);
            assertThat(behind).hasValue(0);
            ends.countDown();
            Waiting.until("jobs of both lines", () -> behind.get() > 10);
            assertThat(beside).isFalse();
        }
    }

    @Test
    void aJobThatFailsIsDoneAgain() throws Exception {
        AtomicInteger times = new AtomicInteger();
        try (TimedJobs.Line failing = jobs.line("failing").every(SOON, SOON, () -> {
            int now = times.incrementAndGet();
            if (now == 1) {
                throw new IllegalStateException("once");
            } else if (now == 2) {
                throw new OutOfMemoryError("made up");
            }
        })) {
            Waiting.until("a third time", () -> times.get() > 2);
            assertThat(failing).isNotNull();
        }
    }

    @Test
    void closingALineInterruptsItsJobWaitsForItsEndAndLetsNoneBegin() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        AtomicInteger begunAfter = new AtomicInteger();
        TimedJobs.Line line = jobs.line("closed").every(SOON, SOON, () -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                ended.incrementAndGet();
            }
        });
        line.every(SOON, SOON, begunAfter::incrementAndGet);
        assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
        int before = begunAfter.get();
        line.close();
        assertThat(ended).hasValue(1);
        AtomicInteger others = new AtomicInteger();
        try (TimedJobs.Line other = jobs.line("other").every(SOON, SOON, others::incrementAndGet)) {
            Waiting.until("jobs of another line", () -> others.get() > 10);
            assertThat(other).isNotNull();
        }
        assertThat(ended).hasValue(1);
        assertThat(begunAfter).hasValue(before);
    }

    @Test
    void linesThatRestShareAThread() throws Exception {
        AtomicInteger times = new AtomicInteger();
        int resting = 20;
        for (int i = 0; i < resting; i++) {
            jobs.line("rests-" + i).every(Duration.ofHours(1), Duration.ofHours(1), times::incrementAndGet);
        }
        try (TimedJobs.Line works = jobs.line("works").every(SOON, SOON, times::incrementAndGet)) {
            Waiting.until("some jobs", () -> times.get() > 100);
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .filteredOn(name -> name.startsWith("jobs-") || name.startsWith("rests-") || name.equals("works"))
                    // The clock's and one, and another for each that was not back yet when a job was due.
                    .hasSizeLessThan(resting / 2);
            assertThat(works).isNotNull();
        }
    }
}
