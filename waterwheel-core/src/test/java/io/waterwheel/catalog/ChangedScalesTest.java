package io.waterwheel.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.manifest.ManifestWriter;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CorruptCatalogException;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.key.sample.DimensionLearner;
import io.waterwheel.key.sample.ScaleChange;
import io.waterwheel.schema.Balancing;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.ScaleVersion;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of the scales in the catalog: entry, tables, edits and snapshots. */
final class ChangedScalesTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("a", FieldType.LONG, false),
                    new Field("b", FieldType.LONG, false),
                    new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Dimensions(dimensions("10", "20"), List.of()),
            "t");

    @TempDir
    Path folder;

    private final InMemoryCatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private final Namespace namespace = new Namespace(store);
    private final StreamInfo stream = namespace.create("s", SCHEMA, RecordFormat.CSV, "s", new long[2], 2);
    private final StreamCatalog catalog = new StreamCatalog(store, stream);

    private static List<Dimension> dimensions(String... cuts) {
        return List.of(
                new Dimension("a", 2, List.of(), List.of(cuts)), new Dimension("b", 2, List.of("0", "100"), List.of()));
    }

    private SnapshotReader reader() throws IOException {
        return new SnapshotReader(store, new LocalChunkStore(folder), stream);
    }

    private RoutingTable change(String... cuts) {
        RoutingTable newest = catalog.newestTable();
        RoutingTable even = RoutingTable.even(1, KeyScheme.of(SCHEMA).domain(newest.scales() + 1), 2);
        return catalog.changeScales(newest.version(), dimensions(cuts), even.boundaries(), even.indexers())
                .orElseThrow();
    }

    private byte[] entry() {
        return store.read("/streams/s").orElseThrow().data();
    }

    @Test
    void theyAreInTheEntryInTheTableAndInEverySnapshotThatHasTheTable() throws IOException {
        assertThat(CatalogJson.layoutOf("s", entry())).isEqualTo(5);
        StreamSnapshot before = reader().latest();
        assertThat(before.scales()).isEqualTo(1);
        assertThat(change("30", "40", "50").scales()).isEqualTo(2);
        assertThat(CatalogJson.layoutOf("s", entry())).isEqualTo(7);
        // Who writes the entry anew for another reason keeps them.
        namespace.changePolicy("s", policy -> policy.withBalancing(Balancing.OFF));
        StreamInfo known = namespace.find("s").orElseThrow();
        KeySpec.Dimensions key = (KeySpec.Dimensions) known.schema().key();
        assertThat(key.scales()).isEqualTo(2);
        assertThat(key.dimensions(1)).isEqualTo(dimensions("10", "20"));
        assertThat(key.dimensions(2)).isEqualTo(dimensions("30", "40", "50"));
        StreamSnapshot after = reader().advance(before);
        assertThat(after.scales()).isEqualTo(2);
        assertThat(after.stream().schema()).isEqualTo(known.schema());
        assertThat(reader().latest().stream().schema()).isEqualTo(known.schema());
        assertThat(catalog.scaled(2).schema()).isEqualTo(known.schema());
        assertThatThrownBy(() -> catalog.scaled(3))
                .isInstanceOf(CorruptCatalogException.class)
                .hasRootCauseMessage("expected 3 versions of scales, which a routing table names, got 2");
    }

    private static TupleBlock places(Schema schema, int moved, boolean both) {
        Random random = new Random(moved);
        int count = 1 << 16;
        TupleBlock rows = new TupleBlock(RowLayout.of(schema), count);
        for (int row = 0; row < count; row++) {
            put(rows.column(0), row, moved + random.nextGaussian());
            put(rows.column(1), row, (both ? moved : 0) + random.nextGaussian());
        }
        rows.setSize(count);
        return rows;
    }

    private static void put(byte[] column, int row, double value) {
        LittleEndian.putLong(column, row * 8, Double.doubleToRawLongBits(value));
    }

    /** Learned from many rows, with as many cells as a key may have: all versions find room in the entry. */
    @Test
    void largeTablesAreChangedAsOftenAsOthers() {
        for (boolean both : new boolean[] {true, false}) {
            String name = "large" + both;
            Schema draft = new Schema(
                    List.of(
                            new Field("x", FieldType.DOUBLE, false),
                            new Field("y", FieldType.DOUBLE, false),
                            new Field("t", FieldType.TIMESTAMP, false)),
                    new KeySpec.Dimensions(
                            List.of(
                                    new Dimension("x", 13, List.of(), List.of()),
                                    new Dimension("y", 13, List.of(), List.of())),
                            List.of()),
                    "t");
            DimensionLearner learner = new DimensionLearner(draft);
            learner.add(places(draft, 0, both));
            StreamInfo info = namespace.create(name, learner.learned(), RecordFormat.CSV, name, new long[] {0, 0}, 1);
            StreamCatalog of = new StreamCatalog(store, info);
            for (int version = 2; version <= 16; version++) {
                Schema schema = namespace.find(name).orElseThrow().schema();
                KeySpec.Dimensions key = (KeySpec.Dimensions) schema.key();
                List<Dimension> present = key.dimensions(key.scales());
                assertThat(ScaleChange.fitting(schema, present)).isEqualTo(present);
                ScaleChange change = ScaleChange.learn(schema, places(schema, 10 * version, both));
                assertThat(change.after().get(0).used())
                        .as("version %s", version)
                        .isGreaterThan(15);
                RoutingTable newest = of.newestTable();
                assertThat(of.changeScales(newest.version(), change.scales(), new long[0], newest.indexers())
                                .orElseThrow()
                                .scales())
                        .isEqualTo(version);
                assertThat(store.read("/streams/" + name).orElseThrow().data().length)
                        .isLessThan(KeySpec.Dimensions.MOST_ENTRY_BYTES - 16_384);
            }
        }
    }

    /** A proposal learned elsewhere is shortened to what there is room for; texts count as the catalog writes them. */
    @Test
    void aProposalIsShortenedToTheRoomThereIs() {
        List<String> texts = IntStream.range(0, 12_000)
                .mapToObj(i -> "\u6771\u4eac\"" + (char) (0x4e00 + i))
                .toList();
        Schema schema = new Schema(
                List.of(
                        new Field("a", FieldType.STRING, false),
                        new Field("b", FieldType.LONG, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Dimensions(
                        List.of(
                                new Dimension("a", 14, List.of(), texts.subList(0, 1), 16),
                                new Dimension("b", 2, List.of("0", "100"), List.of())),
                        List.of()),
                "t");
        List<Dimension> given = List.of(
                new Dimension("a", 14, List.of(), texts.subList(0, 8000), 16),
                new Dimension("b", 2, List.of(), List.of("1", "2", "3")));
        StreamInfo info = namespace.create("texts", schema, RecordFormat.CSV, "texts", new long[1], 1);
        List<Dimension> fitting = ScaleChange.fitting(schema, given);
        assertThat(fitting.equals(given)).isTrue();
        StreamCatalog.requireRoom(info, fitting);
        KeySpec.Dimensions three =
                new KeySpec.Dimensions(given, List.of()).withScales(given).withScales(given);
        StreamInfo later = info.withSchema(schema.withKey(three));
        List<Dimension> others = List.of(new Dimension("a", 14, List.of(), texts.subList(1, 8001), 16), given.get(1));
        List<Dimension> shorter = ScaleChange.fitting(later.schema(), others);
        assertThat(shorter.get(0).cuts().size()).isEqualTo(4000);
        assertThat(shorter.get(0).cuts().subList(0, 2)).containsExactly(texts.get(2), texts.get(4));
        assertThat(shorter.get(1)).isEqualTo(given.get(1));
        StreamCatalog.requireRoom(later, shorter);
        StreamInfo full = later.withSchema(schema.withKey(three.withScales(given)));
        assertThatThrownBy(() -> StreamCatalog.requireRoom(full, given)).hasMessageContaining("take fewer cuts");
    }

    /** Releases that would make other keys refuse the entry. */
    @Test
    void longTextsAndManyCutsAreOfALayoutOfTheirOwn() {
        List<Field> fields = List.of(
                new Field("url", FieldType.STRING, true),
                new Field("b", FieldType.LONG, false),
                new Field("t", FieldType.TIMESTAMP, false));
        Dimension few = new Dimension("b", 13, List.of(), List.of("0", "100"));
        Dimension many = new Dimension(
                "b",
                13,
                List.of(),
                LongStream.range(0, 4097).mapToObj(Long::toString).toList());
        Dimension texts = new Dimension("url", 2, List.of(), List.of("https://b", "https://c"), 64);
        Dimension codes = new Dimension("url", 2, List.of(), List.of("b", "c"));
        KeySpec.Dimensions plain = new KeySpec.Dimensions(List.of(codes, few), List.of());
        assertThat(layoutOf(new Schema(fields, plain, "t"))).isEqualTo(5);
        assertThat(layoutOf(new Schema(fields, plain.withScales(List.of(codes, few)), "t")))
                .isEqualTo(7);
        for (KeySpec.Dimensions key : List.of(
                new KeySpec.Dimensions(List.of(texts, few), List.of()),
                new KeySpec.Dimensions(List.of(codes, many), List.of()),
                plain.withScales(List.of(texts, few)),
                plain.withScales(List.of(codes, many)))) {
            assertThat(layoutOf(new Schema(fields, key, "t"))).isEqualTo(8);
        }
    }

    private static int layoutOf(Schema schema) {
        StreamInfo info = new StreamInfo("s", 1, schema, RecordFormat.CSV, "s", 1, 1);
        byte[] entry = CatalogJson.write(info);
        assertThat(CatalogJson.readStream("s", entry)).isEqualTo(info);
        return CatalogJson.layoutOf("s", entry);
    }

    /** Each partition and each indexer reads the entry by a catalog of its own, and keeps what it has read. */
    @Test
    void whoeverReadsThemHasTheSameObjects() {
        change("30", "40", "50");
        Schema one = new StreamCatalog(store, stream).scaled(2).schema();
        assertThat(new StreamCatalog(store, stream).scaled(2).schema()).isSameAs(one);
        assertThat(namespace.find("s").orElseThrow().schema()).isSameAs(one);
        assertThat(KeyScheme.of(namespace.find("s").orElseThrow().schema())).isSameAs(KeyScheme.of(one));
    }

    @Test
    void everyTableThatFollowsCarriesThemOn() throws IOException {
        change("30");
        RoutingTable moved = catalog.changeRouting(new long[] {ScaleVersion.prefix(2) | 5}, new int[] {1, 0});
        assertThat(moved.scales()).isEqualTo(2);
        catalog.giveUp(new LostRange(1, 0, 10, "gone"));
        assertThat(catalog.newestTable().version()).isEqualTo(moved.version() + 1);
        assertThat(catalog.newestTable().scales()).isEqualTo(2);
        assertThat(reader().latest().scales()).isEqualTo(2);
        assertThat(change("40").scales()).isEqualTo(3);
        assertThat(reader().latest().table(moved.version() + 2).scales()).isEqualTo(3);
    }

    @Test
    void aManifestHasThemAndOneOfBeforeIsOfTheVersionBefore() throws IOException {
        assertThat(ManifestWriter.state(reader().latest()).get(8)).isEqualTo((byte) 4);
        change("30");
        assertThat(ManifestWriter.state(reader().latest()).get(8)).isEqualTo((byte) 6);
    }

    @Test
    void whatDoesNotFitChangesNothing() throws IOException {
        int version = catalog.newestTable().version();
        long[] boundaries = {0};
        int[] indexers = {0, 1};
        assertThat(catalog.changeScales(version + 1, dimensions("30"), boundaries, indexers))
                .isEmpty();
        assertThatThrownBy(() -> catalog.changeScales(0, dimensions("1").subList(0, 1), boundaries, indexers))
                .hasMessage("schema: scales, version 2: expected the dimensions a, b; got a");
        assertThatThrownBy(() -> catalog.changeScales(0, List.of(), boundaries, indexers))
                .hasMessage("stream s: scales of no dimension");
        assertThat(catalog.newestTable().version()).isEqualTo(version);
        for (int scales = 2; scales <= ScaleVersion.MOST; scales++) {
            assertThat(change(String.valueOf(scales)).scales()).isEqualTo(scales);
        }
        assertThatThrownBy(() -> catalog.changeScales(0, dimensions("77"), boundaries, indexers))
                .hasMessage("schema: the key: expected at most 16 versions of scales");
        assertThat(reader().latest().stream().scales()).isEqualTo(ScaleVersion.MOST);
    }

    @Test
    void anEntryWithScalesThatDoNotFitIsCorrupt() {
        change("30");
        String text = new String(entry(), StandardCharsets.UTF_8);
        String other = text.replace("\"bits\":2,\"cuts\":[\"30\"]", "\"bits\":3,\"cuts\":[\"30\"]");
        assertThat(other).isNotEqualTo(text);
        assertThatThrownBy(() -> Namespace.parse("s", other.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(CorruptCatalogException.class)
                .hasRootCauseMessage(
                        "schema: scales, version 2: expected the bits [2, 2], which never change, got [3, 2]");
    }
}
