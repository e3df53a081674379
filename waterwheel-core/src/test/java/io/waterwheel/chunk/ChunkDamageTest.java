package io.waterwheel.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.chunk.encoding.ChunkFormat;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.RandomTuples;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A file that is not as it was written gives the right rows or the exception; nothing else, and no memory. */
final class ChunkDamageTest {
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Sample(String name, RowLayout layout, byte[] bytes) {}

    private static List<Sample> samples() {
        List<Sample> samples = new ArrayList<>();
        ChunkWriter writer = new ChunkWriter();
        Schema text = new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("name", FieldType.STRING, true),
                        new Field("x", FieldType.DOUBLE, true),
                        new Field("on", FieldType.BOOLEAN, true),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        for (int seed = 0; seed < 6; seed++) {
            Schema schema = seed < 3 ? text : seed == 3 ? RandomTuples.taxi() : RandomTuples.schema(new Random(seed));
            int rows = seed == 0 ? 1 : seed == 1 ? 70 : 12;
            PatternRows of = new PatternRows(new Random(seed), schema, rows);
            BitSet indexed = new BitSet();
            indexed.set(1, seed != 1);
            byte[] bytes = ChunkRows.bytes(
                    writer.encode(of.tree(), seed == 3 ? KeyScheme.of(schema).derived(of.layout) : null, indexed));
            samples.add(new Sample("sample " + seed, of.layout, bytes));
        }
        samples.add(ofText(writer, 30));
        samples.add(ofStations(writer));
        return samples;
    }

    /** Two columns that follow from one of text. */
    private static Sample ofStations(ChunkWriter writer) {
        Schema schema = ChunkFormatTest.stationSchema();
        TupleBlock block = ChunkFormatTest.stationRows(schema, 800);
        TemplateTree tree = new TemplateTree(block.layout(), Template.single(), new PagePool(1 << 24));
        tree.insert(block, 0, block.size());
        byte[] bytes = ChunkRows.bytes(writer.encode(tree, schema));
        tree.discard();
        return new Sample("stations", block.layout(), bytes);
    }

