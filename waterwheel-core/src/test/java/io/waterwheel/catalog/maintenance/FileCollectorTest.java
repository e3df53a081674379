package io.waterwheel.catalog.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CorruptCatalogException;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.Region;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileCollectorTest {
    private static final long GRACE = 1_000;
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");

    @TempDir
    Path folder;

    private final CatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private ChunkStore files;
    private StreamInfo stream;
    private StreamCatalog catalog;
    private SnapshotReader reader;
    private FileCollector collector;

    @BeforeEach
    void open() throws IOException {
        files = new LocalChunkStore(folder);
        stream = new Namespace(store).create("s", SCHEMA, RecordFormat.BLOCK, "t", new long[1], 1);
        catalog = new StreamCatalog(store, stream);
        reader = new SnapshotReader(store, files, stream);
        collector = new FileCollector(store, files, GRACE);
    }

    private String write(String name) throws IOException {
        files.write(name, List.of(ByteBuffer.wrap(new byte[3])));
        return name;
    }

    private static ChunkDescriptor chunk(String file, int epoch, long flush, int part) {
        return new ChunkDescriptor(file, 0, epoch, flush, part, 1, 3, Region.of(0, 1, 0, 1));
    }

    private FileCollector.Found look(long now) throws IOException {
        return look(collector, now);
    }

    private static FileCollector.Found look(FileCollector collector, long now) throws IOException {
        collector.list();
        collector.readCatalog();
        return collector.collect(now);
    }

    private List<String> left() throws IOException {
        return files.list("").stream().map(ChunkStore.StoredFile::name).toList();
    }

    @Test
    void keepsWhatIsNamedAndWhatTheLivingMayStillCommit() throws IOException {
        StreamCatalog.IndexerStart start = catalog.startIndexer(0);
        String named = write("s-1/0-0/0-1-1-0.chunk");
        catalog.commitFlush(
                0, start.nodeVersion(), new IndexerCheckpoint(1, 1, new long[1], 0), List.of(chunk(named, 1, 1, 0)));
        String yetToCome = write("s-1/0-0/0-1-2-0.chunk");
        look(0);
        assertThat(look(10 * GRACE).removed()).isZero();
        assertThat(left()).containsExactly(named, yetToCome);
    }

    @Test
    void removesWhatTheDeadLeftOnceTheGraceTimeIsOver() throws IOException {
        catalog.startIndexer(0);
        write("s-1/0-0/0-1-1-0.chunk");
        write("s-1/0-0/0-1-1-0.chunk.x.tmp");
        // Of a release for which a stream was one folder.
        write("s-1/0-1-1-0.chunk");
        catalog.startIndexer(0);
        assertThat(look(0).waiting()).isEqualTo(3);
        assertThat(look(GRACE - 1).removed()).isZero();
        assertThat(look(GRACE).removed()).isEqualTo(3);
        assertThat(left()).isEmpty();
    }

    @Test
    void removesTheInputsOfAMergeAndRefusesItASecondTime() throws IOException {
        StreamCatalog.IndexerStart start = catalog.startIndexer(0);
        ChunkDescriptor input = chunk(write("s-1/0-1-1-0.chunk"), 1, 1, 0);
        catalog.commitFlush(0, start.nodeVersion(), new IndexerCheckpoint(1, 1, new long[1], 0), List.of(input));
        StreamSnapshot planned = reader.latest();
        ChunkDescriptor output = chunk(write("s-1/0-1-1-1001.chunk"), 1, 1, 1001);
        ChunkDescriptor other = chunk(write("s-1/0-1-1-1002.chunk"), 1, 1, 1002);
        assertThat(catalog.commitMerge(reader, planned, List.of(input), output)).isTrue();
        assertThat(catalog.commitMerge(reader, planned, List.of(input), output))
                .as("repeated")
                .isTrue();
        assertThat(catalog.commitMerge(reader, planned, List.of(input), other))
                .as("input gone")
                .isFalse();
        look(0);
        look(GRACE);
        assertThat(left()).containsExactly(output.file(), other.file());
        catalog.startIndexer(0);
        assertThat(catalog.commitMerge(reader, planned, List.of(output), other))
                .as("writer has a successor")
                .isFalse();
        look(GRACE + 1);
        look(3 * GRACE);
        assertThat(left()).containsExactly(output.file());
    }

    @Test
    void removesWhatAMergeWroteOnceAnotherHasReplacedIt() throws IOException {
        StreamCatalog.IndexerStart start = catalog.startIndexer(0);
        ChunkDescriptor input = chunk(write("s-1/0-0/0-1-1-0.chunk"), 1, 1, 0);
        catalog.commitFlush(0, start.nodeVersion(), new IndexerCheckpoint(1, 1, new long[1], 0), List.of(input));
        ChunkDescriptor first = chunk(write("s-1/0-0/0-1-1-1001.chunk"), 1, 1, 1001);
        assertThat(catalog.commitMerge(reader, reader.latest(), List.of(input), first))
                .isTrue();
        look(0);
        ChunkDescriptor second = chunk(write("s-1/0-0/0-1-1-1002.chunk"), 1, 1, 1002);
        assertThat(catalog.commitMerge(reader, reader.latest(), List.of(first), second))
                .isTrue();
        look(GRACE);
        assertThat(look(2 * GRACE).waiting()).isEqualTo(1);
        assertThat(look(3 * GRACE).removed()).isEqualTo(1);
        assertThat(left()).containsExactly(second.file());
    }

    @Test
    void removesWhatAMergeWroteInVainOnceItIsTold() throws IOException {
        catalog.startIndexer(0);
        ChunkDescriptor output = chunk(write("s-1/0-0/0-1-1-1001.chunk"), 1, 1, 1001);
        ChunkDescriptor underWay = chunk(write("s-1/0-0/0-1-1-1002.chunk"), 1, 1, 1002);
        look(0);
        look(GRACE);
        collector.neverNamedAgain(output);
        assertThat(look(2 * GRACE).waiting()).isEqualTo(1);
        assertThat(look(3 * GRACE).removed()).isEqualTo(1);
        assertThat(left()).containsExactly(underWay.file());
    }

    @Test
    void removesWhatHasExpiredOnceTheGraceTimeIsOver() throws IOException {
        StreamCatalog.IndexerStart start = catalog.startIndexer(0);
        ChunkDescriptor old = chunk(write("s-1/0-1-1-0.chunk"), 1, 1, 0);
        ChunkDescriptor recent =
                new ChunkDescriptor(write("s-1/0-1-1-1.chunk"), 0, 1, 1, 1, 1, 3, Region.of(0, 1, 0, 10_000));
        catalog.commitFlush(0, start.nodeVersion(), new IndexerCheckpoint(1, 1, new long[1], 0), List.of(old, recent));
        look(0);
        new Namespace(store).changePolicy("s", policy -> policy.withRetention(Retention.parse("5 s")));
        assertThat(new Expiry(new StreamSnapshots(store, files)).expire(stream, 1_000_000))
                .contains(new Expiry.Due(5_000, 1, 1, 3, 1));
        assertThat(look(10 * GRACE).waiting()).as("named by the look before").isZero();
        assertThat(look(11 * GRACE).waiting()).isEqualTo(1);
        assertThat(left()).as("a query may still read it").containsExactly(old.file(), recent.file());
        assertThat(look(12 * GRACE).removed()).isEqualTo(1);
        assertThat(left()).containsExactly(recent.file());
    }

    @Test
    void aStreamWhoseEntryCannotBeReadKeepsItsFilesAndHidesNoOther() throws Exception {
        Namespace namespace = new Namespace(store);
        StreamInfo other = namespace.create("other", SCHEMA, RecordFormat.BLOCK, "t2", new long[1], 1);
        new StreamCatalog(store, other).startIndexer(0);
        new StreamCatalog(store, other).startIndexer(0);
        catalog.startIndexer(0);
        catalog.startIndexer(0);
        String late = write("s-1/0-1-1-0.chunk");
        String of = write("s-1/0-2-1-0.chunk");
        write("other-2/0-1-1-0.chunk");
        CatalogStore.Node entry = store.read("/streams/s").orElseThrow();
        byte[] newer = new String(entry.data(), UTF_8)
                .replaceFirst("\"layout\":\\d+", "\"layout\":99")
                .getBytes(UTF_8);
        store.commit(List.of(new CatalogStore.Op.Set("/streams/s", newer, entry.version())));
        assertThat(namespace.entries().unreadable()).containsExactly("s");
        assertThat(namespace.streams()).extracting(StreamInfo::name).containsExactly("other");
        look(0);
        assertThat(look(2 * GRACE).removed()).isEqualTo(1);
        assertThat(left()).containsExactly(late, of);
        assertThat(namespace
                        .create("third", SCHEMA, RecordFormat.BLOCK, "t3", new long[1], 1)
                        .id())
                .isEqualTo(3);
        assertThatThrownBy(() -> namespace.create("s", SCHEMA, RecordFormat.BLOCK, "t", new long[1], 1))
                .isInstanceOf(CorruptCatalogException.class)
                .hasMessageContaining("/streams/s");
        assertThat(namespace
                        .create("fourth", SCHEMA, RecordFormat.BLOCK, "t", new long[1], 1)
                        .sharesTopic())
                .as("its topic may feed stream s")
                .isTrue();
        store.commit(List.of(new CatalogStore.Op.Set("/streams/s", entry.data(), entry.version() + 1)));
        look(3 * GRACE);
        look(5 * GRACE);
        assertThat(left()).as("readable again").containsExactly(of);
    }

    @Test
    void aDamagedManifestKeepsTheFilesOfItsStreamAndHidesNoOther() throws Exception {
        Namespace namespace = new Namespace(store);
        StreamInfo other = namespace.create("other", SCHEMA, RecordFormat.BLOCK, "t2", new long[1], 1);
        new StreamCatalog(store, other).startIndexer(0);
        new StreamCatalog(store, other).startIndexer(0);
        catalog.startIndexer(0);
        catalog.startIndexer(0);
        ManifestCompaction roll = new ManifestCompaction(
                new StreamSnapshots(store, files), stream, ManifestCompaction.Settings.of(1), () -> "a");
        assertThat(roll.write()).isTrue();
        assertThat(roll.commit()).isTrue();
        while (roll.trim() > 0) {}
        String manifest = left().get(0);
        Path path = folder.resolve(manifest);
        byte[] whole = Files.readAllBytes(path);
        byte[] damaged = whole.clone();
        damaged[20] ^= 1;
        Files.write(path, damaged);
        String late = write("s-1/0-0/0-1-1-0.chunk");
        write("other-2/0-0/0-1-1-0.chunk");
        FileCollector anew = new FileCollector(store, files, GRACE);
        assertThat(look(anew, 0).unreadable()).containsOnlyKeys("s");
        FileCollector.Found found = look(anew, 2 * GRACE);
        assertThat(found.removed()).isEqualTo(1);
        assertThat(found.unreadable().get("s")).contains(manifest, "expected");
        assertThat(left()).containsExactly(late, manifest);
        Files.write(path, whole);
        assertThat(look(anew, 3 * GRACE).unreadable()).isEmpty();
        look(anew, 5 * GRACE);
        assertThat(left()).as("readable again").containsExactly(manifest);
    }

    @Test
    void removesWhatDroppedStreamsLeftAndNothingThatItDoesNotKnow() throws IOException {
        write("s-1/0-1-1-0.chunk");
        write("later-2/0-1-1-0.chunk");
        write("notes.txt");
        new Namespace(store).drop("s");
        assertThat(look(0).foreign()).isEqualTo(2);
        assertThat(look(GRACE).removed()).isEqualTo(1);
        assertThat(left()).containsExactly("later-2/0-1-1-0.chunk", "notes.txt");
    }
}
