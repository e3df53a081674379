package io.waterwheel.topology.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.decode.RandomRows;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.AnswerPace;
import io.waterwheel.query.run.ClientWait;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.wire.TypeMetadata;
import io.waterwheel.wire.WireErrors;
import io.waterwheel.wire.WireQueries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.util.Text;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class QueryStreamTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Verdict WHOLE = new Verdict(true, List.of(), Map.of(0, 7L), 3, 0, 1, 2);
    private static final List<Field> NUMBERS =
            List.of(new Field("n", FieldType.LONG, false), new Field("s", FieldType.STRING, true));

    @Test
    void everyTypeArrivesAsItWasSent() throws Exception {
        AtomicReference<Schema> schema = new AtomicReference<>();
        AtomicReference<List<List<Object[]>>> blocks = new AtomicReference<>();
        QueryHandler handler = (query, sink) -> {
            sink.start(schema.get().fields());
            for (List<Object[]> rows : blocks.get()) {
                sink.rows(Handlers.block(schema.get().fields(), rows));
            }
            sink.finish(WHOLE);
        };
        try (RpcServer server = RpcServer.forClients(RpcSettings.DEFAULT, handler, Handlers.NO_ADMIN);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = client(allocator, server)) {
            for (long seed = 1; seed <= 100; seed++) {
                Random random = new Random(seed);
                schema.set(RandomRows.schema(random));
                List<List<Object[]>> sent = new ArrayList<>();
                List<Object[]> expected = new ArrayList<>();
                for (int b = random.nextInt(8); b > 0; b--) {
                    List<Object[]> rows = new ArrayList<>();
                    for (int r = random.nextInt(100); r > 0; r--) {
                        rows.add(RandomRows.row(schema.get(), random));
                    }
                    sent.add(rows);
                    expected.addAll(rows);
                }
                blocks.set(sent);
                List<Object[]> got = new ArrayList<>();
                Verdict verdict = read(client, Query.of("s"), got);
                assertThat(verdict).isEqualTo(WHOLE);
                assertThat(got).as("seed %s", seed).hasSameSizeAs(expected);
                for (int r = 0; r < got.size(); r++) {
                    assertThat(got.get(r)).as("seed %s row %s", seed, r).isEqualTo(expected.get(r));
                }
            }
        }
    }

    /** A small answer is one batch, with the verdict; nothing of a larger one is lost, repeated or too large. */
    @Test
    void batchesGrowAsFarAsTheyMay() throws Exception {
        for (int blocks : new int[] {1, 3, 100}) {
            for (int mayHold : new int[] {0, 1 << 20}) {
                TupleBlock block = numbers(2048);
                QueryHandler handler = (query, sink) -> {
                    sink.start(NUMBERS);
                    for (int i = 0; i < blocks; i++) {
                        if (i == 2 && mayHold > 0) {
                            sink.holdBack(mayHold);
                        }
                        sink.rows(block);
                    }
                    sink.finish(WHOLE);
                };
                List<Integer> rows = new ArrayList<>();
                boolean verdict = false;
                try (RpcServer server = RpcServer.forClients(RpcSettings.DEFAULT, handler, Handlers.NO_ADMIN);
                        BufferAllocator allocator = new RootAllocator();
                        FlightClient client = client(allocator, server);
                        FlightStream stream = client.getStream(ticket(Query.of("s")))) {
                    int next = 0;
                    while (stream.next()) {
                        assertThat(verdict).isFalse();
                        verdict = stream.getLatestMetadata() != null;
                        rows.add(stream.getRoot().getRowCount());
                        FieldVector numbers = stream.getRoot().getVector(0);
                        for (int row = 0; row < stream.getRoot().getRowCount(); row++) {
                            assertThat(numbers.getObject(row)).isEqualTo((long) (next++ % 2048));
                        }
                    }
                    assertThat(next).isEqualTo(2048 * blocks);
                }
                assertThat(verdict).isTrue();
                int bytes = (int) (block.bytes() / block.size());
                int most = Math.max(mayHold, AnswerPace.LEAST_BATCH_BYTES) * 4 / 3;
                assertThat(rows).allSatisfy(count -> assertThat(count * bytes).isLessThan(most + 2048 * bytes));
                if (blocks == 1) {
                    assertThat(rows).containsExactly(2048);
                } else if (blocks == 100) {
                    // How large they grow depends on how soon the client takes them.
                    int small = 100 * 2048 * bytes / AnswerPace.LEAST_BATCH_BYTES;
                    assertThat(rows.size())
                            .isBetween(mayHold == 0 ? small / 2 : 1, mayHold == 0 ? small * 2 : small / 2);
                }
            }
        }
    }

    /** What is held back is not held back for longer than something else comes. */
    @Test
    void whatIsHeldBackGoesWhenNothingElseComes() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        QueryHandler handler = (query, sink) -> {
            sink.start(NUMBERS);
            sink.flush();
            sink.rows(numbers(3));
            sink.flush();
            assertThat(arrived.await(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
            sink.finish(WHOLE);
        };
        try (RpcServer server = RpcServer.forClients(RpcSettings.DEFAULT, handler, Handlers.NO_ADMIN);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = client(allocator, server);
                FlightStream stream = client.getStream(ticket(Query.of("s")))) {
            assertThat(stream.next()).isTrue();
            assertThat(stream.getRoot().getRowCount()).isEqualTo(3);
            arrived.countDown();
            assertThat(stream.next()).isTrue();
            assertThat(stream.getRoot().getRowCount()).isZero();
            assertThat(stream.getLatestMetadata()).isNotNull();
            assertThat(stream.next()).isFalse();
        }
    }

    /** Who is told that the client takes nothing can end the wait. */
    @Test
    void aWaitForAClientCanBeEnded() throws Exception {
        TupleBlock block = numbers(10_000);
        AtomicReference<Runnable> waits = new AtomicReference<>();
        AtomicReference<WaterwheelException> end = new AtomicReference<>();
        AtomicInteger ends = new AtomicInteger();
        QueryHandler handler = (query, sink) -> {
            sink.whileWaiting(new ClientWait() {
                @Override
                public void begin(Runnable how) {
                    waits.set(how);
                }

                @Override
                public void end() {
                    ends.incrementAndGet();
                    throw new WaterwheelException(ErrorCode.CLIENT_SLOW, "planted");
                }
            });
            sink.start(NUMBERS);
            try {
                while (true) {
                    sink.rows(block);
                }
            } catch (WaterwheelException e) {
                end.set(e);
                throw e;
            }
        };
        try (RpcServer server = RpcServer.forClients(RpcSettings.DEFAULT, handler, Handlers.NO_ADMIN);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = client(allocator, server);
                FlightStream stream = client.getStream(ticket(Query.of("s").withTimeout(Duration.ofMinutes(50))))) {
            Waiting.until("it waits", () -> waits.get() != null);
            assertThat(server.allocator().getAllocatedMemory())
                    .as("of an answer that nobody takes")
                    .isLessThan(1 << 20);
            waits.get().run();
            Waiting.until("the handler hears of it", () -> end.get() != null);
            assertThat(end.get()).hasMessage("planted");
            assertThat(ends).hasValue(1);
            assertThatThrownBy(() -> {
                        while (stream.next()) {
                            assertThat(stream.getRoot().getRowCount()).isPositive();
                        }
                    })
                    .isInstanceOf(FlightRuntimeException.class);
            Waiting.until("memory comes back", () -> server.allocator().getAllocatedMemory() == 0);
        }
    }

    @Test
    void aLongAnswerToASlowClientStaysWithinBounds() throws Exception {
        TupleBlock block = numbers(100_000);
        AtomicInteger blocksSent = new AtomicInteger();
        QueryHandler handler = (query, sink) -> {
            sink.start(NUMBERS);
            for (int i = 0; i < 100; i++) {
                sink.rows(block);
                blocksSent.incrementAndGet();
            }
            sink.finish(WHOLE);
        };
        try (RpcServer server = RpcServer.forClients(RpcSettings.DEFAULT, handler, Handlers.NO_ADMIN);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = client(allocator, server)) {
            long rows = 0;
            try (FlightStream stream = client.getStream(ticket(Query.of("s").withTimeout(Duration.ofMinutes(5))))) {
                assertThat(stream.next()).isTrue();
                rows += stream.getRoot().getRowCount();
                // The client takes nothing more for a while: the server must stop, long before the hundredth block.
                awaitStandstill(blocksSent);
                assertThat(blocksSent.get()).isLessThan(20);
                while (stream.next()) {
                    rows += stream.getRoot().getRowCount();
                }
            }
            assertThat(rows).isEqualTo(10_000_000L);
            assertThat(server.allocator().getPeakMemoryAllocation()).isLessThan(16 << 20);
        }
    }

    /** A batch is bounded by its bytes: 350 MB in rows of 60 KB each take no more. */
    @Test
    void longRowsStayWithinTheSameBounds() throws Exception {
        List<Field> fields = new ArrayList<>();
        for (int f = 0; f < 20; f++) {
            fields.add(new Field("s" + f, FieldType.STRING, false));
        }
        List<Object[]> rows200 = new ArrayList<>();
        for (int r = 0; r < 200; r++) {
            Object[] row = new Object[fields.size()];
            Arrays.fill(row, Integer.toString(r % 10).repeat(3000));
            rows200.add(row);
        }
        TupleBlock block = Handlers.block(fields, rows200);
        AtomicInteger blocksSent = new AtomicInteger();
        QueryHandler handler = (query, sink) -> {
            sink.start(fields);
            for (int i = 0; i < 30; i++) {
                sink.rows(block);
                blocksSent.incrementAndGet();
            }
            sink.finish(WHOLE);
        };
        try (RpcServer server = RpcServer.forClients(RpcSettings.DEFAULT, handler, Handlers.NO_ADMIN);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = client(allocator, server)) {
            long rows = 0;
            try (FlightStream stream = client.getStream(ticket(Query.of("s").withTimeout(Duration.ofMinutes(5))))) {
                assertThat(stream.next()).isTrue();
                rows += stream.getRoot().getRowCount();
                awaitStandstill(blocksSent);
                while (stream.next()) {
                    rows += stream.getRoot().getRowCount();
                }
            }
            assertThat(rows).isEqualTo(6_000);
            assertThat(server.allocator().getPeakMemoryAllocation()).isLessThan(16 << 20);
            Waiting.until("memory comes back", () -> server.allocator().getAllocatedMemory() == 0);
        }
    }

    @Test
    void aClientThatVanishesCancels() throws Exception {
        TupleBlock block = numbers(10_000);
        AtomicReference<WaterwheelException> end = new AtomicReference<>();
        QueryHandler handler = (query, sink) -> {
            sink.start(NUMBERS);
            try {
                while (true) {
                    sink.rows(block);
                }
            } catch (WaterwheelException e) {
                assertThat(sink.cancelled()).isTrue();
                end.set(e);
                throw e;
            }
        };
        try (RpcServer server = RpcServer.forClients(RpcSettings.DEFAULT, handler, Handlers.NO_ADMIN);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = client(allocator, server)) {
            try (FlightStream stream = client.getStream(ticket(Query.of("s")))) {
                assertThat(stream.next()).isTrue();
                stream.cancel("enough", null);
            }
            Waiting.until("the handler hears of it", () -> end.get() != null);
            assertThat(end.get().code()).isEqualTo("CLIENT_GONE");
            Waiting.until("memory comes back", () -> server.allocator().getAllocatedMemory() == 0);
        }
    }

    @Test
    void aClientTooSlowForItsOwnTimeoutIsGivenUp() throws Exception {
        TupleBlock block = numbers(10_000);
        AtomicReference<WaterwheelException> end = new AtomicReference<>();
        QueryHandler handler = (query, sink) -> {
            sink.start(NUMBERS);
            try {
                while (true) {
                    sink.rows(block);
                }
            } catch (WaterwheelException e) {
                end.set(e);
                throw e;
            }
        };
        try (RpcServer server = RpcServer.forClients(RpcSettings.DEFAULT, handler, Handlers.NO_ADMIN);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = client(allocator, server);
                FlightStream stream = client.getStream(ticket(Query.of("s").withTimeout(Duration.ofMillis(200))))) {
            Waiting.until("the handler hears of it", () -> end.get() != null);
            assertThat(end.get().code()).isEqualTo("CLIENT_SLOW");
            assertThatThrownBy(() -> {
                        while (stream.next()) {
                            assertThat(stream.getRoot().getRowCount()).isPositive();
                        }
                    })
                    .isInstanceOf(FlightRuntimeException.class);
        }
    }

    @Test
    void aClientThatTakesNothingForLongIsGivenUpBeforeItsTimeout() throws Exception {
        TupleBlock block = numbers(10_000);
        AtomicReference<WaterwheelException> end = new AtomicReference<>();
        AtomicReference<Duration> timeout = new AtomicReference<>();
        QueryHandler handler = (query, sink) -> {
            timeout.set(query.timeout());
            sink.start(NUMBERS);
            try {
                while (true) {
                    sink.rows(block);
                }
            } catch (WaterwheelException e) {
                end.set(e);
                throw e;
            }
        };
        RpcSettings settings =
                new RpcSettings("127.0.0.1", 0, 64 << 20, 2, 2, Duration.ofMillis(300), HOUR, Duration.ofSeconds(200));
        try (RpcServer server = RpcServer.forClients(settings, handler, Handlers.NO_ADMIN);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = client(allocator, server);
                FlightStream stream = client.getStream(ticket(Query.of("s").withTimeout(Duration.ofMinutes(59))))) {
            Waiting.until("the handler hears of it", () -> end.get() != null);
            assertThat(end.get().code()).isEqualTo("CLIENT_SLOW");
            assertThat(end.get()).hasMessageContaining("taken nothing of the answer for 300 ms");
            assertThat(timeout.get()).isEqualTo(Duration.ofSeconds(200));
            stream.cancel("gone", null);
            Waiting.until("memory comes back", () -> server.allocator().getAllocatedMemory() == 0);
        }
    }

    @Test
    void aQueryThatNamesNoTimeoutHasTheServers() throws Exception {
        AtomicReference<Query> got = new AtomicReference<>();
        QueryHandler handler = (query, sink) -> {
            got.set(query);
            sink.finish(WHOLE);
        };
        RpcSettings settings =
                new RpcSettings("127.0.0.1", 0, 64 << 20, 2, 2, HOUR, Duration.ofSeconds(77), Duration.ofSeconds(200));
        try (RpcServer server = RpcServer.forClients(settings, handler, Handlers.NO_ADMIN);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = client(allocator, server)) {
            for (int seconds : new int[] {0, 30, 199, 201}) {
                Query query = seconds == 0 ? Query.of("s") : Query.of("s").withTimeout(Duration.ofSeconds(seconds));
                try (FlightStream stream = client.getStream(ticket(query))) {
                    while (stream.next()) {
                        assertThat(stream.getRoot().getRowCount()).isZero();
                    }
                }
                assertThat(got.get().timeout().toSeconds()).isEqualTo(seconds == 0 ? 77 : Math.min(seconds, 200));
            }
        }
    }

    @Test
    void errorsArriveWithKindCodeAndMessage() throws Exception {
        QueryHandler handler = (query, sink) -> {
            switch (query.stream()) {
                case "late" -> {
                    sink.start(NUMBERS);
                    sink.rows(numbers(10));
                    sink.fail(new WaterwheelException(ErrorCode.CHUNK_CORRUPT, "chunk 7: ünï".repeat(500)));
                }
                case "defect" -> throw new IllegalStateException("oops");
                case "endless" -> sink.start(NUMBERS);
                default -> throw new WaterwheelException(ErrorCode.NO_SUCH_STREAM, "no stream " + query.stream());
            }
        };
        try (RpcServer server = RpcServer.forClients(RpcSettings.DEFAULT, handler, Handlers.NO_ADMIN);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = client(allocator, server)) {
            WaterwheelException unknown = failure(client, ticket(Query.of("x")), FlightStatusCode.INVALID_ARGUMENT);
            assertThat(unknown.kind()).isEqualTo(WaterwheelException.Kind.USER);
            assertThat(unknown.code()).isEqualTo("NO_SUCH_STREAM");
            assertThat(unknown).hasMessage("no stream x");
            WaterwheelException late = failure(client, ticket(Query.of("late")), FlightStatusCode.INTERNAL);
            assertThat(late.kind()).isEqualTo(WaterwheelException.Kind.CORRUPT);
            assertThat(late).hasMessageStartingWith("chunk 7: ünïchunk 7");
            assertThat(failure(client, ticket(Query.of("defect")), FlightStatusCode.INTERNAL))
                    .hasMessage("a defect of the server: java.lang.IllegalStateException: oops");
            assertThat(failure(client, ticket(Query.of("endless")), FlightStatusCode.INTERNAL))
                    .hasMessageContaining("the answer was given no end");
            assertThat(failure(client, new Ticket(new byte[] {1, 2, 3}), FlightStatusCode.INVALID_ARGUMENT)
                            .code())
                    .isEqualTo("BAD_QUERY");
        }
    }

    @Test
    void tooManyQueriesAtATimeAreRefused() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger running = new AtomicInteger();
        QueryHandler handler = (query, sink) -> {
            running.incrementAndGet();
            release.await();
            sink.finish(WHOLE);
        };
        try (RpcServer server = RpcServer.forClients(
                        new RpcSettings("127.0.0.1", 0, 64 << 20, 2, 2), handler, Handlers.NO_ADMIN);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = client(allocator, server);
                FlightStream one = client.getStream(ticket(Query.of("a")));
                FlightStream two = client.getStream(ticket(Query.of("b")))) {
            Waiting.until("both run", () -> running.get() == 2);
            assertThat(failure(client, ticket(Query.of("c")), FlightStatusCode.UNAVAILABLE)
                            .code())
                    .isEqualTo("SERVER_BUSY");
            release.countDown();
            assertThat(one.next()).isTrue();
            assertThat(two.next()).isTrue();
        }
    }

    @Test
    void whateverAHandlerFailsWithWhileTheServerClosesIsItsClosing() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger running = new AtomicInteger();
        QueryHandler handler = (query, sink) -> {
            running.incrementAndGet();
            try {
                never.await();
            } catch (InterruptedException e) {
                switch (query.stream()) {
                    case "temporary" ->
                        sink.fail(new WaterwheelException(ErrorCode.CATALOG_UNAVAILABLE, "interrupted", e));
                    case "defect" -> throw new IllegalStateException("the store is closed", e);
                    default -> throw new WaterwheelException(ErrorCode.BAD_QUERY, "not so", e);
                }
            }
        };
        try (RpcServer server = RpcServer.forClients(RpcSettings.DEFAULT, handler, Handlers.NO_ADMIN);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = client(allocator, server);
                FlightStream temporary = client.getStream(ticket(Query.of("temporary")));
                FlightStream defect = client.getStream(ticket(Query.of("defect")));
                FlightStream user = client.getStream(ticket(Query.of("user")))) {
            Waiting.until("all run", () -> running.get() == 3);
            server.close();
            assertThat(failure(temporary, FlightStatusCode.UNAVAILABLE).code()).isEqualTo("SERVER_CLOSING");
            assertThat(failure(defect, FlightStatusCode.UNAVAILABLE).code()).isEqualTo("SERVER_CLOSING");
            assertThat(failure(user, FlightStatusCode.INVALID_ARGUMENT).code()).isEqualTo("BAD_QUERY");
        }
    }

    @Test
    void aClientThatDoesNotReadHoldsUpNoClosing() throws Exception {
        TupleBlock block = numbers(100_000);
        AtomicInteger blocksSent = new AtomicInteger();
        Object delivery = new Object();
        AtomicReference<WaterwheelException> end = new AtomicReference<>();
        // As with queries: who hands out rows is another thread than the one that is interrupted, which waits for it.
        QueryHandler handler = (query, sink) -> {
            sink.start(NUMBERS);
            CountDownLatch begun = new CountDownLatch(1);
            CompletableFuture<Void> part = CompletableFuture.runAsync(() -> {
                synchronized (delivery) {
                    begun.countDown();
                    try {
                        while (true) {
                            sink.rows(block);
                            blocksSent.incrementAndGet();
                        }
                    } catch (WaterwheelException e) {
                        end.set(e);
                    }
                }
            });
            begun.await();
            synchronized (delivery) {
                assertThat(part).isNotNull();
            }
            sink.finish(WHOLE);
        };
        try (RpcServer server = RpcServer.forClients(RpcSettings.DEFAULT, handler, Handlers.NO_ADMIN);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = client(allocator, server);
                FlightStream stream = client.getStream(ticket(Query.of("s")))) {
            assertThat(stream.next()).isTrue();
            awaitStandstill(blocksSent);
            server.close();
            // Not that its receiver is gone, as it would be once the connection is closed.
            assertThat(end.get().code()).isEqualTo("SERVER_CLOSING");
            assertThat(server.allocator().getAllocatedMemory()).isZero();
        }
    }

    private static TupleBlock numbers(int count) {
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(new Object[] {(long) i, i % 10 == 0 ? null : "row " + i % 10});
        }
        return Handlers.block(NUMBERS, rows);
    }

    /** Waits until the counter has not moved for a third of a second. */
    private static void awaitStandstill(AtomicInteger counter) throws InterruptedException {
        int[] last = {-1};
        long[] since = {System.nanoTime()};
        Waiting.until("standstill", () -> {
            if (counter.get() != last[0]) {
                last[0] = counter.get();
                since[0] = System.nanoTime();
            }
            return System.nanoTime() - since[0] > 300_000_000L;
        });
    }

    private static Ticket ticket(Query query) {
        return new Ticket(WireQueries.ticket(query));
    }

    private static FlightClient client(BufferAllocator allocator, RpcServer server) {
        return FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", server.port()))
                .build();
    }

    private static Verdict read(FlightClient client, Query query, List<@Nullable Object[]> rows) throws Exception {
        Verdict verdict = null;
        try (FlightStream stream = client.getStream(ticket(query))) {
            while (stream.next()) {
                List<FieldVector> vectors = stream.getRoot().getFieldVectors();
                for (int r = 0; r < stream.getRoot().getRowCount(); r++) {
                    @Nullable Object[] row = new @Nullable Object[vectors.size()];
                    for (int f = 0; f < row.length; f++) {
                        Object value = vectors.get(f).getObject(r);
                        row[f] = value instanceof Text text
                                ? text.toString()
                                : value instanceof Integer address && vectors.get(f) instanceof UInt4Vector
                                        ? Ipv4.text(address)
                                        : vectors.get(f) instanceof FixedSizeBinaryVector sixteens && value != null
                                                ? Objects.requireNonNull(TypeMetadata.sixteen(sixteens.getField()
                                                                .getMetadata()))
                                                        .object(sixteens.get(r))
                                                : value;
                    }
                    rows.add(row);
                }
                if (stream.getLatestMetadata() != null) {
                    assertThat(verdict).isNull();
                    verdict =
                            WireQueries.parseVerdict(stream.getLatestMetadata().nioBuffer());
                }
            }
        }
        return verdict;
    }

    private static WaterwheelException failure(FlightClient client, Ticket ticket, FlightStatusCode code)
            throws Exception {
        try (FlightStream stream = client.getStream(ticket)) {
            return failure(stream, code);
        }
    }

    private static WaterwheelException failure(FlightStream stream, FlightStatusCode code) {
        try {
            while (stream.next()) {
                assertThat(stream.getLatestMetadata()).isNull();
            }
            throw new AssertionError("expected a failure");
        } catch (FlightRuntimeException e) {
            assertThat(e.status().code()).isEqualTo(code);
            return WireErrors.parse(e.status().metadata().getByte(WireErrors.TRAILER), e);
        }
    }
}
