package io.waterwheel.topology.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.maintenance.FileCollector;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.key.sample.CellUse;
import io.waterwheel.protocol.Control;
import io.waterwheel.protocol.PartitionTrouble;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.status.ServerReport;
import io.waterwheel.status.StatusJson;
import io.waterwheel.status.StreamReport;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.Region;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class StatusReportsTest {
    private static final StreamInfo STREAM = new StreamInfo(
            "s",
            1,
            new Schema(
                    List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                    new KeySpec.Ordered("k"),
                    "t"),
            RecordFormat.BLOCK,
            "topic",
            2,
            1);

    /** Programs read it: members may be added, those that are there stay as they are. */
    private static final String GOLDEN = "{\"troubles\":[\"the catalog is away\","
            + "\"no file of stream other is collected,"
            + " since it cannot be read: it is damaged\","
            + "\"edits cannot be rolled up and stay in ZooKeeper: no room\"],"
            + "\"streams\":[{\"name\":\"s\",\"topic\":\"topic\",\"partitions\":2,\"edit\":5,"
            + "\"troubles\":[\"cannot be answered from: x\","
            + "\"routing table 3 is announced,"
            + " and 2 of 2 partitions have not adopted it yet: [0,"
            + " 1]; the first coordinator sees to it every few seconds\"],"
            + "\"routing\":{\"announced\":3,\"notAdopted\":[0,1]},\"chunks\":1,"
            + "\"chunkTuples\":40,\"chunkBytes\":2048,\"indexers\":[{\"indexer\":0,\"epoch\":1,"
            + "\"flushed\":1,\"tuples\":7,\"rejected\":3,\"recovering\":true,"
            + "\"memoryUsed\":96000000,\"memoryLimit\":100000000,\"unflushedTrees\":2,"
            + "\"trouble\":\"chunks cannot be written\",\"rebuilds\":4,"
            + "\"skewnessBefore\":0.5,\"skewnessAfter\":0.25,\"longestRebuildPauseMs\":1.5,"
            + "\"longestRebuildCpuMs\":0.75,\"watermarks\":[12,9]}],\"memoryTuples\":7,"
            + "\"rejected\":3,\"deadLetters\":\"skip\",\"logLoss\":\"fail\","
            + "\"sources\":[{\"partition\":0,\"position\":15,\"indexed\":12,\"logStart\":0,"
            + "\"logEnd\":20,\"lag\":8,\"deadLetters\":5,\"warning\":\"a warning\","
            + "\"trouble\":\"\"},{\"partition\":1,\"position\":9,\"indexed\":9,\"logStart\":-1,"
            + "\"logEnd\":-1,\"lag\":0,\"deadLetters\":0,\"warning\":\"\","
            + "\"trouble\":\"brokers do not agree on which log it is, or where it ends, as for a moment"
            + " after a change of leaders; nothing of it is read before they do\"}],\"lag\":8,\"sourceCheckMillis\":1200,"
            + "\"sourceCheckWantedMillis\":1000,\"lost\":[{\"partition\":1,\"from\":4,\"to\":9,"
            + "\"reason\":\"set by hand\"}],\"dimensions\":[{\"field\":\"height\",\"cells\":64,"
            + "\"used\":7.5,\"crowded\":true}]}],\"collector\":{\"removed\":3,"
            + "\"removedBytes\":4096,\"files\":10,\"waiting\":2,\"foreign\":4},"
            + "\"rollUps\":{\"manifests\":6,\"failure\":\"no room\"},"
            + "\"gateways\":[{\"place\":\"a:7071\",\"version\":\"0.2.0\",\"startedMillis\":1700000000123},"
            + "{\"place\":\"b:7071\"}]}";

    @Test
    void theJsonIsThatOfEarlierVersionsAndIsReadBack() {
        RoutingTable table = RoutingTable.even(1, KeyInterval.ALL, 1);
        ChunkDescriptor chunk = new ChunkDescriptor("s-1/0-1-1-0.chunk", 0, 1, 1, 0, 40, 2048, Region.of(0, 9, 0, 9));
        StreamSnapshot snapshot = StreamSnapshot.before(STREAM)
                .apply(1, new Edit.Created(table, List.of(0L, 0L)))
                .apply(2, new Edit.Started(0, 1))
                .apply(3, new Edit.Flushed(0, new IndexerCheckpoint(1, 1, new long[] {10, 4}, 0), List.of(chunk)))
                .apply(
                        4,
                        new Edit.Lost(
                                new LostRange(1, 4, 9, "set by hand"),
                                RoutingTable.even(2, KeyInterval.ALL, 1),
                                List.of()))
                .apply(5, new Edit.Routed(RoutingTable.even(3, KeyInterval.ALL, 1), Map.of(), Map.of()));
        Map<Integer, Control.Report> reports = new LinkedHashMap<>();
        reports.put(
                0,
                new Control.Report(
                        1,
                        0,
                        new Control.Progress(1, 1, new long[] {12, 9}, 1, true),
                        new Control.Unflushed(Region.of(0, 9, 0, 9), 7),
                        3,
                        new Control.Memory(96_000_000, 100_000_000, 2, "chunks cannot be written"),
                        new Control.Templates(4, 0.5, 0.25, 1_500_000, 750_000)));
        Map<Integer, Control.PartitionReport> partitions = new LinkedHashMap<>();
        partitions.put(
                0,
                new Control.PartitionReport(
                        1, 0, new Control.Positions(15, 16, 0, 20, 30), 5, PartitionTrouble.NONE, 1200, "a warning"));
        partitions.put(
                1,
                new Control.PartitionReport(
                        1,
                        1,
                        new Control.Positions(9, 9, -1, -1, 30),
                        0,
                        PartitionTrouble.of(PartitionTrouble.Kind.LOG_IN_DOUBT),
                        700,
                        ""));
        StreamReport stream = StatusReports.stream(
                STREAM,
                new StatusReports.Known(
                        snapshot,
                        reports,
                        partitions,
                        List.of("cannot be answered from: x"),
                        1000,
                        List.of(new CellUse("height", 64, 7.5))));
        ServerReport report = StatusReports.server(
                List.of("the catalog is away"),
                List.of(stream),
                new MaintenanceTask.Totals(
                        3, 4096, new FileCollector.Found(10, 2, 1, 100, 4, Map.of("other", "it is damaged"))),
                new ManifestCompactions.Totals(6, "no room"),
                List.of(
                        new ServerReport.Gateway("a:7071", "0.2.0", 1_700_000_000_123L),
                        new ServerReport.Gateway("b:7071", "", 0)));

        String json = StatusJson.write(report);

        assertThat(json).isEqualTo(GOLDEN);
        assertThat(StatusJson.read(json)).isEqualTo(report);
        ServerReport bare =
                StatusReports.server(List.of(), List.of(), new MaintenanceTask.Totals(0, 0, null), null, List.of());
        assertThat(StatusJson.write(bare))
                .isEqualTo(
                        "{\"troubles\":[],\"streams\":[],\"collector\":{\"removed\":0,\"removedBytes\":0},\"gateways\":[]}");
        assertThat(StatusJson.read("{}").gateways())
                .as("of a server that does not list them")
                .isEmpty();
        assertThat(StatusJson.read(StatusJson.write(bare))).isEqualTo(bare);
    }

    @Test
    void indexersThatCannotStartAreNamedByReason() {
        Endpoints endpoints = new Endpoints() {
            @Override
            public @Nullable Indexer indexer(int indexer) {
                return null;
            }

            @Override
            public String absence(int indexer) {
                return indexer == 1 ? "" : "Kafka is away";
            }

            @Override
            public List<QueryServer> queryServers() {
                return List.of();
            }

            @Override
            public Map<String, List<String>> replicas(List<ChunkDescriptor> chunks) {
                return Map.of();
            }
        };
        assertThat(StatusReports.absences(3, endpoints))
                .containsExactly(
                        "indexers [0, 2] cannot start, and queries wait for them; it is tried again: Kafka is away");
        assertThat(StatusReports.absences(0, endpoints)).isEmpty();
    }
}
