package io.waterwheel.catalog.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.GoldenFiles;
import io.waterwheel.catalog.manifest.ManifestPointer.ManifestFile;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.PartitionRoute.VersionSince;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.ScaleVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** States of a stream with several versions of scales: version 6 of the files. */
final class ManifestScalesTest {
    @TempDir
    Path folder;

    private static StreamInfo stream() {
        Schema schema = new Schema(
                List.of(
                        new Field("a", FieldType.LONG, false),
                        new Field("b", FieldType.LONG, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Dimensions(dimensions("10"), List.of())
                        .withScales(dimensions("20"))
                        .withScales(dimensions("30")),
                "t");
        return new StreamInfo("s", 1, schema, RecordFormat.CSV, "s", 2, 2);
    }

    private static List<Dimension> dimensions(String cut) {
        return List.of(new Dimension("a", 1, List.of(), List.of(cut)), new Dimension("b", 1, List.of(), List.of("5")));
    }

    /** Table 2 is of the second scales and in force; 3 is of the third, and one partition has adopted it. */
    private static StreamSnapshot snapshot() {
        long second = ScaleVersion.prefix(2);
        long third = ScaleVersion.prefix(3);
        return StreamSnapshot.before(stream())
                .apply(1, new Edit.Created(new RoutingTable(1, new long[] {2}, new int[] {0, 1}), List.of(0L, 7L)))
                .apply(2, new Edit.Started(0, 1))
                .apply(
                        3,
                        new Edit.Routed(
                                new RoutingTable(2, new long[] {second | 1}, new int[] {0, 1}, 2), Map.of(), Map.of()))
                .apply(
                        4,
                        new Edit.Adopted(Map.of(
                                0, List.of(new VersionSince(1, 0), new VersionSince(2, 100)),
                                1, List.of(new VersionSince(1, 7), new VersionSince(2, 90)))))
                .apply(5, new Edit.Flushed(0, new IndexerCheckpoint(1, 1, new long[] {50, 60}, 0), List.of()))
                .apply(
                        6,
                        new Edit.Routed(
                                new RoutingTable(3, new long[] {third | 3}, new int[] {1, 0}, 3), Map.of(), Map.of()))
                .apply(
                        7,
                        new Edit.Adopted(Map.of(
                                0,
                                List.of(new VersionSince(1, 0), new VersionSince(2, 100), new VersionSince(3, 200)))));
    }

    private StreamSnapshot read(byte[] state) throws IOException {
        LocalChunkStore store = new LocalChunkStore(folder);
        store.write("state", List.of(ByteBuffer.wrap(state)));
        int checksum = ManifestWriter.checksum(state, 0, state.length);
        return new ManifestReader(store, stream())
                .snapshot(
                        new ManifestPointer(7, List.of(new ManifestFile("state", state.length, checksum, 0, 7, 0, 0))));
    }

    @Test
    void theWriterMakesAndTheReaderReadsTheGoldenFile() throws IOException {
        StreamSnapshot snapshot = snapshot();
        byte[] written = ManifestWriter.state(snapshot).array();
        byte[] golden = GoldenFiles.read("manifest/v6.state", written);
        assertThat(HexFormat.of().formatHex(written)).isEqualTo(HexFormat.of().formatHex(golden));
        assertThat(golden[ManifestFormat.AT_VERSION]).isEqualTo((byte) 6);
        StreamSnapshot read = read(golden);
        assertThat(read.tables()).isEqualTo(snapshot.tables());
        assertThat(new TreeMap<>(read.tables()).values())
                .extracting(RoutingTable::scales)
                .containsExactly(1, 2, 3);
        assertThat(read.scales()).isEqualTo(3);
        assertThat(read.announced()).isEqualTo(snapshot.announced());
        for (int partition = 0; partition < 2; partition++) {
            assertThat(read.route(partition)).isEqualTo(snapshot.route(partition));
        }
        assertThat(read.checkpoints()).isEqualTo(snapshot.checkpoints());
        assertThat(read.marks()).isEqualTo(snapshot.marks());
    }

    /** The last section has two entries: table 2 is by scales 2, table 3 by scales 3. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "3 | 2 | 3 | 3 | expected scales of tables in ascending order, got 3 after 3",
                "2 | 1 | 3 | 3 | expected scales from 2 on of routing table 2, got 1",
                "2 | 2 | 4 | 3 | scales of routing table 4, which is not there",
                "2 | 2 | 3 | 17 | routing table 3: version 17 of the scales",
            })
    void scalesThatCannotBeAreDamage(int table, int scales, int nextTable, int nextScales, String message) {
        byte[] state = ManifestWriter.state(snapshot()).array();
        int[] content = {table, scales, nextTable, nextScales};
        int bytes = content.length * Integer.BYTES;
        int at = state.length - ManifestFormat.END_MAGIC.length - bytes;
        for (int i = 0; i < content.length; i++) {
            LittleEndian.putInt(state, at + i * Integer.BYTES, content[i]);
        }
        int section = at - ManifestFormat.SECTION_BYTES;
        LittleEndian.putInt(
                state,
                section + ManifestFormat.SECTION_CHECKSUM,
                ManifestWriter.sectionChecksum(state, section, state.clone(), at, bytes));
        assertThatThrownBy(() -> read(state))
                .isInstanceOf(CorruptManifestException.class)
                .hasMessageContaining(message);
    }
}
