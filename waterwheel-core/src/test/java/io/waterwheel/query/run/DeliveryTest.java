package io.waterwheel.query.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.waterwheel.Rounds;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.result.Gather;
import io.waterwheel.query.scan.QueryClock;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Parts from many threads, a client that is slow, gone, or fails: one merges at a time, and nobody waits for it. */
@Timeout(300)
final class DeliveryTest {
    private static final StreamInfo STREAM = new StreamInfo(
            "s",
            1,
            new Schema(
                    List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                    new KeySpec.Ordered("k"),
                    "t"),
            RecordFormat.BLOCK,
            "s",
            1,
            1);
    private static final Query ROWS = Query.of("s").withSelect(List.of("k"));
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(20);

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final QueryMemory memory = new QueryMemory(1 << 30, 1 << 30);

    @AfterEach
    void close() {
        executor.shutdownNow();
    }

    /** What a client does, and sees to it that it is one thread at a time. */
    private static class Client implements AnswerSink {
        final List<Long> rows = new ArrayList<>();
        final List<Thread> threads = new ArrayList<>();
        final AtomicBoolean busy = new AtomicBoolean();
        final AtomicBoolean overlap = new AtomicBoolean();
        volatile boolean gone;
        volatile boolean closed;

        void taken() {}

        @Override
        public void start(List<Field> fields) {}

        @Override
        public void rows(TupleBlock block) {
            if (!busy.compareAndSet(false, true) || closed) {
                overlap.set(true);
            }
            threads.add(Thread.currentThread());
            for (int row = 0; row < block.size(); row++) {
                rows.add(LittleEndian.getLong(block.column(0), row * 8));
            }
            try {
                taken();
            } finally {
                busy.set(false);
            }
        }

        @Override
        public void finish(Verdict verdict) {}

        @Override
        public void fail(WaterwheelException failure) {}

        @Override
        public boolean cancelled() {
            return gone;
        }
    }

    private static Gather gather(Query query) {
        return ResolvedQuery.of(query, STREAM).spec().gather();
    }