    @Test
    void theSampleOfStationsHasColumnsThatFollow() throws IOException {
        Sample sample = ofStations(new ChunkWriter());
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("stations", sample.bytes), sample.layout)) {
            assertThat(reader.directory().follows(0, 3)).isTrue();
        }
    }

    /** A forged map of a section gives other rows or the exception. */
    @Test
    void forgedDependenciesGiveRowsOrTheException() throws IOException {
        Sample sample = ofStations(new ChunkWriter());
        int directory = (int) LittleEndian.getLong(sample.bytes, sample.bytes.length - ChunkFormat.FOOTER_BYTES);
        for (long seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            byte[] forged = sample.bytes.clone();
            // The section is the directory's end.
            for (int change = 0; change <= random.nextInt(3); change++) {
                forged[forged.length - ChunkFormat.FOOTER_BYTES - 1 - random.nextInt(250)] = (byte) random.nextInt();
            }
            ForgedChunks.sign(forged, directory);
            readOrRefuse(sample, forged, seed);
        }
    }

    /** Text of few trigrams that is too long for a dictionary: it has a text index. */
    private static Sample ofText(ChunkWriter writer, int rows) {
        Schema schema = new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("s", FieldType.STRING, false, TimestampUnit.NANOSECONDS, Field.Index.TEXT),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        RowLayout layout = RowLayout.of(schema);
        TupleBlock block = new TupleBlock(layout, rows);
        Random random = new Random(7);
        for (int row = 0; row < rows; row++) {
            block.keys()[row] = row;
            StringBuilder text = new StringBuilder();
            text.append("leaf ").append(row / ChunkFormat.LEAF_ROWS).append(' ');
            for (int word = 0; word < 40; word++) {
                text.append(random.nextBoolean() ? "yes " : "no ");
            }
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(block.column(layout.columnOf(1)), row * 8, block.addToArena(bytes, 0, bytes.length));
        }
        block.setSize(rows);
        TemplateTree tree = new TemplateTree(layout, Template.single(), new PagePool(1 << 24));
        tree.insert(block, 0, rows);
        byte[] bytes = ChunkRows.bytes(writer.encode(tree, schema));
        tree.discard();
        return new Sample("text", layout, bytes);
    }

    @Test
    void theSampleOfTextHasATextIndex() throws IOException {
        Sample sample = ofText(new ChunkWriter(), 30);
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("text", sample.bytes), sample.layout)) {
            assertThat(reader.directory().text(1)).isNotNull();
        }
    }

    /** Forged sets of leaves, counts and trigrams give some leaves or the exception. */
    @Test
    void forgedTextIndexesGiveLeavesOrTheException() throws Exception {
        Sample sample = ofText(new ChunkWriter(), 3 * ChunkFormat.LEAF_ROWS);
        byte[] part = "yes".getBytes(StandardCharsets.UTF_8);
        byte[] word = "leaf 2".getBytes(StandardCharsets.UTF_8);
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("small", sample.bytes), sample.layout)) {
            TextIndex index = Objects.requireNonNull(reader.directory().text(1));
            assertThat(index.size()).isGreaterThan(index.inAll());
            assertThat(index.leaves(word)).isEqualTo(BitSet.valueOf(new long[] {1L << 2}));
        }
        ChunkCheck.check(ChunkRows.input("small", sample.bytes));
        int directory = (int) LittleEndian.getLong(sample.bytes, sample.bytes.length - ChunkFormat.FOOTER_BYTES);
        int refused = 0;
        for (long seed = 0; seed < 1500; seed++) {
            Random random = new Random(seed);
            byte[] forged = sample.bytes.clone();
            // The text index is the directory's end.
            int at = forged.length - ChunkFormat.FOOTER_BYTES - 1 - random.nextInt(300);
            forged[at] ^= (byte) (1 << random.nextInt(8));
            ForgedChunks.sign(forged, directory);
            try (ChunkReader reader = ChunkReader.open(ChunkRows.input("small", forged), sample.layout)) {
                TextIndex index = reader.directory().text(1);
                if (index != null) {
                    index.leaves(part);
                    index.leaves(word);
                }
            } catch (CorruptChunkException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }

    /** A set with a leaf too many or too few, and a trigram that is not there, are found by a scrub. */
    @Test
    void aScrubFindsWrongSetsOfTrigrams() throws Exception {
        Sample sample = ofText(new ChunkWriter(), 3 * ChunkFormat.LEAF_ROWS);
        int directory = (int) LittleEndian.getLong(sample.bytes, sample.bytes.length - ChunkFormat.FOOTER_BYTES);
        int found = 0;
        for (int back = 1; back < 100; back++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] forged = sample.bytes.clone();
                forged[forged.length - ChunkFormat.FOOTER_BYTES - back] ^= (byte) (1 << bit);
                ForgedChunks.sign(forged, directory);
                try (ChunkReader reader = ChunkReader.open(ChunkRows.input("small", forged), sample.layout)) {
                    if (reader.directory().text(1) == null) {
                        continue;
                    }
                } catch (CorruptChunkException e) {
                    continue;
                }
                try {
                    ChunkCheck.check(ChunkRows.input("small", forged));
                } catch (CorruptChunkException e) {
                    found++;
                    continue;
                }
                // What the scrub lets pass says the same.
                try (ChunkReader reader = ChunkReader.open(ChunkRows.input("small", forged), sample.layout)) {
                    TextIndex index = Objects.requireNonNull(reader.directory().text(1));
                    for (int leaf = 0; leaf < 3; leaf++) {
                        assertThat(index.leaves(("leaf " + leaf).getBytes(StandardCharsets.UTF_8)))
                                .as("byte %s bit %s", back, bit)
                                .isEqualTo(BitSet.valueOf(new long[] {1L << leaf}));
                    }
                }
            }
        }
        assertThat(found).isPositive();
    }

    @Test
    void aFlippedBitGivesTheRightRowsOrTheException() throws IOException {
        for (Sample sample : samples()) {
            List<PatternRows.Row> right = rows(sample.bytes, sample.layout);
            int refused = 0;
            for (int bit = 0; bit < sample.bytes.length * 8; bit++) {
                byte[] damaged = sample.bytes.clone();
                damaged[bit / 8] ^= (byte) (1 << (bit % 8));
                try {
                    assertThat(rows(damaged, sample.layout))
                            .as("%s bit %s", sample.name, bit)
                            .isEqualTo(right);
                } catch (CorruptChunkException e) {
                    refused++;
                    assertThat(e.file()).isEqualTo("small");
                    assertThat(e.kind()).isEqualTo(WaterwheelException.Kind.CORRUPT);
                }
            }
            // All but the header, which holds nothing that readers use.
            assertThat(refused).as(sample.name).isEqualTo((sample.bytes.length - ChunkFormat.HEADER_BYTES) * 8);
        }
    }

    @Test
    void aCutFileGivesTheException() {
        for (Sample sample : samples()) {
            byte[] bytes = sample.bytes;
            for (int length = 0; length < bytes.length; length++) {
                byte[] cut = Arrays.copyOf(bytes, length);
                assertThatThrownBy(() -> rows(cut, sample.layout))
                        .as("%s length %s", sample.name, length)
                        .isInstanceOf(CorruptChunkException.class);
                byte[] headless = Arrays.copyOfRange(bytes, bytes.length - length, bytes.length);
                assertThatThrownBy(() -> rows(headless, sample.layout))
                        .as("%s last %s", sample.name, length)
                        .isInstanceOf(CorruptChunkException.class);
            }
        }
    }

    /** Whoever makes the checksums right again gets other rows or the exception, but no other error. */
    @Test
    void bytesForgedWithRightChecksumsGiveRowsOrTheException() throws IOException {
        for (Sample sample : samples()) {
            int directory = (int) LittleEndian.getLong(sample.bytes, sample.bytes.length - ChunkFormat.FOOTER_BYTES);
            for (long seed = 0; seed < 1200; seed++) {
                Random random = new Random(seed);
                byte[] forged = sample.bytes.clone();
                int at = directory + random.nextInt(forged.length - ChunkFormat.FOOTER_BYTES - directory);
                forged[at] =
                        random.nextBoolean() ? (byte) random.nextInt() : (byte) (forged[at] ^ (1 << random.nextInt(8)));
                ForgedChunks.sign(forged, directory);
                readOrRefuse(sample, forged, seed);
            }
        }
    }

    private static void readOrRefuse(Sample sample, byte[] forged, long seed) throws IOException {
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("small", forged), sample.layout)) {
            ChunkDirectory directory = reader.directory();
            // A forged number of rows must fit the forged leaves: only so much is read here.
            for (int leaf = 0; leaf < Math.min(3, directory.leaves()); leaf++) {
                directory.mayHoldTime(leaf, 0, 1 << 20);
                for (int f = 0; f < sample.layout.fields().size(); f++) {
                    directory.mayHold(leaf, f, 7);
                }
                reader.readLeaf(leaf);
            }
        } catch (CorruptChunkException e) {
            assertThat(e.file()).as("%s seed %s", sample.name, seed).isEqualTo("small");
        }
        try {
            ChunkDescription.of(ChunkRows.input("small", forged));
        } catch (CorruptChunkException e) {
            assertThat(e.file()).as("%s seed %s", sample.name, seed).isEqualTo("small");
        }
    }

    /** The decoder of parts meets any bytes, as if their checksum were right. */
    @Test
    void partsOfAnyBytesGiveValuesOrTheException() throws IOException {
        for (Sample sample : samples()) {
            try (ChunkReader reader = ChunkReader.open(ChunkRows.input("small", sample.bytes), sample.layout)) {
                ChunkDirectory directory = reader.directory();
                for (int part = directory.makesKeys(0) ? 1 : 0; part < directory.parts(); part++) {
                    int length = directory.length(0, part);
                    if (directory.follows(0, part)) {
                        continue;
                    }
                    for (long seed = 0; seed < 1500; seed++) {
                        Random random = new Random(seed);
                        byte[] forged = Arrays.copyOfRange(
                                sample.bytes,
                                (int) directory.offset(0, part),
                                (int) directory.offset(0, part) + length + 8);
                        for (int change = 0; change <= random.nextInt(3); change++) {
                            forged[Math.min(random.nextInt(length), random.nextInt(length))] = (byte) random.nextInt();
                        }
                        try {
                            try (LeafDecoder decoder = new LeafDecoder("small")) {
                                decoder.decode(directory, 0, part, forged, 0, length, 16);
                            }
                        } catch (CorruptChunkException e) {
                            assertThat(e.offset())
                                    .as("%s seed %s", sample.name, seed)
                                    .isBetween(16L, 16L + length);
                        }
                    }
                }
            }
        }
    }

    /** A compressed part that says it holds two gigabytes takes no memory for them. */
    @Test
    void aHostileLengthTakesNoMemory() throws IOException {
        Sample sample = samples().get(1);
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("small", sample.bytes), sample.layout);
                LeafDecoder decoder = new LeafDecoder("small")) {
            byte[] part = new byte[30 + 8];
            part[0] = (byte) (ChunkFormat.FORM_COMPRESSED | ChunkFormat.FORM_VALUES);
            LittleEndian.putInt(part, 1, Integer.MAX_VALUE - 100);
            assertThatThrownBy(() -> decoder.decode(reader.directory(), 0, 3, part, 0, 30, 16))
                    .isInstanceOf(CorruptChunkException.class)
                    .hasMessageContaining("leaf 0, column 1")
                    .hasMessageContaining("content of at most");
        }
    }

    @Test
    void anotherSchemasFileIsRefused() {
        Sample sample = samples().get(1);
        RowLayout other = RowLayout.of(RandomTuples.taxi());
        assertThatThrownBy(() -> rows(sample.bytes, other))
                .isInstanceOf(CorruptChunkException.class)
                .hasMessageContaining("chunk small is damaged: directory at offset ")
                .hasMessageContaining("fingerprint");
    }

    private static List<PatternRows.Row> rows(byte[] bytes, RowLayout layout) throws IOException {
        try (ChunkReader reader = ChunkReader.open(ChunkRows.input("small", bytes), layout)) {
            return PatternRows.rows(ChunkRows.read(reader));
        }
    }
}
