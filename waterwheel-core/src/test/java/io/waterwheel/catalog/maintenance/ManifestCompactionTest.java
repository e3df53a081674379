package io.waterwheel.catalog.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.catalog.CatalogJson;
import io.waterwheel.catalog.EditRecord;
import io.waterwheel.catalog.EditTail;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.manifest.CorruptManifestException;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.Node;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Retention;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.WideKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Manifests and what is left of the edits are what all edits make. */
final class ManifestCompactionTest {
    @TempDir
    Path folder;

    private CatalogStore store;
    private ChunkStore files;
    private StreamInfo stream;
    private SnapshotReader reader;
    private EditRecord record;
    /** Later chunks are of later times. */
    private long time;

    @BeforeEach
    void open() throws IOException {
        store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
        files = new LocalChunkStore(folder);
        stream = new Namespace(store).create("s", WideKeys.SCHEMA, RecordFormat.BLOCK, "t", new long[] {3, 5}, 2);
        reader = new SnapshotReader(store, files, stream);
        record = new EditRecord(stream);
        recordEdits();
    }

    /** Takes down edits as they are committed, before anybody deletes them. */
    private void recordEdits() {
        EditTail tail = new EditTail(store, stream);
        while (true) {
            String path = tail.editPath(record.last().edit() + 1);
            Node node = store.read(path).orElse(null);
            if (node == null) {
                return;
            }
            record.created(path, node.data());
        }
    }

    private ManifestCompaction roll(int edits, int tail) {
        return new ManifestCompaction(
                new StreamSnapshots(store, files),
                stream,
                new ManifestCompaction.Settings(edits, tail),
                () -> UUID.randomUUID().toString().replace("-", ""));
    }

    /** One life of an indexer, that flushes. */
    private final class Writer {
        private final StreamCatalog catalog = new StreamCatalog(store, stream);
        private final int indexer;
        private final Random random;
        private int nodeVersion;
        private IndexerCheckpoint checkpoint;

        Writer(int indexer, Random random) {
            this.indexer = indexer;
            this.random = random;
            StreamCatalog.IndexerStart start = catalog.startIndexer(indexer);
            nodeVersion = start.nodeVersion();
            checkpoint = start.checkpoint();
            recordEdits();
        }

        /** Whether it was done: a successor may live. */
        boolean flush(int chunks) {
            long[] watermarks = checkpoint.watermarks().clone();
            watermarks[random.nextInt(watermarks.length)] += random.nextInt(10);
            long flush = checkpoint.flushed() + 1;
            IndexerCheckpoint next =
                    new IndexerCheckpoint(checkpoint.epoch(), flush, watermarks, checkpoint.rejected() + flush % 2);
            List<ChunkDescriptor> added = new ArrayList<>();
            for (int part = 0; part < chunks; part++) {
                added.add(chunk(flush, part));
            }
            if (catalog.commitFlush(indexer, nodeVersion, next, added)
                    instanceof StreamCatalog.CommitOutcome.Done done) {
                nodeVersion = done.nodeVersion();
                checkpoint = next;
                recordEdits();
                return true;
            }
            return false;
        }

        ChunkDescriptor chunk(long flush, int part) {
            long a = random.nextLong() >>> 1;
            long b = random.nextBoolean() ? a : random.nextLong() >>> 1;
            time += random.nextInt(200);
            long from = time + random.nextInt(10_000);
            String name = ChunkDescriptor.fileName("s", stream.id(), indexer, checkpoint.epoch(), flush, part);
            // Of others they are not known.
            KeyBox box = a % 3 == 0 ? WideKeys.DIMENSIONS.around(null, new long[] {a, b}, 2) : null;
            return new ChunkDescriptor(
                    random.nextInt(20) == 0 ? name.replace(".chunk", "-x.chunk") : name,
                    indexer,
                    checkpoint.epoch(),
                    flush,
                    part,
                    1 + random.nextInt(1_000_000),
                    1 + random.nextInt(1 << 30),
                    Region.of(Math.min(a, b), Math.max(a, b), from, from + random.nextInt(5_000)),
                    box);
        }
    }

    @Test
    void manifestAndTailAreWhatAllEditsMake() throws IOException {
        long first = Long.getLong("seed", 1L);
        for (long seed = first; seed < first + 5; seed++) {
            run(seed);
            open();
        }
    }

