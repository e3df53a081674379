package io.waterwheel.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.catalog.EditLog;
import io.waterwheel.catalog.maintenance.ChunkMerger;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.geo.Box;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Streams in whose chunks the rows of a leaf stand by plane and time, not by key, beside a list: flushed, by other
 * scales of the key, and merged.
 */
final class ArrangedLeavesTest {
    private static final List<Field> FIELDS = List.of(
            new Field("t", FieldType.TIMESTAMP, false),
            new Field("plane", FieldType.STRING, false),
            new Field("lon", FieldType.DOUBLE, false),
            new Field("lat", FieldType.DOUBLE, false),
            new Field("height", FieldType.INT, false));
    private static final Schema BY_POSITION = new Schema(FIELDS, new KeySpec.Position("lon", "lat", Box.WORLD), "t");
    private static final KeySpec.Dimensions DIMENSIONS = new KeySpec.Dimensions(
            List.of(
                    new Dimension("lon", 6, List.of("0", "3"), List.of()),
                    new Dimension("lat", 6, List.of("0", "3"), List.of()),
                    new Dimension("height", 4, List.of("0", "900"), List.of())),
            List.of(),
            List.of("lon", "lat"));
    private static final Schema BY_DIMENSIONS = new Schema(FIELDS, DIMENSIONS, "t");
    private static final Schema BY_TWO_SCALES = new Schema(
            FIELDS,
            DIMENSIONS.withScales(List.of(
                    new Dimension("lon", 6, List.of("1", "2"), List.of()),
                    new Dimension("lat", 6, List.of("1", "2"), List.of()),
                    new Dimension("height", 4, List.of("0", "400"), List.of()))),
            "t");

    @TempDir
    Path folder;

    private record Row(long key, long time, String plane, double lon, double lat, int height) {
        String shown() {
            return time + " " + plane + " " + lon + " " + lat + " " + height;
        }
    }

