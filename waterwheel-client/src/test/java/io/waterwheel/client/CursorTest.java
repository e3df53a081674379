package io.waterwheel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.decode.RandomRows;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.error.WaterwheelException.Kind;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.Schema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.flight.CallStatus;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class CursorTest {
    private static final List<Field> NUMBER = List.of(new Field("n", FieldType.LONG, true));

    private static Verdict verdict(long tuples) {
        return new Verdict(true, List.of(), Map.of(0, 7L), 3, tuples, 1, 2);
    }

    @Test
    void everyTypeIsReadAsItWasSent() throws Exception {
        List<List<@Nullable Object[]>> batches = new ArrayList<>();
        List<Schema> schema = new ArrayList<>();
        try (FakeServer server = FakeServer.answering((query, answer) -> {
                    answer.start(schema.get(0).fields());
                    long tuples = 0;
                    for (List<@Nullable Object[]> batch : batches) {
                        answer.rows(batch);
                        tuples += batch.size();
                    }
                    answer.verdict(verdict(tuples));
                    answer.end();
                });
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            for (long seed = 1; seed <= 50; seed++) {
                Random random = new Random(seed);
                schema.clear();
                schema.add(RandomRows.schema(random));
                batches.clear();
                List<@Nullable Object[]> expected = new ArrayList<>();
                for (int b = random.nextInt(4); b > 0; b--) {
                    List<@Nullable Object[]> batch = new ArrayList<>();
                    for (int r = random.nextInt(50); r > 0; r--) {
                        batch.add(RandomRows.row(schema.get(0), random));
                    }
                    batches.add(batch);
                    expected.addAll(batch);
                }
                try (Cursor cursor = client.query(Query.of("s"))) {
                    assertThat(cursor.fields())
                            .as("seed %s", seed)
                            .isEqualTo(schema.get(0).fields());
                    int row = 0;
                    while (cursor.next()) {
                        assertRow(cursor, expected.get(row), "seed " + seed + " row " + row);
                        row++;
                    }
                    assertThat(row).as("seed %s", seed).isEqualTo(expected.size());
                    assertThat(cursor.verdict()).isEqualTo(verdict(expected.size()));
                    assertThat(cursor.next()).isFalse();
                }
            }
        }
    }

    private static void assertRow(Cursor cursor, @Nullable Object[] row, String where) {
        for (int f = 0; f < row.length; f++) {
            Field field = cursor.fields().get(f);
            String at = where + " field " + field;
            Object expected = row[f];
            assertThat(cursor.value(f)).as(at).isEqualTo(expected);
            assertThat(cursor.isNull(field.name())).as(at).isEqualTo(expected == null);
            if (expected == null) {
                int index = f;
                assertThatThrownBy(() -> cursor.getLong(index))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("is null in this row");
                continue;
            }
            Object got =
                    switch (field.type().kind()) {
                        case INT -> cursor.getInt(field.name());
                        case LONG -> cursor.getLong(field.name());
                        case TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS ->
                            field.type().resolution().units(cursor.getInstant(field.name()));
                        case FLOAT -> cursor.getFloat(field.name());
                        case DOUBLE -> cursor.getDouble(field.name());
                        case BOOLEAN -> cursor.getBoolean(field.name());
                        case UUID -> cursor.getUuid(field.name()).toString();
                        case STRING, IPV4, IPV6 -> cursor.getString(field.name());
                        case BYTES -> cursor.getBytes(field.name());
                        case DECIMAL -> cursor.getDecimal(field.name());
                    };
            assertThat(got).as(at).isEqualTo(expected);
        }
    }

    @Test
    void columnsHoldABatchAtATime() throws Exception {
        try (FakeServer server = FakeServer.answering((query, answer) -> {
                    answer.start(NUMBER);
                    answer.rows(List.of(new Object[] {1L}, new Object[] {2L}));
                    answer.rows(List.<Object[]>of(new Object[] {3L}));
                    answer.verdict(verdict(3));
                    answer.end();
                });
                WaterwheelClient client = WaterwheelClient.connect(server.url());
                Cursor cursor = client.query(Query.of("s"))) {
            assertThat(cursor.nextBatch()).isTrue();
            assertThat(cursor.columns().getRowCount()).isEqualTo(2);
            assertThatThrownBy(() -> cursor.getLong(0)).hasMessageContaining("call next() first");
            assertThat(cursor.nextBatch()).isTrue();
            assertThat(cursor.columns().getVector("n").getObject(0)).isEqualTo(3L);
            assertThat(cursor.next()).isTrue(); // the same batch's row
            assertThat(cursor.getLong("n")).isEqualTo(3);
            assertThatThrownBy(() -> cursor.getString("n"))
                    .hasMessage("field n is of type long, not string, an address, uuid or decimal");
            assertThatThrownBy(() -> cursor.getLong("x")).hasMessage("the answer has no field 'x', its fields are [n]");
            assertThatThrownBy(cursor::verdict).isInstanceOf(IllegalStateException.class);
            assertThat(cursor.nextBatch()).isFalse();
            assertThat(cursor.verdict().tuples()).isEqualTo(3);
        }
    }

    @Test
    void anAnswerWithoutAVerdictWasCutOff() throws Exception {
        try (FakeServer server = FakeServer.answering((query, answer) -> {
                    answer.start(NUMBER);
                    answer.rows(List.<Object[]>of(new Object[] {1L}));
                    answer.end();
                });
                WaterwheelClient client = WaterwheelClient.connect(server.url());
                Cursor cursor = client.query(Query.of("s"))) {
            assertThat(cursor.next()).isTrue();
            assertThatThrownBy(cursor::next)
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageContaining("ended after 1 rows without a verdict");
            assertThatThrownBy(cursor::next)
                    .as("who goes on reading must not take it for the end")
                    .hasMessageContaining("ended after 1 rows without a verdict");
            assertThatThrownBy(cursor::verdict).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void anAnswerThatDisagreesWithItsVerdictIsRefused() throws Exception {
        try (FakeServer server = FakeServer.answering(
                        (query, answer) -> answer.whole(NUMBER, List.<Object[]>of(new Object[] {1L}), verdict(2)));
                WaterwheelClient client = WaterwheelClient.connect(server.url());
                Cursor cursor = client.query(Query.of("s"))) {
            assertThat(cursor.next()).isTrue();
            assertThatThrownBy(cursor::next).hasMessageContaining("the verdict says 2 tuples, but 1 came");
            assertThatThrownBy(cursor::verdict).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void failuresSayKindAndCodeAtTheStartAndInTheMiddle() throws Exception {
        WaterwheelException corrupt = new WaterwheelException(ErrorCode.CHUNK_CORRUPT, "chunk 7 is damaged");
        try (FakeServer server = FakeServer.answering((query, answer) -> {
                    if (query.stream().equals("middle")) {
                        answer.start(NUMBER);
                        answer.rows(List.<Object[]>of(new Object[] {1L}));
                    }
                    answer.fail(FakeServer.failure(CallStatus.INTERNAL, corrupt));
                });
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            assertThatThrownBy(() -> client.query(Query.of("start")))
                    .isInstanceOfSatisfying(WaterwheelException.class, e -> {
                        assertThat(e.kind()).isEqualTo(Kind.CORRUPT);
                        assertThat(e.code()).isEqualTo("CHUNK_CORRUPT");
                        assertThat(e).hasMessage("chunk 7 is damaged");
                    });
            try (Cursor cursor = client.query(Query.of("middle"))) {
                assertThat(cursor.next()).isTrue();
                assertThatThrownBy(cursor::next).hasMessage("chunk 7 is damaged");
            }
        }
    }

    @Test
    void closingCancels() throws Exception {
        AtomicBoolean heard = new AtomicBoolean();
        CountDownLatch ended = new CountDownLatch(1);
        try (FakeServer server = FakeServer.answering((query, answer) -> {
                    answer.start(NUMBER);
                    answer.rows(List.<Object[]>of(new Object[] {1L}));
                    heard.set(Waiting.holds(Duration.ofMinutes(2), answer::cancelled));
                    ended.countDown();
                });
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            try (Cursor cursor = client.query(Query.of("s"))) {
                assertThat(cursor.next()).isTrue();
            }
            assertThat(ended.await(3, TimeUnit.MINUTES)).isTrue();
            assertThat(heard).isTrue();
        }
    }

    @Test
    void countsAreTheVerdictsWhateverRowsComeWithThem() throws Exception {
        try (FakeServer server = FakeServer.answering(
                        (query, answer) -> answer.whole(NUMBER, List.<Object[]>of(new Object[] {41L}), verdict(41)));
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            assertThat(client.count(Query.of("s").withLimit(5))).isEqualTo(41);
            assertThat(server.queries.get(0).count()).isTrue();
            assertThatThrownBy(() -> client.count(Query.of("s").withPartialAllowed()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    /**
     * Arrow's stream takes the mark of its end from a queue and puts it back; an interrupt in between lost it, and
     * whoever closed the answer then waited forever. {@code -Drounds=N} interrupts more.
     */
    @Test
    void anInterruptAtTheEndLeavesNoReaderWaiting() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        try (FakeServer server = FakeServer.answering((query, answer) -> {
                    answer.start(NUMBER);
                    answer.verdict(verdict(0));
                    answer.end();
                });
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            int rounds = Rounds.of("rounds", 1_000, 200_000);
            Semaphore begins = new Semaphore(0);
            Semaphore ends = new Semaphore(0);
            AtomicInteger ended = new AtomicInteger();
            Thread reader = new Thread(() -> {
                while (ended.get() < rounds) {
                    begins.acquireUninterruptibly();
                    try (Cursor cursor = client.query(Query.of("s"))) {
                        assertThat(cursor.next()).isFalse();
                    } catch (WaterwheelException e) {
                        assertThat(e.is(ErrorCode.INTERRUPTED))
                                .as(e.getMessage())
                                .isTrue();
                    }
                    boolean unused = Thread.interrupted();
                    ended.incrementAndGet();
                    ends.release();
                }
            });
            reader.setDaemon(true);
            reader.start();
            // Half of the interrupts come before the end, half after it: so most come near it.
            long after = 1_000_000;
            for (int round = 1; round <= rounds; round++) {
                begins.release();
                long until = System.nanoTime() + (long) (after * (0.75 + random.nextDouble() / 2));
                while (System.nanoTime() < until && ended.get() < round) {
                    Thread.onSpinWait();
                }
                after += ended.get() < round ? after / 100 : -after / 100;
                reader.interrupt();
                assertThat(ends.tryAcquire(60, TimeUnit.SECONDS))
                        .as("round %s ends, seed %s", round, seed)
                        .isTrue();
            }
            reader.join();
        }
    }
}