    private void run(long seed) throws IOException {
        Random random = new Random(seed);
        int edits = 1 + random.nextInt(30);
        List<ManifestCompaction> rollers = List.of(roll(edits, random.nextInt(edits + 1)), roll(edits, 0));
        List<Writer> writers = new ArrayList<>(List.of(new Writer(0, random), new Writer(1, random)));
        StreamCatalog balancer = new StreamCatalog(store, stream);
        StreamSnapshot follower = StreamSnapshot.before(stream);
        int merges = 0;
        int indexers = stream.indexers();
        Namespace namespace = new Namespace(store);
        Expiry expiry = new Expiry(new StreamSnapshots(store, files));
        for (int step = 0; step < 400; step++) {
            int action = random.nextInt(21);
            Writer writer = writers.get(random.nextInt(writers.size()));
            if (action < 9) {
                writer.flush(random.nextInt(3));
            } else if (action == 9) {
                writers.set(random.nextInt(writers.size()), new Writer(random.nextInt(2), random));
            } else if (action == 10) {
                // One of those there are, and another or, now and then, the next that there is not yet.
                int first = random.nextInt(indexers);
                int second = (first + 1 + random.nextInt(indexers - 1)) % indexers;
                if (indexers < 6 && random.nextInt(3) == 0) {
                    second = indexers++;
                }
                balancer.changeRouting(new long[] {random.nextLong()}, new int[] {first, second});
                recordEdits();
            } else if (action == 11) {
                int p = random.nextInt(2);
                long from = balancer.route(p).route().limit() + random.nextInt(5);
                balancer.giveUp(new LostRange(p, from, from + 1 + random.nextInt(3), "Lücke " + step));
                recordEdits();
            } else if (action == 12) {
                merges += merge(writer, random, merges);
            } else if (action < 17) {
                ManifestCompaction roller = rollers.get(random.nextInt(2));
                switch (random.nextInt(3)) {
                    case 0 -> roller.write();
                    case 1 -> roller.commit();
                    default -> roller.trim();
                }
            } else if (action == 17) {
                follower = reader.advance(follower);
                assertThat(record.differenceInBytes(follower))
                        .as("seed %s step %s", seed, step)
                        .isEmpty();
            } else if (action == 18) {
                Retention retention = new Retention(1_000L * (1 + random.nextInt(20)));
                namespace.changePolicy("s", policy -> policy.withRetention(retention));
                expiry.expire(stream, time + random.nextInt(10_000));
                recordEdits();
            } else if (action == 19) {
                StreamSnapshot opened = reader.latest();
                assertThat(opened.edit()).isEqualTo(record.last().edit());
                assertThat(record.differenceInBytes(opened))
                        .as("seed %s step %s", seed, step)
                        .isEmpty();
            }
        }
        assertThat(record.last().edit()).as("seed %s: edits", seed).isGreaterThan(100);
        assertThat(record.last().horizon()).as("seed %s: horizon", seed).isGreaterThan(0);
        assertThat(EditRecord.manifestFiles(store, stream)).as("seed %s", seed).isNotEmpty();
    }

    private int merge(Writer writer, Random random, int merges) {
        List<ChunkDescriptor> chunks = new ArrayList<>();
        record.last().chunks(new Region(KeyInterval.ALL, TimeInterval.ALL), chunks::add);
        if (chunks.size() < 2) {
            return 0;
        }
        ChunkDescriptor a = chunks.get(random.nextInt(chunks.size()));
        ChunkDescriptor b = chunks.get(random.nextInt(chunks.size()));
        if (a.equals(b)) {
            return 0;
        }
        ChunkDescriptor like = writer.chunk(0, merges + 1);
        ChunkDescriptor output = new ChunkDescriptor(
                like.file(),
                like.indexer(),
                like.epoch(),
                0,
                like.part(),
                1,
                1,
                a.region().span(b.region()));
        writer.catalog.commitMerge(reader, record.last(), List.of(a, b), output);
        recordEdits();
        return 1;
    }

    @Test
    void numberIsNeverUsedAgainByWhoSleptWhileItsEditsWereDeleted() throws IOException {
        Random random = new Random(1);
        Writer sleeper = new Writer(0, random);
        sleeper.flush(1);
        Writer other = new Writer(1, random);
        for (int i = 0; i < 50; i++) {
            other.flush(1);
        }
        ManifestCompaction roller = roll(10, 0);
        assertThat(roller.write()).isTrue();
        assertThat(roller.commit()).isTrue();
        while (roller.trim() > 0) {}
        assertThat(store.children(reader.editsPath())).isEmpty();
        long last = record.last().edit();
        assertThat(sleeper.flush(1)).isTrue();
        assertThat(record.last().edit()).isEqualTo(last + 1);
        assertThat(store.children(reader.editsPath())).containsExactly(String.format("%010d", last + 1));
        assertThat(record.differenceInBytes(reader.latest())).isEmpty();
    }

