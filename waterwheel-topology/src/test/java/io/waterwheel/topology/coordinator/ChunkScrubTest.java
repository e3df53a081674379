package io.waterwheel.topology.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.topology.worker.TimedJobs;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damage in chunks is found without a query, told of, and forgotten once the file is well. */
final class ChunkScrubTest {
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");
    private static final RowLayout LAYOUT = RowLayout.of(SCHEMA);
    private static final int CHUNKS = 5;
    private static final int ROWS = 5_000;

    @TempDir
    Path folder;

    private final InMemoryCatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private ChunkStore files;
    private StreamInfo stream;
    private Collection<StreamInfo> streams;
    private final List<ChunkDescriptor> chunks = new ArrayList<>();
    private final List<Long> reads = new ArrayList<>();

    @BeforeEach
    void write() throws IOException {
        files = new LocalChunkStore(folder);
        stream = new Namespace(store).create("s", SCHEMA, RecordFormat.BLOCK, "t", new long[1], 1);
        streams = List.of(stream);
        StreamCatalog catalog = new StreamCatalog(store, stream);
        int version = catalog.startIndexer(0).nodeVersion();
        for (int flush = 1; flush <= CHUNKS; flush++) {
            TupleBlock rows = new TupleBlock(LAYOUT, ROWS);
            for (int row = 0; row < ROWS; row++) {
                rows.keys()[row] = (flush * 10_000L + row) * 0x9E3779B97F4A7C15L;
                rows.times()[row] = flush * 1_000_000L + row;
            }
            rows.setSize(ROWS);
            TemplateTree tree = new TemplateTree(LAYOUT, Template.single(), new PagePool(1 << 24));
            tree.insert(rows, 0, ROWS);
            EncodedChunk encoded = new ChunkWriter().encode(tree, SCHEMA);
            String name = ChunkDescriptor.fileName("s", stream.id(), 0, 1, flush, 0);
            files.write(name, encoded.content());
            ChunkDescriptor chunk =
                    new ChunkDescriptor(name, 0, 1, flush, 0, encoded.tuples(), encoded.bytes(), encoded.region());
            chunks.add(chunk);
            var done = catalog.commitFlush(
                    0, version, new IndexerCheckpoint(1, flush, new long[] {flush}, 0), List.of(chunk));
            version = ((StreamCatalog.CommitOutcome.Done) done).nodeVersion();
        }
    }

    private final ScrubFindings findings = new ScrubFindings(store, () -> {});

    /** What every coordinator tells of the stream. */
    private List<String> found() {
        return findings.read().getOrDefault(stream.id(), List.of());
    }

    private StreamSnapshot latest(StreamInfo of) {
        return new SnapshotReader(store, files, of).latest();
    }

    /** Files that cannot be read, as where a disk has a bad sector. */
    private final Set<String> unreadable = new HashSet<>();

    private ChunkStore failing() {
        return (ChunkStore) Proxy.newProxyInstance(
                ChunkStore.class.getClassLoader(), new Class<?>[] {ChunkStore.class}, (proxy, method, args) -> {
                    if (method.getName().equals("open") && unreadable.contains(args[0])) {
                        throw new IOException("planted: input/output error");
                    }
                    try {
                        return method.invoke(files, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private ChunkScrub scrub() {
        return new ChunkScrub(
                failing(), () -> streams, this::latest, reads::add, InstantSource.system(), new Random(1), findings);
    }

    private void flip(ChunkDescriptor chunk, int at) throws IOException {
        Path file = folder.resolve(chunk.file());
        byte[] bytes = Files.readAllBytes(file);
        bytes[at] ^= 1;
        Files.write(file, bytes);
    }

    @Test
    void damageIsToldOfUntilTheFileIsWell() throws Exception {
        ChunkScrub scrub = scrub();
        scrub.round();
        assertThat(found()).isEmpty();
        long all = chunks.stream().mapToLong(ChunkDescriptor::bytes).sum();
        assertThat(reads.stream().mapToLong(Long::longValue).sum())
                .as("bytes that are waited for")
                .isBetween(all / 10 * 9, 2 * all);
        flip(chunks.get(2), (int) chunks.get(2).bytes() / 3);
        Path missing = folder.resolve(chunks.get(4).file());
        byte[] kept = Files.readAllBytes(missing);
        Files.delete(missing);
        // A file that is well by itself, but another's.
        Path third = folder.resolve(chunks.get(3).file());
        byte[] own = Files.readAllBytes(third);
        Files.write(third, Files.readAllBytes(folder.resolve(chunks.get(0).file())));
        scrub.round();
        assertThat(found())
                .hasSize(3)
                .anySatisfy(said -> assertThat(said)
                        .startsWith("chunk " + chunks.get(2).file() + " is damaged: leaf ")
                        .contains("(the scrub met it at "))
                .anySatisfy(said -> assertThat(said)
                        .startsWith("chunk " + chunks.get(4).file() + " is missing: there is no such file"))
                .anySatisfy(said -> assertThat(said)
                        .startsWith("chunk " + chunks.get(3).file() + " is damaged: file, ")
                        .contains(", as the catalog says"));
        assertThat(findings.read()).containsOnlyKeys(stream.id());
        // Also after this one has ended, and another has begun.
        scrub = scrub();
        scrub.round();
        assertThat(found()).hasSize(3);
        flip(chunks.get(2), (int) chunks.get(2).bytes() / 3);
        Files.write(missing, kept);
        Files.write(third, own);
        scrub.round();
        assertThat(findings.read()).isEmpty();
    }

    @Test
    void aFileThatCannotBeReadIsToldOfAndKeepsNoneBack() throws Exception {
        ChunkScrub scrub = scrub();
        unreadable.add(chunks.get(1).file());
        Files.delete(folder.resolve(chunks.get(4).file()));
        for (int round = 0; round < 2; round++) {
            // Where the first round begins is left to chance.
            scrub.round();
        }
        assertThat(found())
                .hasSize(2)
                .anySatisfy(said -> assertThat(said)
                        .startsWith("chunk " + chunks.get(1).file() + " cannot be read: ")
                        .contains("planted"))
                .anySatisfy(said ->
                        assertThat(said).startsWith("chunk " + chunks.get(4).file() + " is missing: "));
        unreadable.clear();
        scrub.round();
        assertThat(found()).hasSize(1);

        // A store that is away says nothing of its files.
        chunks.forEach(chunk -> unreadable.add(chunk.file()));
        ChunkScrub another = scrub();
        assertThatThrownBy(another::round).isInstanceOf(IOException.class);
        assertThat(found()).as("as before").hasSize(1);
    }

    @Test
    void filesOfADroppedStreamAreNothingToTellOf() throws Exception {
        Files.delete(folder.resolve(chunks.get(1).file()));
        ChunkScrub scrub = scrub();
        scrub.round();
        assertThat(found()).hasSize(1);
        streams = List.of();
        scrub.round();
        assertThat(found()).isEmpty();
    }

    @Test
    void whatWasFoundIsForgottenWhereChunksAreNotReadAnyLonger() throws Exception {
        Files.delete(folder.resolve(chunks.get(1).file()));
        scrub().round();
        assertThat(found()).hasSize(1);
        try (TimedJobs jobs = new TimedJobs("test")) {
            assertThat(ChunkScrub.start(files, () -> streams, this::latest, 0, findings, jobs))
                    .isNull();
        }
        assertThat(findings.read()).isEmpty();
    }
}
