package io.waterwheel.topology.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.SqlNames;
import io.waterwheel.catalog.ViewCatalog;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.state.View;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.change.ChangeParser;
import io.waterwheel.sql.exec.ResidualExecutor;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.wire.proto.CreateStreamRequest;
import io.waterwheel.wire.proto.DropStreamRequest;
import io.waterwheel.wire.proto.StreamDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Changes while what the server last saw of the catalog is old, and while an answer cannot be handed over. */
final class ChangesTest {
    private static final String INSERT = "INSERT INTO s VALUES (1, NOW())";
    private static final String CREATE = "CREATE STREAM IF NOT EXISTS s (id BIGINT, at TIMESTAMP) KEY (id) TIME (at)";

    private final InMemoryCatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private final Namespace namespace = new Namespace(store);
    /** As last seen: nothing keeps it fresh. */
    private final List<StreamInfo> seen = new ArrayList<>();

    private final List<byte[]> stored = new ArrayList<>();
    /** What happens before the log has the turn. */
    private Runnable meanwhile = () -> {};

    private final Changes changes = new Changes(
            true,
            new KnownStreams(() -> seen, store, namespace, "none", 1 << 20),
            NoExecutor.INSTANCE,
            (action, body, caller) -> call(action, body),
            (topic, partitions, records, deadline, cancelled, still) -> {
                meanwhile.run();
                still.run();
                stored.addAll(records);
                return Map.of();
            },
            StreamSnapshot::before,
            new LastVerdicts());

