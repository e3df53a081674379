package io.waterwheel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.error.WaterwheelException.Kind;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.grpc.StatusUtils;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Coordinators that are lost, readers that give up, and clients that are closed while answers are read. */
@Timeout(300)
class FailOverTest {
    private static final List<Field> FIELDS = List.of(new Field("n", FieldType.LONG, false));
    private static final FlightRuntimeException LOST =
            CallStatus.UNAVAILABLE.withDescription("the connection broke").toRuntimeException();

    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final ExecutorService pumps = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        executor.shutdownNow();
        pumps.shutdownNow();
    }

    record Counted(long n) {}

    /**
     * A host that vanishes, or a process that is stopped: its connections stay open and nothing comes. Takes 18 s,
     * since gRPC asks no sooner.
     */
    @Test
    @EnabledIfSystemProperty(named = "waterwheel.all", matches = "true")
    void aServerThatFallsSilentIsLeftWhateverTheTimeout() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        try (FakeServer server = FakeServer.answering((query, answer) -> {
                    asked.countDown();
                    over.await();
                });
                Hose hose = new Hose(Connection.parse(server.url()).getPort());
                WaterwheelClient client = WaterwheelClient.connect("grpc://127.0.0.1:" + hose.port())) {
            Future<?> answer = executor.submit(() -> client.query("s").count());
            asked.await();
            hose.kink();
            assertThat(answer)
                    .failsWithin(Duration.ofSeconds(40))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("SERVER_UNREACHABLE"));
            over.countDown();
        }
    }

    /** Passes bytes on between a client and a server, until it is kinked. */
    private final class Hose implements AutoCloseable {
        private final ServerSocket entry = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final List<Socket> ends = new CopyOnWriteArrayList<>();
        private volatile boolean kinked;

        Hose(int server) throws IOException {
            var unused = pumps.submit(() -> {
                Socket client = entry.accept();
                Socket to = new Socket(InetAddress.getLoopbackAddress(), server);
                ends.addAll(List.of(client, to));
                return pumps.invokeAll(List.of(() -> pump(client, to), () -> pump(to, client)));
            });
        }

        private Void pump(Socket from, Socket to) throws IOException {
            byte[] bytes = new byte[8192];
            int read;
            while ((read = from.getInputStream().read(bytes)) >= 0) {
                if (!kinked) {
                    to.getOutputStream().write(bytes, 0, read);
                }
            }
            return null;
        }

        int port() {
            return entry.getLocalPort();
        }

        void kink() {
            kinked = true;
        }

        @Override
        public void close() throws IOException {
            entry.close();
            for (Socket end : ends) {
                end.close();
            }
        }
    }

    /** Such as the port behind, which is for HTTP. */
    @Test
    void anotherProtocolIsNoDefect() throws Exception {
        try (ServerSocket http = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                WaterwheelClient client = WaterwheelClient.connect("grpc://127.0.0.1:" + http.getLocalPort())) {
            Thread answering = new Thread(() -> {
                try (Socket one = http.accept()) {
                    one.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    one.getInputStream().readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            answering.start();
            assertThatThrownBy(() -> client.query("s").count()).satisfies(e -> assertCode(e, "NOT_A_SERVER"));
            answering.join();
        }
    }

    /** A race of gRPC's own, which no test can bring about: the status is the one that it makes then. */
    @Test
    void aChannelThatClosesAsACallBeginsIsALostConnection() {
        ClosedChannelException closed = new ClosedChannelException();
        closed.initCause(new ClosedChannelException());
        try (BufferAllocator allocator = new RootAllocator();
                Connection connection = new Connection(allocator, "grpc://127.0.0.1:1")) {
            assertCode(
                    failure(
                            connection,
                            Status.UNKNOWN.withDescription("channel closed").withCause(closed)),
                    "SERVER_UNREACHABLE");
            assertCode(failure(connection, Status.UNKNOWN.withDescription("an error of a server")), "CALL_FAILED");
        }
    }

    private static WaterwheelException failure(Connection connection, Status status) {
        return connection.failure(StatusUtils.fromGrpcRuntimeException(status.asRuntimeException()));
    }

    private static List<@Nullable Object[]> rows(int count) {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (long n = 0; n < count; n++) {
            rows.add(new Object[] {n});
        }
        return rows;
    }

    private static void whole(FakeServer.Answer answer) {
        answer.whole(FIELDS, rows(3), new Verdict(true, List.of(), Map.of(), 3, 3, 1, 2));
    }

    /** Answers with rows, then loses the connection. */
    private static void half(FakeServer.Answer answer) {
        half(answer, LOST);
    }

    private static void half(FakeServer.Answer answer, FlightRuntimeException end) {
        answer.start(FIELDS);
        answer.rows(rows(2));
        answer.fail(end);
    }

    private static void assertCode(Throwable failure, String code) {
        assertThat(failure).isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                .isEqualTo(code));
    }

    @Test
    void anAnswerThatIsLostBeforeItsFirstRowIsAskedOfAnother() throws Exception {
        try (FakeServer dying = FakeServer.answering((query, answer) -> {
                    answer.start(FIELDS);
                    answer.fail(LOST);
                });
                FakeServer cut = FakeServer.answering((query, answer) -> {
                    answer.start(FIELDS);
                    answer.end(); // no verdict
                });
                FakeServer alive = FakeServer.answering((query, answer) -> whole(answer));
                WaterwheelClient client = WaterwheelClient.connect(dying.url(), cut.url(), alive.url());
                Cursor cursor =
                        client.query("s").timeout(Duration.ofSeconds(20)).rows()) {
            int rows = 0;
            while (cursor.next()) {
                rows++;
            }
            assertThat(rows).isEqualTo(3);
            assertThat(dying.queries).hasSize(1);
            assertThat(cut.queries).hasSize(1);
            assertThat(alive.queries).singleElement().satisfies(query -> assertThat(query.timeout())
                    .isLessThanOrEqualTo(Duration.ofSeconds(20)));
        }
    }

    @Test
    void onceRowsWereHandedOutTheFailureSaysThatTheyAreNoAnswer() throws Exception {
        try (FakeServer dying = FakeServer.answering((query, answer) -> half(answer));
                FakeServer alive = FakeServer.answering((query, answer) -> whole(answer));
                WaterwheelClient client = WaterwheelClient.connect(dying.url(), alive.url());
                Cursor cursor = client.query("s").rows()) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.next()).isTrue();
            assertThatThrownBy(cursor::next)
                    .satisfies(e -> assertCode(e, "ANSWER_CUT_OFF"))
                    .hasMessageEndingWith(
                            "the coordinator was lost after 2 rows: they are not a whole answer, and no other"
                                    + " can continue it; forget them and ask again");
            assertThatThrownBy(cursor::verdict).isInstanceOf(IllegalStateException.class);
            assertThat(alive.queries).isEmpty();
        }
    }

    @Test
    void anAnswerThatNobodySawIsAskedAgainWhole() throws Exception {
        List<Integer> asked = new ArrayList<>();
        FakeServer.Answers firstHalf = (query, answer) -> {
            boolean first;
            synchronized (asked) {
                asked.add(1);
                first = asked.size() % 2 == 1;
            }
            if (first) {
                half(answer);
            } else {
                whole(answer);
            }
        };
        try (FakeServer server = FakeServer.answering(firstHalf);
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            assertThat(client.query("s").list(Counted.class))
                    .containsExactly(new Counted(0), new Counted(1), new Counted(2));
            assertThat(client.query("s").count()).isEqualTo(3);
            assertThat(asked).hasSize(4);
        }
        try (FakeServer never = FakeServer.answering((query, answer) -> half(answer));
                WaterwheelClient client = WaterwheelClient.connect(never.url())) {
            assertThatThrownBy(() -> client.query("s").list(Counted.class))
                    .satisfies(e -> assertCode(e, "ANSWER_CUT_OFF"));
            assertThat(never.queries).hasSize(2);
        }
    }

    @Test
    void anAnswerThatAServerCancelsAsItClosesIsCutOff() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        FakeServer.Answers cancelledOnce = (query, answer) -> {
            if (asked.getAndIncrement() == 0) {
                half(answer, CallStatus.CANCELLED.toRuntimeException());
            } else {
                whole(answer);
            }
        };
        try (FakeServer server = FakeServer.answering(cancelledOnce);
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            try (Cursor cursor = client.query("s").rows()) {
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.next()).isTrue();
                assertThatThrownBy(cursor::next).satisfies(e -> assertCode(e, "ANSWER_CUT_OFF"));
            }
            asked.set(0);
            assertThat(client.query("s").list(Counted.class)).hasSize(3);
            assertThat(asked).hasValue(2);
        }
    }

    /** Answers without end, as fast as it is read. */
    private static FakeServer endless(CountDownLatch cancelled) throws Exception {
        return FakeServer.answering((query, answer) -> {
            answer.start(FIELDS);
            List<@Nullable Object[]> rows = rows(1000);
            while (!answer.cancelled()) {
                answer.awaitReady();
                answer.rows(rows);
            }
            cancelled.countDown();
        });
    }

    @Test
    void aReaderIsEndedFromAnotherThread() throws Exception {
        CountDownLatch cancelled = new CountDownLatch(1);
        try (FakeServer server = endless(cancelled);
                WaterwheelClient client = WaterwheelClient.connect(server.url());
                Cursor cursor = client.query("s").rows()) {
            CountDownLatch reading = new CountDownLatch(1);
            CompletableFuture<Throwable> failure = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            while (cursor.next()) {
                                reading.countDown();
                            }
                        } catch (WaterwheelException e) {
                            return e;
                        }
                        throw new AssertionError("an answer without end has ended");
                    },
                    executor);
            reading.await();
            cursor.cancel();
            assertCode(failure.get(), "CANCELLED");
            assertThat(failure.get()).hasMessageContaining("rows: cancel() was called");
            assertThat(cancelled.await(2, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void readsOnAnExecutorAtTheReadersPace() throws Exception {
        CountDownLatch cancelled = new CountDownLatch(1);
        LinkedBlockingQueue<Long> seen = new LinkedBlockingQueue<>();
        try (FakeServer server = endless(cancelled);
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            CompletableFuture<Long> tenth = client.query("s").read(executor, cursor -> {
                for (int i = 0; i < 10; i++) {
                    cursor.next();
                }
                return cursor.getLong("n");
            });
            assertThat(tenth.get()).isEqualTo(9);
            assertThat(cancelled.await(2, TimeUnit.MINUTES))
                    .as("nobody wants the rest")
                    .isTrue();

            CompletableFuture<Long> endless = client.query("s").read(executor, cursor -> {
                while (cursor.next()) {
                    seen.add(cursor.getLong("n"));
                    LockSupport.parkNanos(1);
                }
                return 0L;
            });
            assertThat(seen.take()).isZero();
            assertThat(endless.cancel(true)).isTrue();
            assertThatThrownBy(endless::get).isInstanceOf(CancellationException.class);

            CompletableFuture<Long> failing = client.query("s").read(executor, cursor -> {
                throw new IllegalArgumentException("the reader does not like it");
            });
            assertThatThrownBy(failing::get).hasRootCauseMessage("the reader does not like it");
        }
    }

    @Test
    void aFutureThatIsCancelledBeforeItBeganAsksNothing() throws Exception {
        try (FakeServer server = FakeServer.answering((query, answer) -> whole(answer));
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            List<Runnable> tasks = new ArrayList<>();
            CompletableFuture<Boolean> future = client.query("s").read(tasks::add, Cursor::next);
            assertThat(future.cancel(false)).isTrue();
            tasks.forEach(Runnable::run);
            assertThat(server.queries).isEmpty();
        }
    }

    @Test
    void closingTheClientEndsItsReaders() throws Exception {
        CountDownLatch cancelled = new CountDownLatch(1);
        try (FakeServer server = endless(cancelled)) {
            WaterwheelClient client = WaterwheelClient.connect(server.url());
            Cursor cursor = client.query("s").rows();
            assertThat(cursor.next()).isTrue();
            client.close();
            assertThat(cursor.getLong(0)).as("its memory is still there").isZero();
            assertThatThrownBy(() -> {
                        while (cursor.next()) {
                            // until it fails
                        }
                    })
                    .satisfies(e -> assertCode(e, "CANCELLED"))
                    .hasMessageContaining("the client was closed");
            cursor.close();
            client.close();
            assertThatThrownBy(() -> client.query(Query.of("s"))).hasMessage("the client is closed");
            assertThat(cancelled.await(2, TimeUnit.MINUTES)).isTrue();
        }
    }

    /** One of the release before takes the query for any other. */
    @Test
    void aServerThatExplainsNothingIsToldApart() throws Exception {
        try (FakeServer older = FakeServer.answering((query, answer) -> whole(answer));
                WaterwheelClient client = WaterwheelClient.connect(older.url())) {
            for (ThrowingCallable asked : List.<ThrowingCallable>of(
                    () -> client.query("s").explain(), () -> client.query("s").analyze())) {
                assertThatThrownBy(asked)
                        .hasMessageContaining("it is of an older release than this client; update the server")
                        .satisfies(e -> assertCode(e, "BAD_ANSWER"));
            }
            assertThatThrownBy(() -> client.count(Query.of("s").withExplain(Explain.PLAN)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("count: the query is to be planned only, which counts nothing");
        }
    }

    @Test
    void aCoordinatorThatIsSilentEndsWithTheTimeout() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (FakeServer silent = FakeServer.answering((query, answer) -> end.await());
                WaterwheelClient client = WaterwheelClient.connect(silent.url())) {
            // It never answers: the test would end by its own timeout.
            assertThatThrownBy(() ->
                            client.query("s").timeout(Duration.ofMillis(1)).rows())
                    .satisfies(e -> {
                        assertCode(e, "TIMEOUT");
                        assertThat(((WaterwheelException) e).kind()).isEqualTo(Kind.TEMPORARY);
                    });
            end.countDown();
        }
    }
}