    private Delivery delivery(AnswerSink sink, Gather gather, Reservation reservation) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        return new Delivery(
                sink, gather, false, deadline, QueryClock.SYSTEM, new AnswerTally(System::nanoTime), reservation);
    }

    private static TupleBlock block(Gather gather, long... values) {
        TupleBlock block = new TupleBlock(gather.partLayout(), values.length);
        for (int row = 0; row < values.length; row++) {
            LittleEndian.putLong(block.column(0), row * 8, values[row]);
        }
        block.setSize(values.length);
        return block;
    }

    private static Part part(Reservation reservation, TupleBlock... blocks) {
        Reservation held = reservation.part();
        for (TupleBlock block : blocks) {
            held.reserve(block.allocatedBytes());
        }
        return new Part(new ArrayList<>(List.of(blocks)), blocks.length, held);
    }

    private FutureTask<Void> begin(Delivery delivery, Runnable work) {
        FutureTask<Void> task = new FutureTask<>(work, null) {
            @Override
            protected void done() {
                delivery.wake();
            }
        };
        executor.execute(task);
        return task;
    }

    private static void workUntilDone(Delivery delivery, FutureTask<Void> task) throws Exception {
        while (!delivery.work(task::isDone, LOOK)) {
            assertThat(Thread.interrupted()).isFalse();
        }
        task.get();
    }

    /** What is to go wrong, at which of the client's steps. */
    private enum Trouble {
        NONE,
        GONE,
        FAILURE,
        ERROR,
        GIVEN_UP
    }

    @Test
    void anySchedulesAnswerIsThatOfOneThread() throws Exception {
        long first = Long.getLong("seed", 1);
        int seeds = Rounds.of(40, 1000);
        for (long seed = first; seed < first + seeds; seed++) {
            try {
                schedule(new Random(seed));
            } catch (AssertionError | Exception e) {
                throw new AssertionError("-Dtest=DeliveryTest -Dseeds=1 -Dseed=" + seed, e);
            }
            assertThat(memory.reserved()).as("seed " + seed).isZero();
        }
    }

    private void schedule(Random random) throws Exception {
        boolean ordered = random.nextInt(3) == 0;
        int limit = random.nextInt(3) == 0 ? 1 + random.nextInt(300) : -1;
        Query query = ordered ? ROWS.withOrderBy(List.of(new Order("k", false))) : ROWS;
        Gather gather = gather(limit < 0 ? query : query.withLimit(limit));
        Trouble trouble = Trouble.values()[random.nextInt(Trouble.values().length)];
        int at = random.nextInt(8);
        boolean slow = random.nextBoolean();
        Semaphore permits = new Semaphore(0);
        AtomicInteger steps = new AtomicInteger();
        Delivery[] made = new Delivery[1];
        Client client = new Client() {
            @Override
            void taken() {
                if (slow && !permits.tryAcquire()) {
                    try {
                        assertThat(permits.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
                if (steps.getAndIncrement() == at) {
                    switch (trouble) {
                        case NONE -> {}
                        case GONE -> gone = true;
                        case FAILURE -> throw new WaterwheelException(ErrorCode.SERVER_BUSY, "planted");
                        case ERROR -> throw new StackOverflowError("planted");
                        case GIVEN_UP -> made[0].giveUp();
                    }
                }
            }

            @Override
            public boolean ready() {
                return !slow || permits.availablePermits() > 0;
            }
        };
        List<List<long[]>> work = new ArrayList<>();
        List<Long> all = new ArrayList<>();
        for (int reader = 0; reader < 1 + random.nextInt(6); reader++) {
            List<long[]> parts = new ArrayList<>();
            for (int p = 0; p < random.nextInt(5); p++) {
                // Some too large to wait beside others.
                long[] values = random.longs(random.nextInt(12) == 0 ? 200_000 : random.nextInt(50), 0, 1000)
                        .toArray();
                Arrays.stream(values).forEach(all::add);
                parts.add(values);
            }
            work.add(parts);
        }
        AtomicBoolean fed = new AtomicBoolean();
        FutureTask<Void> feeder = new FutureTask<>(
                () -> {
                    while (slow && !fed.get()) {
                        // One at a time, so that the client is often not ready.
                        if (permits.availablePermits() == 0) {
                            permits.release();
                        }
                        LockSupport.parkNanos(1_000);
                    }
                },
                null);
        executor.execute(feeder);
        long tuples = -1;
        Throwable failure = null;
        try (Reservation reservation = memory.open();
                Delivery delivery = delivery(client, gather, reservation)) {
            made[0] = delivery;
            List<FutureTask<Void>> tasks = new ArrayList<>();
            for (List<long[]> parts : work.subList(1, work.size())) {
                tasks.add(begin(delivery, () -> hand(delivery, gather, reservation, parts)));
            }
            // The owner reads as well.
            hand(delivery, gather, reservation, work.get(0));
            for (FutureTask<Void> task : tasks) {
                workUntilDone(delivery, task);
            }
            try {
                tuples = delivery.finish();
            } catch (WaterwheelException | StackOverflowError e) {
                failure = e;
            }
            client.closed = true;
        } finally {
            fed.set(true);
            feeder.get(60, TimeUnit.SECONDS);
        }
        assertThat(client.overlap).isFalse();
        List<Long> sorted = all.stream().sorted().toList();
        boolean met = trouble != Trouble.NONE && steps.get() > at;
        if (!met) {
            assertThat(failure).isNull();
            int expected = limit < 0 ? all.size() : Math.min(limit, all.size());
            assertThat(tuples).isEqualTo(expected);
            if (ordered) {
                assertThat(client.rows).isEqualTo(sorted.subList(0, expected));
            } else if (limit < 0) {
                assertThat(client.rows.stream().sorted().toList()).isEqualTo(sorted);
            } else {
                assertThat(client.rows).hasSize(expected);
            }
        } else if (trouble == Trouble.FAILURE) {
            assertThat(failure).hasMessageContaining("planted");
        } else if (trouble == Trouble.ERROR) {
            assertThat(failure).hasMessageContaining("planted");
        }
    }

    private static void hand(Delivery delivery, Gather gather, Reservation reservation, List<long[]> parts) {
        for (long[] values : parts) {
            if (delivery.done()) {
                return;
            }
            int half = values.length / 2;
            delivery.take(part(
                    reservation,
                    block(gather, Arrays.copyOf(values, half)),
                    block(gather, Arrays.copyOfRange(values, half, values.length))));
        }
    }

    /** Groups that lack a part have wrong counts: nothing is handed out, unless a partial answer is wanted. */
    @Test
    void nothingIsHandedOutOfWhatLacksSomething() {
        Gather gather = gather(ROWS.withOrderBy(List.of(new Order("k", false))));
        for (boolean partial : new boolean[] {false, true}) {
            Client client = new Client();
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
            AnswerTally tally = new AnswerTally(System::nanoTime);
            try (Reservation reservation = memory.open();
                    Delivery delivery =
                            new Delivery(client, gather, partial, deadline, QueryClock.SYSTEM, tally, reservation)) {
                delivery.take(part(reservation, block(gather, new long[] {2, 1})));
                delivery.miss("a chunk");
                if (partial) {
                    assertThat(delivery.finish()).isEqualTo(2);
                } else {
                    assertThatThrownBy(delivery::finish).hasMessageContaining("the answer lacks something: [a chunk]");
                }
            }
            assertThat(client.rows).isEqualTo(partial ? List.of(1L, 2L) : List.of());
        }
    }

    /** What has come by the deadline is put together after it, in as long again; a whole answer has no such time. */
    @Test
    void aPartialAnswerIsPutTogetherAfterItsDeadline() {
        long minute = TimeUnit.MINUTES.toNanos(1);
        assertThat(putTogether(false, minute, minute - 1)).isNull();
        assertThat(putTogether(false, minute, minute)).isEqualTo("INCOMPLETE");
        assertThat(putTogether(true, minute, 2 * minute - 1)).isNull();
        assertThat(putTogether(true, minute, 2 * minute)).isEqualTo("INCOMPLETE");
        // Ten seconds at least, and no more where the query itself has hours.
        long second = TimeUnit.SECONDS.toNanos(1);
        assertThat(putTogether(true, second, 11 * second - 1)).isNull();
        assertThat(putTogether(true, second, 11 * second)).isEqualTo("INCOMPLETE");
        long hours = TimeUnit.HOURS.toNanos(3);
        assertThat(putTogether(true, hours, hours - 1)).isNull();
        assertThat(putTogether(true, hours, hours)).isEqualTo("INCOMPLETE");
    }

    /**
     * An order of many rows that have come at once, and are put in order later.
     *
     * @param left nanoseconds that the query has
     * @param later when they are put in order, in nanoseconds after it began
     * @return the code that it fails with; null when it is answered
     */
    private @Nullable String putTogether(boolean partial, long left, long later) {
        // The clock's numbers begin anew meanwhile.
        long[] now = {Long.MAX_VALUE - left / 2};
        QueryClock clock = new QueryClock() {
            @Override
            public long nanos() {
                return now[0];
            }

            @Override
            public void sleep(long nanos) {
                now[0] += nanos;
            }
        };
        Client client = new Client();
        Gather gather = gather(ROWS.withOrderBy(List.of(new Order("k", false))));
        long[] values = new Random(1).longs(1 << 18).toArray();
        try (Reservation reservation = memory.open();
                Delivery delivery = new Delivery(
                        client,
                        gather,
                        partial,
                        now[0] + left,
                        clock,
                        new AnswerTally(System::nanoTime),
                        reservation)) {
            delivery.take(part(reservation, block(gather, values)));
            now[0] += later;
            delivery.finish();
            assertThat(client.rows)
                    .isEqualTo(Arrays.stream(values).sorted().boxed().toList());
            return null;
        } catch (WaterwheelException e) {
            assertThat(client.rows).hasSizeLessThan(values.length);
            return e.code();
        }
    }

    /** Without anybody else who merges, a reader does: a small answer changes no thread. */
    @Test
    void aReaderMergesWhenNobodyDoes() throws Exception {
        Client client = new Client();
        Gather gather = gather(ROWS);
        try (Reservation reservation = memory.open();
                Delivery delivery = delivery(client, gather, reservation)) {
            Thread[] reader = new Thread[1];
            FutureTask<Void> task = begin(delivery, () -> {
                reader[0] = Thread.currentThread();
                delivery.take(part(reservation, block(gather, 1, 2)));
            });
            task.get(60, TimeUnit.SECONDS);
            assertThat(client.rows).containsExactly(1L, 2L);
            assertThat(client.threads).containsExactly(reader[0]);
            assertThat(delivery.finish()).isEqualTo(2);
        }
    }

    @Test
    void noReaderWaitsForOneThatMerges() throws Exception {
        CountDownLatch merging = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Client client = new Client() {
            @Override
            void taken() {
                merging.countDown();
                try {
                    assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        };
        Gather gather = gather(ROWS);
        try (Reservation reservation = memory.open();
                Delivery delivery = delivery(client, gather, reservation)) {
            FutureTask<Void> first = begin(delivery, () -> delivery.take(part(reservation, block(gather, 0))));
            assertThat(merging.await(60, TimeUnit.SECONDS)).isTrue();
            for (int i = 1; i < 5; i++) {
                int value = i;
                begin(delivery, () -> delivery.take(part(reservation, block(gather, value))))
                        .get(60, TimeUnit.SECONDS);
            }
            // Nor does the owner.
            delivery.take(part(reservation, block(gather, 5)));
            assertThat(first.isDone()).isFalse();
            goOn.countDown();
            workUntilDone(delivery, first);
            assertThat(delivery.finish()).isEqualTo(6);
            assertThat(client.rows).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        }
        assertThat(memory.reserved()).isZero();
    }

    /** Readers leave rows for a client that takes nothing to the owner, until there are too many of them. */
    @Test
    void theOwnerWaitsForASlowClient() throws Exception {
        Client client = new Client() {
            @Override
            public boolean ready() {
                return false;
            }
        };
        Gather gather = gather(ROWS);
        long[] values = new long[12_000];
        try (Reservation reservation = memory.open();
                Delivery delivery = delivery(client, gather, reservation)) {
            for (int i = 0; i < 2; i++) {
                begin(delivery, () -> delivery.take(part(reservation, block(gather, values))))
                        .get(60, TimeUnit.SECONDS);
            }
            FutureTask<Void> full = begin(delivery, () -> delivery.take(part(reservation, block(gather, values))));
            assertThat(catchThrowable(() -> full.get(50, TimeUnit.MILLISECONDS)))
                    .as("256 KiB are queued")
                    .isInstanceOf(TimeoutException.class);
            assertThat(client.rows).isEmpty();
            workUntilDone(delivery, full);
            assertThat(delivery.finish()).isEqualTo(3L * values.length);
            assertThat(client.threads).containsOnly(Thread.currentThread());
        }
        assertThat(memory.reserved()).isZero();
    }

    /** A reader that has looked whether the answer goes on, and then is late, leaves nothing behind. */
    @Test
    void aPartThatComesJustAfterTheEndIsGivenBack() throws Exception {
        CountDownLatch late = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Client client = new Client() {
            @Override
            public boolean ready() {
                late.countDown();
                try {
                    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                return false;
            }
        };
        Gather gather = gather(ROWS);
        FutureTask<Void> reader;
        try (Reservation reservation = memory.open();
                Delivery delivery = delivery(client, gather, reservation)) {
            reader = begin(delivery, () -> delivery.take(part(reservation, block(gather, 1, 2, 3))));
            assertThat(late.await(60, TimeUnit.SECONDS)).isTrue();
            delivery.end();
            ended.countDown();
            reader.get(60, TimeUnit.SECONDS);
        }
        assertThat(memory.reserved()).isZero();
    }

    /** One that waits for room is let go by the end of the answer, and gives back what it had. */
    @Test
    void whoWaitsForRoomEndsWithTheAnswer() throws Exception {
        for (boolean gone : new boolean[] {false, true}) {
            Client client = new Client() {
                @Override
                public boolean ready() {
                    return false;
                }
            };
            Gather gather = gather(ROWS);
            try (Reservation reservation = memory.open();
                    Delivery delivery = delivery(client, gather, reservation)) {
                List<FutureTask<Void>> tasks = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    tasks.add(
                            begin(delivery, () -> delivery.take(part(reservation, block(gather, new long[600_000])))));
                }
                if (gone) {
                    client.gone = true;
                } else {
                    delivery.end();
                }
                for (FutureTask<Void> task : tasks) {
                    task.get(60, TimeUnit.SECONDS);
                }
            }
            assertThat(client.rows).isEmpty();
            assertThat(memory.reserved()).isZero();
        }
    }
}
