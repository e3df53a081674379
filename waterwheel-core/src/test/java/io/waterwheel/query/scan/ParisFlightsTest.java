package io.waterwheel.query.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waterwheel.Rounds;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.geo.Box;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.key.Area;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.key.ZOrder;
import io.waterwheel.query.Query;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three hours of aircraft around Paris, in trees and in chunks, against a scan of all rows. */
final class ParisFlightsTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("time_ms", FieldType.TIMESTAMP, false),
                    new Field("icao24", FieldType.STRING, false),
                    new Field("callsign", FieldType.STRING, true),
                    new Field("longitude", FieldType.DOUBLE, false),
                    new Field("latitude", FieldType.DOUBLE, false),
                    new Field("altitude_ft", FieldType.DOUBLE, true),
                    new Field("groundspeed_kt", FieldType.DOUBLE, true),
                    new Field("track_deg", FieldType.DOUBLE, true),
                    new Field("vertical_rate_fpm", FieldType.DOUBLE, true)),
            new KeySpec.Position("longitude", "latitude", Box.WORLD),
            "time_ms");
    private static final RowLayout LAYOUT = RowLayout.of(SCHEMA);

    @TempDir
    Path folder;

    @Test
    void treesAndChunksAnswerAsBruteForceDoes() throws IOException {
        Path file = Path.of(System.getProperty("waterwheel.shared", "../shared"), "data/flights/paris-2021-10.csv.gz");
        if (!Files.exists(file)) {
            System.err.println("SKIPPED: ParisFlightsTest needs " + file.toAbsolutePath()
                    + "; set -Dwaterwheel.shared to the folder that holds data/");
        }
        assumeTrue(Files.exists(file), "no flights file");
        List<TupleBlock> blocks = read(file);
        PagePool pool = new PagePool(128 << 20);
        BruteForce rows = new BruteForce();
        TemplateTree first = new TemplateTree(LAYOUT, Template.single(), pool);
        for (TupleBlock block : blocks.subList(0, blocks.size() / 2)) {
            first.insert(block, 0, block.size());
            rows.add(block);
        }
        EncodedChunk chunk = new ChunkWriter().encode(first);
        LocalChunkStore store = new LocalChunkStore(folder);
        store.write("paris.chunk", chunk.content());
        TemplateTree second = new TemplateTree(LAYOUT, chunk.nextTemplate(), pool);
        for (TupleBlock block : blocks.subList(blocks.size() / 2, blocks.size())) {
            second.insert(block, 0, block.size());
            rows.add(block);
        }
        ChunkScan chunks = new ChunkScan(store, new ChunkCache(64 << 20));
        BruteForce.Scan both = (spec, sink) -> {
            boolean[] more = {true};
            RowSink remembering = block -> more[0] = sink.accept(block);
            long found = TreeScan.scan(second, spec, remembering);
            long limit = spec.gather().limit();
            ScanSpec rest = limit == Query.NO_LIMIT
                    ? spec
                    : ScanSpec.rows(
                            LAYOUT,
                            spec.keys(),
                            spec.times(),
                            spec.area(),
                            BruteForce.fields(LAYOUT, spec),
                            Math.max(0, limit - found));
            return more[0] ? found + chunks.scan("paris.chunk", LAYOUT, rest, remembering) : found;
        };
        long seed = 1;
        Random random = new Random(seed);
        long from = blocks.get(0).times()[0];
        for (int q = 0; q < Rounds.of("queries", 6, 60); q++) {
            double lon = 1 + random.nextDouble() * 3;
            double lat = 48 + random.nextDouble() * 1.5;
            Box box = new Box(lon, lat, lon + random.nextDouble(), lat + random.nextDouble());
            long start = from + random.nextInt(3 * 3600_000);
            ScanSpec spec = ScanSpec.rows(
                    LAYOUT,
                    Area.of(box).intervals(new ZOrder(Box.WORLD), 64),
                    q % 3 == 0 ? TimeInterval.ALL : new TimeInterval(start, start + random.nextInt(1800_000)),
                    new ScanSpec.AreaTest(Area.of(box), 3, 4),
                    new int[] {1, 2, 0, 5, 8},
                    Query.NO_LIMIT);
            rows.check("seed " + seed + " query " + q + " cold", both, spec, random);
            rows.check("seed " + seed + " query " + q + " warm", both, spec, random);
        }
        assertThat(TreeScan.scan(second, ScanSpec.all(LAYOUT), block -> true)
                        + chunks.scan("paris.chunk", LAYOUT, ScanSpec.all(LAYOUT), block -> true))
                .isEqualTo(284_505);
    }

    private static List<TupleBlock> read(Path file) throws IOException {
        List<TupleBlock> blocks = new ArrayList<>();
        KeyMaker keys = KeyMaker.of(LAYOUT, SCHEMA);
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            reader.readLine();
            for (String line = reader.readLine(); line != null; ) {
                TupleBlock block = new TupleBlock(LAYOUT, 1000);
                for (; line != null && block.size() < 1000; line = reader.readLine()) {
                    add(block, line.split(",", -1));
                }
                keys.fill(block, 0, (index, reason) -> {
                    throw new AssertionError(reason);
                });
                blocks.add(block);
            }
        }
        return blocks;
    }

    private static void add(TupleBlock block, String[] values) {
        int row = block.size();
        long nulls = 0;
        block.times()[row] = Long.parseLong(values[0]);
        for (int f = 1; f < values.length; f++) {
            byte[] column = block.column(LAYOUT.columnOf(f));
            if (values[f].isEmpty()) {
                nulls |= 1L << LAYOUT.nullBit(f);
                LittleEndian.putLong(column, row * 8, 0);
            } else if (SCHEMA.fields().get(f).type() == FieldType.STRING) {
                byte[] text = values[f].getBytes(StandardCharsets.UTF_8);
                LittleEndian.putLong(column, row * 8, block.addToArena(text, 0, text.length));
            } else {
                LittleEndian.putLong(column, row * 8, Double.doubleToRawLongBits(Double.parseDouble(values[f])));
            }
        }
        block.setNullMask(row, nulls);
        block.setSize(row + 1);
    }
}