    private byte[] call(String action, byte[] body) {
        try {
            if (action.startsWith("create")) {
                String definition = CreateStreamRequest.parseFrom(body).getDefinitionJson();
                SqlNames.requireFree(store, SchemaJson.readStream(definition).name());
                StreamInfo unused = create("id");
                return StreamDescription.getDefaultInstance().toByteArray();
            }
            String name = DropStreamRequest.parseFrom(body).getName();
            if (namespace.find(name).isEmpty()) {
                throw SqlNames.noSuchStream(store, name);
            }
            namespace.drop(name);
            return new byte[0];
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private StreamInfo create(String key) {
        Schema schema = new Schema(
                List.of(new Field(key, FieldType.LONG, false), new Field("at", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered(key),
                "at");
        return namespace.create("s", schema, RecordFormat.CSV, "s", new long[] {0}, 1);
    }

    private void makeAnew(String key) {
        StreamInfo unused = create(key);
    }

    private String make(String sql) throws InterruptedException {
        Sink sink = new Sink();
        make(sql, sink);
        return sink.text.toString();
    }

    private void make(String sql, ColumnSink sink) throws InterruptedException {
        Changes.Source none = (query, to) -> {
            throw new AssertionError("asked " + query);
        };
        long unused = changes.make(
                Objects.requireNonNull(ChangeParser.of(sql)),
                List.of(Statement.of(sql)),
                System.nanoTime() + TimeUnit.SECONDS.toNanos(60),
                none,
                sink);
    }

    private static void fails(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call, ErrorCode code, String message) {
        assertThatThrownBy(call)
                .hasMessageContaining(message)
                .isInstanceOfSatisfying(
                        WaterwheelException.class,
                        e -> assertThat(e.is(code)).as(e.toString()).isTrue());
    }

    @Test
    void whetherAStreamExistsIsAskedOfTheCatalog() throws Exception {
        assertThat(make("DROP STREAM IF EXISTS s")).isEqualTo("there is no stream s");
        assertThat(make(CREATE)).isEqualTo("stream s created");
        assertThat(make(CREATE)).isEqualTo("stream s exists");
        seen.addAll(namespace.streams());
        assertThat(make("DROP STREAM s")).isEqualTo("stream s dropped");
        assertThat(make("DROP STREAM IF EXISTS s")).isEqualTo("there is no stream s");
        fails(() -> make("DROP STREAM s"), ErrorCode.NO_SUCH_STREAM, "s");
        assertThat(make(CREATE)).isEqualTo("stream s created");
    }

    @Test
    void viewsAreInTheCatalog() throws Exception {
        assertThat(make(CREATE)).isEqualTo("stream s created");
        fails(() -> make("CREATE VIEW v AS SELECT id FROM nothing"), ErrorCode.NO_SUCH_STREAM, "no stream 'nothing'");
        fails(
                () -> make("CREATE VIEW v AS SELECT id, at AS ID FROM s"),
                ErrorCode.BAD_SQL,
                "two columns are called 'ID'");
        fails(
                () -> make("CREATE VIEW v (a, b) AS SELECT id FROM s"),
                ErrorCode.BAD_SQL,
                "has 1 columns, and 2 are named");
        fails(() -> make("CREATE VIEW s AS SELECT id FROM s"), ErrorCode.BAD_SQL, "there is a stream of that name");
        assertThat(make("CREATE VIEW v AS SELECT COUNT(*) AS n FROM s;")).isEqualTo("view v created");
        fails(() -> make("CREATE VIEW V AS SELECT id FROM s"), ErrorCode.VIEW_EXISTS, "view v exists");
        assertThat(make("CREATE OR REPLACE VIEW V (x) AS SELECT id FROM s")).isEqualTo("view v replaced");
        assertThat(new ViewCatalog(store).read())
                .isEqualTo(Map.of("v", new View("v", List.of("x"), "SELECT id FROM s")));
        fails(
                () -> make("CREATE STREAM v (id BIGINT, at TIMESTAMP) KEY (id) TIME (at)"),
                ErrorCode.VIEW_EXISTS,
                "a view");
        fails(
                () -> make("INSERT INTO v VALUES (1)"),
                ErrorCode.NO_SUCH_STREAM,
                "no stream 'v'; it is a view: SELECT asks it, DROP VIEW drops it");
        fails(() -> make("DROP TABLE v"), ErrorCode.NO_SUCH_TABLE, "no table 'v'; it is a view: SELECT");
        fails(() -> make("DROP STREAM v"), ErrorCode.NO_SUCH_STREAM, "no stream 'v'; it is a view: SELECT");
        seen.addAll(namespace.streams());
        fails(
                () -> make("DROP TABLE s"),
                ErrorCode.NO_SUCH_TABLE,
                "no table 's'; it is a stream: DROP STREAM drops it");
        fails(() -> make("DROP VIEW s"), ErrorCode.NO_SUCH_VIEW, "no view 's'; it is a stream: DROP STREAM drops it");
        assertThat(make("DROP VIEW v")).isEqualTo("view v dropped");
        assertThat(make("DROP VIEW IF EXISTS v")).isEqualTo("there is no view v");
        fails(() -> make("DROP VIEW v"), ErrorCode.NO_SUCH_VIEW, "there is no view 'v'");
        String tooLong = "SELECT id FROM s WHERE id = " + "0".repeat(ViewCatalog.MOST_CHARACTERS);
        fails(() -> make("CREATE VIEW v AS " + tooLong), ErrorCode.BAD_REQUEST, "expected at most 16384");
        assertThat(new ViewCatalog(store).read()).isEmpty();
    }

    @Test
    void rowsAreOfTheStreamThatThereIs() throws Exception {
        seen.add(create("id"));
        assertThat(make(INSERT)).isEqualTo("1");
        assertThat(stored).hasSize(1);
        namespace.drop("s");
        fails(() -> make(INSERT), ErrorCode.NO_SUCH_STREAM, "no stream 's'");
        makeAnew("other");
        fails(() -> make("INSERT INTO s (id, at) VALUES (1, NOW())"), ErrorCode.NO_SUCH_FIELD, "no column 'id'");
        assertThat(make(INSERT)).isEqualTo("1");
        meanwhile = () -> {
            namespace.drop("s");
            makeAnew("third");
        };
        fails(() -> make(INSERT), ErrorCode.NO_SUCH_STREAM, "was dropped and made anew meanwhile; nothing was stored");
        meanwhile = () -> namespace.drop("s");
        fails(() -> make(INSERT), ErrorCode.NO_SUCH_STREAM, "was dropped meanwhile; nothing was stored");
        assertThat(stored).hasSize(2);
    }

    @Test
    void whatWasDoneIsNeverToldAsAFailureThatMayBeTriedAgain() {
        seen.add(create("id"));
        WaterwheelException slow = new WaterwheelException(ErrorCode.CLIENT_SLOW, "allow more time");
        for (boolean atTheEnd : new boolean[] {false, true}) {
            Sink sink = new Sink();
            sink.failure = slow;
            sink.atTheEnd = atTheEnd;
            fails(() -> make(INSERT, sink), ErrorCode.OUTCOME_UNKNOWN, "1 rows were stored");
        }
        assertThat(stored).hasSize(2);
        Sink sink = new Sink();
        sink.failure = slow;
        fails(() -> make("DROP STREAM s", sink), ErrorCode.OUTCOME_UNKNOWN, "the statement was done");
        assertThat(namespace.streams()).isEmpty();
    }

    @Test
    void aServerMayDenyChanges() {
        Changes denied = new Changes(
                false,
                new KnownStreams(() -> seen, store, namespace, "none", 1 << 20),
                NoExecutor.INSTANCE,
                (action, body, caller) -> {
                    throw new AssertionError(action);
                },
                (topic, partitions, records, deadline, cancelled, still) -> Map.of(),
                StreamSnapshot::before,
                new LastVerdicts());
        for (String sql : List.of(INSERT, CREATE, "DROP STREAM s", "DROP VIEW v", "CREATE TABLE t FROM 'a.csv'")) {
            fails(
                    () -> denied.make(
                            Objects.requireNonNull(ChangeParser.of(sql)),
                            List.of(Statement.of(sql)),
                            System.nanoTime() + TimeUnit.SECONDS.toNanos(60),
                            (query, to) -> {},
                            new Sink()),
                    ErrorCode.NOT_ALLOWED,
                    "sql.changes: deny");
        }
    }

    @Test
    void anInterruptedCallMayHaveBeenMade() {
        Changes interrupted = new Changes(
                true,
                new KnownStreams(() -> seen, store, namespace, "none", 1 << 20),
                NoExecutor.INSTANCE,
                (action, body, caller) -> {
                    throw new InterruptedException();
                },
                (topic, partitions, records, deadline, cancelled, still) -> Map.of(),
                StreamSnapshot::before,
                new LastVerdicts());
        fails(
                () -> interrupted.make(
                        Objects.requireNonNull(ChangeParser.of(CREATE)),
                        List.of(Statement.of(CREATE)),
                        System.nanoTime() + TimeUnit.SECONDS.toNanos(60),
                        (query, to) -> {},
                        new Sink()),
                ErrorCode.OUTCOME_UNKNOWN,
                "look whether");
        assertThat(Thread.interrupted()).isTrue();
    }

    /** Sixteen of many INSERTs are let in, four run at a time, and each row that is told as stored is stored once. */
    @Test
    @Timeout(300)
    void manyInsertsWaitOrAreRefused() throws Exception {
        seen.add(create("id"));
        int many = 60;
        Semaphore go = new Semaphore(0);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger sent = new AtomicInteger();
        Changes crowded = crowded(records -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            go.acquireUninterruptibly();
            sent.addAndGet(records);
            running.decrementAndGet();
        });
        // In the second round all places are free again.
        for (int round = 1; round <= 2; round++) {
            AtomicInteger refused = new AtomicInteger();
            AtomicInteger told = new AtomicInteger();
            Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < many; i++) {
                Thread thread = new Thread(() -> {
                    try {
                        told.addAndGet(insert(crowded, 240_000, new Sink()));
                    } catch (WaterwheelException e) {
                        if (e.is(ErrorCode.SERVER_BUSY)
                                && String.valueOf(e.getMessage()).contains("16 INSERT statements run or wait")) {
                            refused.incrementAndGet();
                        } else {
                            wrong.add(e);
                        }
                    } catch (RuntimeException | Error e) {
                        wrong.add(e);
                    }
                });
                threads.add(thread);
                thread.start();
            }
            Waiting.until("all but sixteen are refused", () -> refused.get() == many - 16 && running.get() == 4);
            go.release(16);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(wrong).isEmpty();
            assertThat(most).hasValue(4);
            assertThat(told).hasValue(16);
            assertThat(sent).hasValue(16 * round);
        }
    }

    /** One that waits gives up when its time is over or its client is gone, and gives its place back. */
    @Test
    @Timeout(300)
    void anInsertThatWaitsGivesItsPlaceBack() throws Exception {
        seen.add(create("id"));
        CountDownLatch entered = new CountDownLatch(4);
        Semaphore go = new Semaphore(0);
        AtomicInteger sent = new AtomicInteger();
        Changes crowded = crowded(records -> {
            entered.countDown();
            go.acquireUninterruptibly();
            sent.addAndGet(records);
        });
        List<Thread> threads = new ArrayList<>();
        AtomicInteger told = new AtomicInteger();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> told.addAndGet(insert(crowded, 240_000, new Sink())));
            threads.add(thread);
            thread.start();
        }
        entered.await();
        // More than have a place, one after the other.
        for (int i = 0; i < 20; i++) {
            fails(
                    () -> insert(crowded, 1, new Sink()),
                    ErrorCode.SERVER_BUSY,
                    "4 INSERT statements run; nothing was stored, try again");
            Sink gone = new Sink();
            gone.cancelled = true;
            fails(() -> insert(crowded, 60_000, gone), ErrorCode.CANCELLED, "nothing was done");
        }
        go.release(5);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(told).hasValue(4);
        assertThat(insert(crowded, 240_000, new Sink())).isEqualTo(1);
        assertThat(sent).hasValue(5);
    }

