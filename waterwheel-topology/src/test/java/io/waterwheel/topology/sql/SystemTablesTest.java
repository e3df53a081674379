package io.waterwheel.topology.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.state.View;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.protocol.Control;
import io.waterwheel.protocol.PartitionTrouble;
import io.waterwheel.query.admission.EndedQuery;
import io.waterwheel.query.admission.Lane;
import io.waterwheel.query.admission.QueryState;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.SystemTable;
import io.waterwheel.status.DeadLetterText;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TupleBlock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is told of the streams and the server. */
final class SystemTablesTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP_US, false),
                    new Field("source", FieldType.IPV4, true)),
            new KeySpec.Ordered("id"),
            "at");
    private static final StreamInfo ORDERS = new StreamInfo("orders", 1, SCHEMA, RecordFormat.CSV, "topic", 2, 3);
    private static final int MANY = 2 * RowPages.ROWS + 7;
    private static final QueryState STATE = new QueryState(
            "q1", "host:1", "orders: count", Lane.LIGHT, QueryState.Stage.RUNNING, 7, 3, Duration.ofMillis(1500));
    /** Among the open ones when these are looked at, and ended when those are. */
    private static final QueryState OVER = new QueryState(
            "q2", "host:1", "orders: count", Lane.LIGHT, QueryState.Stage.RUNNING, 7, 3, Duration.ofMillis(1500));

    private static final SystemTables.Views VIEWS = new SystemTables.Views() {
        @Override
        public List<View> all() {
            return List.of(new View("recent", List.of("id"), "SELECT id FROM orders"));
        }

        @Override
        public List<Field> columns(View view) {
            return List.of(SCHEMA.fields().get(0));
        }
    };

    static final SystemTables TABLES = new SystemTables(
            () -> List.of(ORDERS),
            VIEWS,
            new ServerTables(
                    new Known(),
                    2,
                    (topics, goOn, each) -> {
                        goOn.run();
                        assertThat(topics).containsExactly(Map.entry(1, "topic"));
                        each.accept(new DeadLetterText(1, 7, 2, 40, -1, "no number", 9, "id;price"));
                        each.accept(new DeadLetterText(1, 8, 2, 41, 3, "no time", 9, null));
                    },
                    () -> List.of(STATE, OVER),
                    () -> List.of(new EndedQuery(OVER, "complete", Instant.ofEpochMilli(12)))));

    /** Chunks of ten keys each, and what two indexers and two partitions said last. */
    private static class Known implements ServerTables.Knowledge {
        @Override
        public StreamSnapshot known(StreamInfo stream) {
            List<ChunkDescriptor> chunks = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                chunks.add(
                        new ChunkDescriptor("c" + i, 2, 1, i, 0, 10, 500, Region.of(10 * i, 10 * i + 9, i, 1000 + i)));
            }
            return StreamSnapshot.restored(
                    stream,
                    5,
                    Map.of(3, new RoutingTable(3, new long[] {100, 200}, new int[] {0, 1, 2})),
                    List.of(),
                    Map.of(),
                    Map.of(),
                    StreamSnapshot.Unfinished.NOTHING,
                    chunks,
                    Retention.NO_HORIZON);
        }

        @Override
        public Map<Integer, Control.PartitionReport> partitionReports(int streamId) {
            return Map.of(
                    1,
                    new Control.PartitionReport(
                            streamId, 1, new Control.Positions(90, 95, 10, 100, 200), 4, PartitionTrouble.NONE, 0, ""));
        }

        @Override
        public Map<Integer, Control.Report> indexerReports(int streamId) {
            return new TreeMap<>(Map.of(0, report(0, 70, null), 1, report(1, 80, Region.of(1, 2, 30, 40))));
        }

        private static Control.Report report(int indexer, long watermark, @Nullable Region region) {
            return new Control.Report(
                    1,
                    indexer,
                    new Control.Progress(1, 2, new long[] {0, watermark}, 3, false),
                    new Control.Unflushed(region, region == null ? 0 : 6),
                    0,
                    new Control.Memory(1000, 2000, 1, region == null ? "" : "the disk is full"),
                    Control.Templates.NONE);
        }

        @Override
        public double[] keyRates(int streamId, RoutingTable table) {
            return new double[] {1.5, 0, 2};
        }
    }

    private static List<String> rows(String table) {
        List<String> all = new ArrayList<>();
        TABLES.read(table, () -> {}, block -> all.addAll(texts(block)));
        return all;
    }

    private static List<String> texts(TupleBlock block) {
        List<String> texts = new ArrayList<>();
        for (int row = 0; row < block.size(); row++) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int f = 0; f < block.layout().fields().size(); f++) {
                values.add(block.value(f, row));
            }
            texts.add(values.toString());
        }
        return texts;
    }

    @Test
    void everyTableHasRows() {
        for (SystemTable table : SystemTables.ALL) {
            assertThat(rows(table.qualifiedName())).as(table.qualifiedName()).isNotEmpty();
        }
    }

    @Test
    void streamsAreTablesToo() {
        assertThat(rows("information_schema.tables"))
                .contains(
                        "[waterwheel, public, orders, BASE TABLE]",
                        "[waterwheel, information_schema, columns, SYSTEM TABLE]",
                        "[waterwheel, waterwheel, streams, SYSTEM TABLE]");
        assertThat(rows("information_schema.columns"))
                .contains(
                        "[waterwheel, public, orders, id, 1, NO, BIGINT, null]",
                        "[waterwheel, public, orders, at, 2, NO, TIMESTAMP, 6]",
                        "[waterwheel, public, orders, source, 3, YES, VARCHAR, null]");
        assertThat(rows("information_schema.schemata"))
                .containsExactly(
                        "[waterwheel, information_schema]", "[waterwheel, public]", "[waterwheel, waterwheel]");
    }

    @Test
    void chunksAreThoseOfTheCatalog() {
        List<String> chunks = rows("waterwheel.chunks");
        assertThat(chunks).hasSize(MANY).contains("[orders, c7, 2, 7, 70, 79, 7, 1007, 10, 500]");
        List<Integer> pages = new ArrayList<>();
        TABLES.read("waterwheel.chunks", () -> {}, block -> pages.add(block.size()));
        assertThat(pages).containsExactly(RowPages.ROWS, RowPages.ROWS, 7);
    }

    @Test
    void regionsAreThoseOfTheNewestRouting() {
        assertThat(rows("waterwheel.regions"))
                .containsExactly(
                        "[orders, 3, 0, null, 100, 1.5]",
                        "[orders, 3, 1, 100, 200, 0.0]",
                        "[orders, 3, 2, 200, null, 2.0]");
    }

    @Test
    void indexersAndPartitionsAreAsTheyLastReported() {
        assertThat(rows("waterwheel.indexers"))
                .containsExactly(
                        "[orders, 0, 0, 0, null, null, 30, false, 0, 1000, 2000, 1, null]",
                        "[orders, 1, 1, 6, 30, 40, 20, false, 0, 1000, 2000, 1, the disk is full]");
        assertThat(rows("waterwheel.partitions")).containsExactly("[orders, 1, 10, 100, 90, 70, 30, null, null]");
        assertThat(rows("waterwheel.dead_letters")).containsExactly("[orders, 1, skip, 4]");
        assertThat(rows("waterwheel.dead_letter_texts"))
                .containsExactly(
                        "[orders, 7, 2, 40, -1, no number, 9, id;price]", "[orders, 8, 2, 41, 3, no time, 9, null]");
    }

    /** Of two streams one cannot be read: the other's rows come, and what is missing is told. */
    @Test
    void aStreamThatCannotBeReadTakesNothingFromOthers() {
        StreamInfo torn = new StreamInfo("torn", 2, SCHEMA, RecordFormat.CSV, "torn", 2, 3);
        StreamInfo dropped = new StreamInfo("dropped", 3, SCHEMA, RecordFormat.CSV, "dropped", 2, 3);
        Known known = new Known() {
            @Override
            public StreamSnapshot known(StreamInfo stream) {
                if (stream.equals(torn)) {
                    throw new WaterwheelException(ErrorCode.MANIFEST_UNAVAILABLE, "planted");
                } else if (stream.equals(dropped)) {
                    throw new WaterwheelException(ErrorCode.NO_SUCH_STREAM, "planted");
                }
                return super.known(stream);
            }
        };
        SystemTables tables = new SystemTables(
                () -> List.of(torn, dropped, ORDERS),
                VIEWS,
                new ServerTables(known, 2, (topics, goOn, each) -> {}, List::of, List::of));
        List<String> rows = new ArrayList<>();
        List<String> missing = tables.read("waterwheel.regions", () -> {}, block -> rows.addAll(texts(block)));
        assertThat(rows).hasSize(3);
        assertThat(missing).containsExactly("the rows of stream torn: MANIFEST_UNAVAILABLE: planted");
        SystemTables.requireWhole(missing, true);
        assertThatThrownBy(() -> SystemTables.requireWhole(missing, false))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("not complete: the rows of stream torn");
        assertThatThrownBy(() -> tables.read(
                        "waterwheel.chunks",
                        () -> {
                            throw new IllegalStateException("no longer wanted");
                        },
                        block -> {}))
                .hasMessage("no longer wanted");
    }

    @Test
    void queriesAreThoseThatAreOpenAndTheLast() {
        assertThat(rows("waterwheel.queries"))
                .containsExactly(
                        "[q1, host:1, orders: count, light, running, null, 7, 3, 1.5, null]",
                        "[q2, host:1, orders: count, light, ended, complete, 7, 3, 1.5, 12]");
    }

    @Test
    void streamsAndTheirFieldsAsTheyWereMade() {
        assertThat(rows("waterwheel.streams")).containsExactly("[orders, topic, 2, 3, csv, id, at, 3]");
        assertThat(rows("waterwheel.fields"))
                .containsExactly(
                        "[orders, id, 1, long, false, key]",
                        "[orders, at, 2, timestamp_us, false, time]",
                        "[orders, source, 3, ipv4, true, null]");
    }
}
