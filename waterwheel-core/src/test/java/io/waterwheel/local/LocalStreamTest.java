package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.decode.RandomRows;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalStreamTest {
    private static final Schema PAIRS = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");

    @TempDir
    Path folder;

    /** Random rows of random schemas, flushed, closed and crashed at random: a list of rows is the twin. */
    @Test
    void holdsWhatWasInsertedAndAfterACrashWhatWasFlushed() throws Exception {
        for (long seed = 0; seed < 15; seed++) {
            Random random = new Random(seed);
            Schema schema = RandomRows.schema(random);
            LocalSettings settings = new LocalSettings(1 + random.nextInt(20_000), random.nextInt(2) << 20);
            Path home = folder.resolve("s" + seed);
            List<@Nullable Object[]> rows = new ArrayList<>();
            LocalStream stream = LocalStream.open(home, "s", schema, settings);
            for (int step = 0; step < 30; step++) {
                String replay = "seed " + seed + " step " + step;
                switch (random.nextInt(8)) {
                    case 0 -> stream.flush();
                    case 1 -> {
                        stream.close();
                        stream = LocalStream.open(home, "s", schema, settings);
                    }
                    case 2 -> {
                        long flushed = stream.flushedTuples();
                        Path copy = folder.resolve("s" + seed + "-" + step);
                        copy(home, copy);
                        if (random.nextBoolean()) {
                            tear(copy.resolve("edits.log"), random);
                        }
                        stream.close();
                        home = copy;
                        stream = LocalStream.open(home, "s", schema, settings);
                        assertThat(stream.flushedTuples()).as(replay).isLessThanOrEqualTo(flushed);
                        rows = new ArrayList<>(rows.subList(0, (int) stream.flushedTuples()));
                    }
                    default -> insert(stream, schema, random, rows);
                }
                check(stream, schema, rows, random, replay);
            }
            stream.close();
        }
    }

    private static void insert(LocalStream stream, Schema schema, Random random, List<@Nullable Object[]> rows)
            throws Exception {
        TupleBlock block = new TupleBlock(stream.layout(), 0);
        RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, schema);
        List<@Nullable Object[]> added = new ArrayList<>();
        for (int i = random.nextInt(100); i >= 0; i--) {
            @Nullable Object[] row = RandomRows.row(schema, random);
            if (schema.key() instanceof KeySpec.Position) {
                row[schema.indexOf("lon")] = random.nextDouble() * 360 - 180;
                row[schema.indexOf("lat")] = random.nextDouble() * 180 - 90;
            }
            decoder.decode(
                    ByteBuffer.wrap(RandomRows.csv(schema, row, random).getBytes(StandardCharsets.UTF_8)), block);
            added.add(row);
        }
        assertThat(stream.insert(block)).isEqualTo(added.size());
        rows.addAll(added);
    }

    private static void check(
            LocalStream stream, Schema schema, List<@Nullable Object[]> rows, Random random, String replay)
            throws Exception {
        long from = random.nextLong() >> random.nextInt(30);
        long to = random.nextLong() >> random.nextInt(30);
        TimeInterval times = new TimeInterval(Math.min(from, to), Math.max(from, to));
        int timeField = schema.indexOf(schema.timeField());
        List<String> expected = new ArrayList<>();
        for (@Nullable Object[] row : rows) {
            long millis = schema.fields().get(timeField).type().resolution().toMillis((Long) row[timeField]);
            if (times.from() <= millis && millis <= times.to()) {
                expected.add(text(Arrays.asList(row)));
            }
        }
        List<String> found = new ArrayList<>();
        stream.answer(stream.query().withTimes(times), block -> {
            for (int r = 0; r < block.size(); r++) {
                List<@Nullable Object> row = new ArrayList<>();
                for (int f = 0; f < schema.fields().size(); f++) {
                    row.add(block.value(f, r));
                }
                found.add(text(row));
            }
            return true;
        });
        assertThat(found).as(replay).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(stream.answer(stream.query().withTimes(times).withCount(), block -> true)
                        .tuples())
                .as(replay)
                .isEqualTo(expected.size());
    }

    private static String text(List<@Nullable Object> row) {
        List<String> values = new ArrayList<>();
        row.forEach(value -> values.add(value instanceof byte[] bytes ? Arrays.toString(bytes) : "" + value));
        return values.toString();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            files.forEach(file -> {
                try {
                    Path target = to.resolve(from.relativize(file).toString());
                    if (Files.isDirectory(file)) {
                        Files.createDirectories(target);
                    } else {
                        Files.copy(file, target);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /** Cuts off a part of the last line: an edit that never was committed. */
    private static void tear(Path log, Random random) throws IOException {
        byte[] content = Files.readAllBytes(log);
        int lastLine = content.length - 1;
        while (content[lastLine - 1] != '\n') {
            lastLine--;
        }
        int whole = lastLine + random.nextInt(content.length - lastLine);
        if (random.nextBoolean()) {
            Files.write(log, Arrays.copyOf(content, whole));
        } else {
            // The device had its end already, and a block of it not yet.
            Arrays.fill(content, Math.min(whole, content.length - 2), content.length - 1, (byte) 0);
            Files.write(log, content);
        }
    }

    @Test
    void aFolderIsOpenOnceAndHoldsOneStream() throws Exception {
        try (LocalStream stream = LocalStream.open(folder, "s", PAIRS, LocalSettings.DEFAULT)) {
            assertThat(stream.flushedTuples()).isZero();
            assertThatThrownBy(() -> LocalStream.open(folder, "s", PAIRS, LocalSettings.DEFAULT))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageContaining("is open already");
        }
        assertThatThrownBy(() -> LocalStream.open(folder, "other", PAIRS, LocalSettings.DEFAULT))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("the folder holds StreamInfo[name=s");
    }

    @Test
    void aDamagedLogIsRefused() throws Exception {
        LocalStream.open(folder, "s", PAIRS, LocalSettings.DEFAULT).close();
        Path log = folder.resolve("edits.log");
        byte[] content = Files.readAllBytes(log);
        content[20] ^= 1;
        Files.write(log, content);
        assertThatThrownBy(() -> LocalStream.open(folder, "s", PAIRS, LocalSettings.DEFAULT))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("edits.log line 1 cannot be read: its checksum does not fit");
    }

    @Test
    void aDamagedLastLineIsRefusedAndItsChunkStays() throws Exception {
        try (LocalStream stream = LocalStream.open(folder, "s", PAIRS, LocalSettings.DEFAULT)) {
            TupleBlock block = new TupleBlock(stream.layout(), 1);
            block.setSize(1);
            stream.insert(block);
            stream.flush();
        }
        Path log = folder.resolve("edits.log");
        byte[] content = Files.readAllBytes(log);
        byte[] damaged = content.clone();
        damaged[content.length - 5] ^= 1;
        Files.write(log, damaged);
        assertThatThrownBy(() -> LocalStream.open(folder, "s", PAIRS, LocalSettings.DEFAULT))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("its checksum does not fit; restore the file");
        Files.write(log, content);
        try (LocalStream stream = LocalStream.open(folder, "s", PAIRS, LocalSettings.DEFAULT)) {
            assertThat(stream.answer(stream.query(), rows -> true).tuples()).isEqualTo(1);
        }
    }

    @Test
    void aFailedFlushLosesNothingAndMayBeTriedAgain() throws Exception {
        try (LocalStream stream = LocalStream.open(folder, "s", PAIRS, new LocalSettings(64, 0))) {
            Path chunks = folder.resolve("chunks");
            deleteAll(chunks);
            Files.writeString(chunks, "in the way");
            TupleBlock block = new TupleBlock(stream.layout(), 10);
            for (int i = 0; i < 10; i++) {
                block.keys()[i] = i;
                block.times()[i] = i;
            }
            block.setSize(10);
            assertThatThrownBy(() -> stream.insert(block)).isInstanceOf(IOException.class);
            assertThat(count(stream)).isEqualTo(10);
            assertThat(stream.flushedTuples()).isZero();
            Files.delete(chunks);
            stream.flush();
            assertThat(count(stream)).isEqualTo(10);
            assertThat(stream.flushedTuples()).isEqualTo(10);
        }
    }

    private static long count(LocalStream stream) throws InterruptedException {
        return stream.answer(stream.query().withCount(), rows -> true).tuples();
    }

    private static void deleteAll(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(folder)) {
            files = new ArrayList<>(walk.toList());
        }
        java.util.Collections.reverse(files);
        for (Path file : files) {
            Files.delete(file);
        }
    }
}