    /** @param log is told of the number of records that it has to append */
    private Changes crowded(IntConsumer log) {
        return new Changes(
                true,
                new KnownStreams(() -> seen, store, namespace, "none", 1 << 20),
                NoExecutor.INSTANCE,
                (action, body, caller) -> call(action, body),
                (topic, partitions, records, deadline, cancelled, still) -> {
                    log.accept(records.size());
                    return Map.of();
                },
                StreamSnapshot::before,
                new LastVerdicts());
    }

    private static int insert(Changes into, long millis, Sink sink) {
        try {
            return (int) into.make(
                    Objects.requireNonNull(ChangeParser.of(INSERT)),
                    List.of(Statement.of(INSERT)),
                    System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis),
                    (query, to) -> {},
                    sink);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Nothing here is more than one query. */
    private enum NoExecutor implements ResidualExecutor {
        INSTANCE;

        @Override
        public void execute(ResidualPlan plan, LeafReader leaves, Asker asker) {
            throw new AssertionError(plan.text());
        }

        @Override
        public Load load() {
            return new Load(0, 0, 1, 0, 0);
        }

        @Override
        public void close() {}
    }

    /** Keeps the first column. */
    private static final class Sink implements ColumnSink {
        private final StringBuilder text = new StringBuilder();
        private @Nullable WaterwheelException failure;
        private boolean atTheEnd;
        private boolean cancelled;

        @Override
        public void show(List<Column> columns) {}

        @Override
        public void start(List<Field> fields) {
            if (failure != null && !atTheEnd) {
                throw failure;
            }
        }

        @Override
        public void rows(TupleBlock block) {
            for (int row = 0; row < block.size(); row++) {
                text.append(block.value(0, row));
            }
        }

        @Override
        public void finish(Verdict verdict) {
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public void fail(WaterwheelException reason) {
            throw reason;
        }

        @Override
        public boolean cancelled() {
            return cancelled;
        }
    }
}
