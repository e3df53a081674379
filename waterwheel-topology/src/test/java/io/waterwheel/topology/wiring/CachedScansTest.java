package io.waterwheel.topology.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.Scrape;
import io.waterwheel.query.Query;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.PreparedShapes;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.ChunkCache;
import io.waterwheel.query.scan.ChunkScan;
import io.waterwheel.query.scan.NotQuickException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.topology.rpc.PeerSecret;
import io.waterwheel.topology.worker.StreamDirectory;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A query server of this worker is asked for what is in the cache, through all that stands before it. */
@Timeout(300)
final class CachedScansTest {
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");
    private static final int ROWS = 100;
    private static final long HOUR_NANOS = Duration.ofHours(1).toNanos();
    private static final String HERE = "127.0.0.1:1";

    @TempDir
    Path folder;

    @Test
    void whatIsInTheCacheIsReadAndCountedOnce() throws Exception {
        LocalChunkStore chunks = new LocalChunkStore(folder);
        TemplateTree tree = new TemplateTree(RowLayout.of(SCHEMA), Template.single(), new PagePool(1 << 20));
        TupleBlock block = new TupleBlock(RowLayout.of(SCHEMA), ROWS);
        for (int row = 0; row < ROWS; row++) {
            block.keys()[row] = row;
        }
        block.setSize(ROWS);
        tree.insert(block, 0, ROWS);
        chunks.write("c", new ChunkWriter().encode(tree, SCHEMA).content());
        tree.discard();
        InMemoryCatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
        Namespace namespace = new Namespace(store);
        StreamInfo stream = namespace.create("s", SCHEMA, RecordFormat.CSV, "s", new long[1], 1);
        Metrics metrics = Metrics.unread();
        QueryMemory memory = QueryMemory.unlimited();
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        try (StreamDirectory streams = new StreamDirectory(store, namespace, executor);
                TaskDirectory directory = new TaskDirectory(store, "t", executor);
                BufferAllocator allocator = new RootAllocator();
                Peers peers = new Peers(allocator, new PeerSecret(new byte[PeerSecret.BYTES]))) {
            WorkerEndpoints worker = new WorkerEndpoints(
                    streams,
                    new ChunkScan(chunks, new ChunkCache(1 << 20)),
                    new ReplicaHosts(file -> List.of(), executor, Duration.ofSeconds(1)),
                    memory,
                    new PreparedShapes(memory),
                    directory,
                    peers,
                    HERE,
                    1,
                    1);
            Waiting.until("the stream is known", () -> streams.streams().containsKey(stream.id()));
            Query query = Query.of("s").withKeys(List.of(new KeyInterval(10, 29)));
            ResolvedQuery resolved = ResolvedQuery.of(query, stream);
            Subquery.OfChunk subquery = new Subquery.OfChunk(query, stream.id(), "c", Subquery.Piece.WHOLE);
            RowSink sink = rows -> true;
            try (AutoCloseable hosted = worker.hostQueryServer(0)) {
                Endpoints metered =
                        new MeteredEndpoints(worker.of(stream.id()), new MeteredEndpoints.Meters(metrics, 1));
                Endpoints.QueryServer server = metered.queryServers().get(0);
                assertThatThrownBy(() -> server.scanCached(subquery, resolved, sink))
                        .isInstanceOf(NotQuickException.class);
                assertThat(page(metrics))
                        .doesNotContain("waterwheel_subquery_seconds_count{kind=\"chunk\",task=\"query-server-0\"} 1");
                assertThat(server.scan(subquery, resolved, sink, System.nanoTime() + HOUR_NANOS))
                        .isEqualTo(20);
                assertThat(server.scanCached(subquery, resolved, sink)).isEqualTo(20);
            }
            assertThat(page(metrics))
                    .contains("waterwheel_subquery_seconds_count{kind=\"chunk\",task=\"query-server-0\"} 2")
                    .doesNotContain("waterwheel_subquery_failures_total{kind=\"chunk\",task=\"query-server-0\"} 1");
        } finally {
            executor.shutdownNow();
        }
    }

    private static String page(Metrics metrics) {
        return new String(Scrape.of(List.of(metrics), null).body(), StandardCharsets.UTF_8);
    }
}