    @Test
    void answersAreThoseOfAList() throws Exception {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(1, 100); seed++) {
            check(seed, BY_POSITION);
            check(seed, BY_DIMENSIONS);
            check(seed, BY_TWO_SCALES);
        }
    }

    private void check(long seed, Schema schema) throws Exception {
        Random random = new Random(seed);
        List<Row> rows = new ArrayList<>();
        Path home = Files.createTempDirectory(folder, "stream");
        String about = "-Dseed=" + seed + " -Dseeds=1, " + schema.key() + ", ";
        Flights flights = new Flights(schema, random);
        try (LocalStream stream = LocalStream.open(home, "s", schema, LocalSettings.DEFAULT)) {
            for (int part = 0; part < 2; part++) {
                stream.insert(flights.next(8200 + random.nextInt(2000), rows));
                ask(stream, schema, rows, random, about + "fresh");
                stream.flush();
                ask(stream, schema, rows, random, about + "flushed");
            }
        }
        assertThat(unsorted(home)).as(about).isPositive();
        try (LocalStream stream = LocalStream.open(home, "s", schema, LocalSettings.DEFAULT)) {
            ask(stream, schema, rows, random, about + "cold");
            ask(stream, schema, rows, random, about + "warm");
        }
        if (schema.equals(BY_TWO_SCALES)) {
            int before = unsorted(home);
            try (Closed closed = new Closed(home, schema)) {
                flights.keys = KeyScheme.of(schema).maker(RowLayout.of(schema), 2);
                TupleBlock both = flights.next(9000, rows);
                closed.flush(flights.next(8200 + random.nextInt(2000), rows));
                assertThat(unsorted(home)).as(about).isGreaterThan(before);
                // A change that came while the tree filled: leaves have keys by both.
                flights.keys = KeyScheme.of(schema).maker(RowLayout.of(schema), 1);
                closed.flush(both, flights.next(300, rows));
            }
            try (LocalStream stream = LocalStream.open(home, "s", schema, LocalSettings.DEFAULT)) {
                ask(stream, schema, rows, random, about + "by other scales");
            }
        }
        try (Closed closed = new Closed(home, schema)) {
            closed.merge();
        }
        try (LocalStream stream = LocalStream.open(home, "s", schema, LocalSettings.DEFAULT)) {
            // The files that were merged are gone now.
            assertThat(unsorted(home)).as(about + "merged").isPositive();
            ask(stream, schema, rows, random, about + "merged, cold");
            ask(stream, schema, rows, random, about + "merged, warm");
        }
    }

    /** The folder of a stream that is not open, as its indexer and the one that merges chunks leave it. */
    private static final class Closed implements AutoCloseable {
        final Schema schema;
        final EditLog log;
        final ChunkStore files;

        Closed(Path home, Schema schema) throws IOException {
            this.schema = schema;
            StreamInfo stream = new StreamInfo("s", 1, schema, RecordFormat.BLOCK, "s", 1, 1);
            this.log = EditLog.open(
                    home.resolve("edits.log"), stream, KeyScheme.of(schema).domain());
            this.files = new LocalChunkStore(home.resolve("chunks"));
        }

        /** Writes rows, whose keys are made, into a chunk. */
        void flush(TupleBlock... blocks) throws IOException {
            TemplateTree tree = new TemplateTree(
                    RowLayout.of(schema), KeyDimensions.of(schema), Template.single(), new PagePool(1 << 26));
            for (TupleBlock block : blocks) {
                tree.insert(block, 0, block.size());
            }
            EncodedChunk chunk = new ChunkWriter().encode(tree, schema);
            tree.discard();
            IndexerCheckpoint before =
                    Objects.requireNonNull(log.snapshot().checkpoints().get(0));
            long flush = before.flushed() + 1;
            String file = ChunkDescriptor.fileName("s", 1, 0, before.epoch(), flush, 0);
            files.write(file, chunk.content());
            long[] watermarks = {before.watermarks()[0] + chunk.tuples()};
            log.append(new Edit.Flushed(
                    0,
                    new IndexerCheckpoint(before.epoch(), flush, watermarks, 0),
                    List.of(new ChunkDescriptor(
                            file,
                            0,
                            before.epoch(),
                            flush,
                            0,
                            chunk.tuples(),
                            chunk.bytes(),
                            chunk.region(),
                            chunk.box()))));
        }

        /** Merges all chunks. */
        void merge() throws IOException {
            StreamSnapshot snapshot = log.snapshot();
            List<ChunkDescriptor> inputs =
                    snapshot.allChunks().stream().map(entry -> entry.value()).toList();
            assertThat(inputs).hasSizeGreaterThan(1);
            ChunkMerger merger = new ChunkMerger(
                    new InMemoryCatalogStore(new InMemoryCatalogStore.Tree()),
                    files,
                    () -> ChunkDescriptor.FIRST_MERGED_PART);
            log.append(new Edit.Merged(
                    inputs.stream().map(ChunkDescriptor::file).toList(),
                    merger.write(snapshot, inputs).output()));
        }

        @Override
        public void close() throws IOException {
            log.close();
            files.close();
        }
    }

    /** Planes that fly through each other. */
    private static final class Flights {
        final Schema schema;
        final Random random;
        final double[] lon;
        final double[] lat;
        final RecordDecoder decoder;
        KeyMaker keys;
        long time;

        Flights(Schema schema, Random random) {
            this.schema = schema;
            this.random = random;
            this.lon = random.doubles(25, 0, 3).toArray();
            this.lat = random.doubles(25, 0, 3).toArray();
            this.decoder = RecordDecoder.of(RecordFormat.CSV, schema);
            this.keys = KeyMaker.of(RowLayout.of(schema), schema);
        }

        TupleBlock next(int count, List<Row> rows) throws Exception {
            TupleBlock block = new TupleBlock(RowLayout.of(schema), 0);
            int first = rows.size();
            for (int i = 0; i < count; i++) {
                int plane = random.nextInt(lon.length);
                // On a grid, so that keys come again, after others of a leaf.
                lon[plane] = Math.rint((lon[plane] + random.nextDouble() / 10) % 3 * 20) / 20;
                lat[plane] = Math.rint((lat[plane] + random.nextDouble() / 10) % 3 * 20) / 20;
                time += 100;
                Row row = new Row(
                        0,
                        time - (random.nextInt(100) == 0 ? 30_000 : 0),
                        "plane " + plane % 20,
                        lon[plane],
                        lat[plane],
                        plane * 37);
                rows.add(row);
                String csv = row.time() + "," + row.plane() + "," + row.lon() + "," + row.lat() + "," + row.height();
                decoder.decode(ByteBuffer.wrap(csv.getBytes(UTF_8)), block);
            }
            keys.fill(block, 0, (row, reason) -> {});
            for (int i = 0; i < count; i++) {
                Row row = rows.get(first + i);
                rows.set(
                        first + i,
                        new Row(block.keys()[i], row.time(), row.plane(), row.lon(), row.lat(), row.height()));
            }
            return block;
        }
    }

    private static int unsorted(Path home) throws IOException {
        int unsorted = 0;
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".chunk")).toList()) {
                Path parent = Objects.requireNonNull(file.getParent());
                String name = Objects.requireNonNull(file.getFileName()).toString();
                try (LocalChunkStore store = new LocalChunkStore(parent);
                        ChunkReader reader = ChunkReader.open(store.open(name))) {
                    ChunkDirectory directory = reader.directory();
                    for (int leaf = 0; leaf < directory.leaves(); leaf++) {
                        unsorted += directory.isSorted(leaf) ? 0 : 1;
                    }
                }
            }
        }
        return unsorted;
    }

    private void ask(LocalStream stream, Schema schema, List<Row> rows, Random random, String when) throws Exception {
        long[] sorted = rows.stream().mapToLong(Row::key).sorted().toArray();
        for (int q = 0; q < 5; q++) {
            // Numbers of keys, as no condition implies them: one range, or a few.
            List<KeyInterval> keys = new ArrayList<>();
            int from = random.nextInt(rows.size());
            for (int i = random.nextInt(4); i >= 0 && from < rows.size(); i--) {
                int to = Math.min(rows.size() - 1, from + random.nextInt(400));
                if (keys.isEmpty() || keys.get(keys.size() - 1).high() < sorted[from]) {
                    keys.add(new KeyInterval(sorted[from], sorted[to]));
                }
                from = to + 1 + random.nextInt(400);
            }
            boolean byKeys = random.nextInt(3) > 0;
            TimeInterval times = random.nextBoolean()
                    ? TimeInterval.ALL
                    : new TimeInterval(random.nextInt(400_000), 400_000 + random.nextInt(1_000_000));
            double west = random.nextDouble() * 3;
            double south = random.nextDouble() * 3;
            Box box = random.nextBoolean() ? null : new Box(west, south, west + 0.6, south + 0.6);
            List<Row> expected = rows.stream()
                    .filter(row ->
                            !byKeys || keys.stream().anyMatch(k -> k.low() <= row.key() && row.key() <= k.high()))
                    .filter(row -> times.from() <= row.time() && row.time() <= times.to())
                    .filter(row -> box == null || box.contains(row.lon(), row.lat()))
                    .toList();
            Query query = stream.query().withTimes(times);
            query = byKeys ? query.withKeys(keys) : query;
            query = box == null ? query : query.withShape(box);
            String as = when + ": " + (byKeys ? keys : "") + " " + times + " " + box;
            check(stream, schema, query, expected, as);
        }
    }

    private static void check(LocalStream stream, Schema schema, Query query, List<Row> expected, String as)
            throws Exception {
        assertThat(stream.answer(query.withCount(), block -> true).tuples())
                .as(as)
                .isEqualTo(expected.size());
        assertThat(shown(stream, query).stream().sorted().toList())
                .as(as)
                .isEqualTo(expected.stream().map(Row::shown).sorted().toList());
        // In an order, and cut: by time, then by all else that tells rows apart.
        List<Order> order = Stream.of("t", "plane", "lon", "lat")
                .map(field -> new Order(field, field.equals("t")))
                .toList();
        assertThat(shown(stream, query.withOrderBy(order).withLimit(20)))
                .as(as)
                .isEqualTo(expected.stream()
                        .sorted(Comparator.comparingLong(Row::time)
                                .reversed()
                                .thenComparing(Row::plane)
                                .thenComparingDouble(Row::lon)
                                .thenComparingDouble(Row::lat))
                        .limit(20)
                        .map(Row::shown)
                        .toList());
        List<Aggregate> aggregates = Stream.of("min(lon)", "max(lat)", "count(*)")
                .map(Aggregate::parse)
                .toList();
        List<String> answer = new ArrayList<>();
        stream.answer(query.withAggregates(aggregates), block -> {
            answer.add(block.value(0, 0) + " " + block.value(1, 0) + " " + block.value(2, 0));
            return true;
        });
        String all = expected.isEmpty()
                ? "null null 0"
                : expected.stream().mapToDouble(Row::lon).min().orElseThrow() + " "
                        + expected.stream().mapToDouble(Row::lat).max().orElseThrow() + " " + expected.size();
        assertThat(answer).as(as).containsExactly(all);
        if (schema.equals(BY_POSITION)) {
            Map<Long, Long> newest = new TreeMap<>();
            expected.forEach(row -> newest.merge(row.key(), row.time(), Math::max));
            List<Long> times = new ArrayList<>();
            stream.answer(query.withLatest(1), block -> {
                for (int row = 0; row < block.size(); row++) {
                    times.add(((Number) Objects.requireNonNull(block.value(0, row))).longValue());
                }
                return true;
            });
            assertThat(times).as(as).containsExactlyInAnyOrderElementsOf(newest.values());
        }
    }

    private static List<String> shown(LocalStream stream, Query query) throws Exception {
        List<String> shown = new ArrayList<>();
        stream.answer(query, block -> {
            for (int row = 0; row < block.size(); row++) {
                Object[] values = new Object[FIELDS.size()];
                for (int f = 0; f < values.length; f++) {
                    values[f] = block.value(f, row);
                }
                shown.add(String.join(
                        " ", Arrays.stream(values).map(String::valueOf).toList()));
            }
            return true;
        });
        return shown;
    }
}