    @Test
    void partsGrowGeometricallyAndChunksAreRewrittenAFewTimes() throws IOException {
        Writer writer = new Writer(0, new Random(2));
        ManifestCompaction roller = roll(10, 5);
        long written = 0;
        Map<String, Long> seen = new HashMap<>();
        for (int i = 1; i <= 2_000; i++) {
            writer.flush(1);
            if (i % 10 == 0) {
                roller.write();
                roller.commit();
                roller.trim();
                Map<String, Long> parts = EditRecord.manifestEntries(store, stream);
                for (Map.Entry<String, Long> part : parts.entrySet()) {
                    if (seen.put(part.getKey(), part.getValue()) == null) {
                        written += part.getValue();
                    }
                }
                assertThat(parts.size()).as("parts after %s flushes", i).isLessThanOrEqualTo(9);
            }
        }
        assertThat(written / 2_000.0).as("times that a chunk was written").isLessThan(10);
        assertThat(store.children(reader.editsPath()).size()).isLessThan(10 + 5 + 1);
        assertThat(record.differenceInBytes(reader.latest())).isEmpty();
    }

    @Test
    void whatHasExpiredLeavesTheManifestSoon() throws IOException {
        Writer writer = new Writer(0, new Random(8));
        ManifestCompaction roller = roll(10, 0);
        Expiry expiry = new Expiry(new StreamSnapshots(store, files));
        new Namespace(store).changePolicy("s", policy -> policy.withRetention(Retention.parse("30 s")));
        long most = 0;
        for (int i = 1; i <= 3_000; i++) {
            writer.flush(1);
            if (i % 10 == 0) {
                expiry.expire(stream, time);
                recordEdits();
                roller.write();
                roller.commit();
                roller.trim();
                long listed = EditRecord.manifestEntries(store, stream).values().stream()
                        .mapToLong(Long::longValue)
                        .sum();
                most = Math.max(most, record.last().chunkCount());
                assertThat(listed).as("listed after %s flushes", i).isLessThanOrEqualTo(2 * most + 10);
            }
        }
        assertThat(most).as("chunks at any time").isLessThan(600);
        assertThat(record.differenceInBytes(reader.latest())).isEmpty();
    }

    @Test
    void onlyOneOfTwoRollersIsNamedAndTheCollectorTakesTheOthersFiles() throws IOException {
        Writer writer = new Writer(0, new Random(3));
        writer.flush(2);
        writer.flush(2);
        ManifestCompaction one = roll(1, 0);
        ManifestCompaction two = roll(1, 0);
        assertThat(one.write()).isTrue();
        writer.flush(2);
        assertThat(two.write()).isTrue();
        FileCollector collector = new FileCollector(store, files, 10);
        List<String> before =
                files.list("").stream().map(ChunkStore.StoredFile::name).toList();
        assertThat(before).hasSize(4);
        look(collector, 0);
        look(collector, 100);
        assertThat(files.list("")).as("either may be named yet").hasSize(4);
        assertThat(one.commit()).isTrue();
        assertThat(two.commit()).isFalse();
        look(collector, 200);
        assertThat(files.list("")).as("within the grace time").hasSize(4);
        look(collector, 300);
        assertThat(files.list("").stream().map(ChunkStore.StoredFile::name))
                .containsExactlyInAnyOrderElementsOf(EditRecord.manifestFiles(store, stream));
        assertThat(record.differenceInBytes(reader.latest())).isEmpty();
    }

    private static void look(FileCollector collector, long now) throws IOException {
        collector.list();
        collector.readCatalog();
        collector.collect(now);
    }

    @Test
    void anyFlippedBitAndAnyCutIsNamedAndNeverAnAnswer() throws IOException {
        Writer writer = new Writer(0, new Random(4));
        writer.flush(3);
        writer.flush(0);
        new StreamCatalog(store, stream).giveUp(new LostRange(0, 9, 12, "x"));
        recordEdits();
        ManifestCompaction roller = roll(1, 0);
        roller.write();
        roller.commit();
        merge(writer, new Random(5), 0);
        roller.write();
        roller.commit();
        for (String name : EditRecord.manifestFiles(store, stream)) {
            Path file = folder.resolve(name);
            byte[] whole = Files.readAllBytes(file);
            // In a short run every fifth: that is a bit or two of each byte, and of eight bytes every place.
            for (int bit = 0; bit < whole.length * 8; bit += Rounds.ALL ? 1 : 5) {
                byte[] flipped = whole.clone();
                flipped[bit / 8] ^= (byte) (1 << bit % 8);
                Files.write(file, flipped);
                assertDamaged(name, "bit " + bit);
            }
            for (int length = 0; length < whole.length; length++) {
                Files.write(file, java.util.Arrays.copyOf(whole, length));
                assertDamaged(name, "length " + length);
            }
            Files.delete(file);
            assertDamaged(name, "gone");
            Files.write(file, whole);
        }
        assertThat(record.differenceInBytes(reader.latest())).isEmpty();
    }

    private void assertDamaged(String name, String how) {
        assertThatThrownBy(() -> reader.latest())
                .as("%s, %s", name, how)
                .isInstanceOfSatisfying(CorruptManifestException.class, damage -> {
                    assertThat(damage.file()).endsWith(name);
                    assertThat(damage.kind()).isEqualTo(WaterwheelException.Kind.CORRUPT);
                    assertThat(damage.getMessage()).contains("expected", "got", "at offset");
                });
    }

    @Test
    void streamOfAnOlderLayoutIsRolledUpAndThenRefusedByTheReleaseThatWroteIt() throws Exception {
        String path = Namespace.path("s");
        Node entry = store.read(path).orElseThrow();
        byte[] old = new String(entry.data(), java.nio.charset.StandardCharsets.UTF_8)
                .replace("\"layout\":" + CatalogJson.LAYOUT, "\"layout\":2")
                .getBytes(java.nio.charset.StandardCharsets.UTF_8);
        Node pointer = store.read("/data/1/manifest").orElseThrow();
        store.commit(List.of(
                new CatalogStore.Op.Set(path, old, entry.version()),
                new CatalogStore.Op.Delete("/data/1/manifest", pointer.version())));
        assertThat(reader.latest().edit()).isEqualTo(1);
        Writer writer = new Writer(0, new Random(6));
        writer.flush(1);
        assertThat(CatalogJson.layoutOf(path, store.read(path).orElseThrow().data()))
                .as("since an indexer was started by this release")
                .isEqualTo(CatalogJson.LAYOUT);
        store.commit(List.of(new CatalogStore.Op.Set(
                path, old, store.read(path).orElseThrow().version())));
        ManifestCompaction roller = roll(1, 0);
        roller.write();
        assertThat(roller.commit()).isTrue();
        assertThat(CatalogJson.layoutOf(path, store.read(path).orElseThrow().data()))
                .isEqualTo(CatalogJson.LAYOUT);
        while (roller.trim() > 0) {}
        assertThat(record.differenceInBytes(reader.latest())).isEmpty();
    }

    @Test
    void storeThatIsAwayStopsNobodyButWhoNeedsTheManifest() throws IOException {
        Writer writer = new Writer(0, new Random(7));
        writer.flush(1);
        StreamSnapshot known = reader.latest();
        ManifestCompaction roller = roll(1, 0);
        roller.write();
        roller.commit();
        writer.flush(1);
        SnapshotReader cut = new SnapshotReader(store, new AwayStore(), stream);
        assertThat(cut.advance(known).edit()).isEqualTo(record.last().edit());
        assertThatThrownBy(cut::latest)
                .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.kind())
                        .isEqualTo(WaterwheelException.Kind.TEMPORARY))
                .hasMessageContaining("is the chunk store reachable?");
        ManifestCompaction helpless = new ManifestCompaction(
                new StreamSnapshots(store, new AwayStore()), stream, ManifestCompaction.Settings.of(1), () -> "x");
        assertThatThrownBy(helpless::write).isInstanceOf(WaterwheelException.class);
    }

    /** Nothing can be reached. */
    private static final class AwayStore implements ChunkStore {
        @Override
        public void write(String name, List<java.nio.ByteBuffer> content) throws IOException {
            throw new IOException("away");
        }

        @Override
        public Input open(String name) throws IOException {
            throw new IOException("away");
        }

        @Override
        public void forEach(String prefix, Consumer<StoredFile> visitor) throws IOException {
            throw new IOException("away");
        }

        @Override
        public void delete(String name) throws IOException {
            throw new IOException("away");
        }

        @Override
        public List<String> hosts(String name) throws IOException {
            throw new IOException("away");
        }

        @Override
        public void close() {}
    }
}
