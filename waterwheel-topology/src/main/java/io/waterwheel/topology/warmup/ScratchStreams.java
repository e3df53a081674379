package io.waterwheel.topology.warmup;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.local.LocalSettings;
import io.waterwheel.local.LocalStream;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Two small streams in a temporary folder, one with a number as its key and one with a position, each half in a chunk
 * and half in memory; and questions of every kind about them. No catalog and no topic knows of them. Closing removes
 * the folder. Queries by any thread.
 */
final class ScratchStreams implements AutoCloseable {
    /** Rows in the chunk, and as many in memory. */
    private static final int ROWS = 3_000;

    private static final int KEYS = 100;
    private static final int NOTE = 5;
    private static final long FIRST_MILLIS = 1_700_000_000_000L;
    private static final LocalSettings SIZES = new LocalSettings(4 << 20, 4 << 20);

    /** How the temporary folder's name begins. */
    private static final String PREFIX = "waterwheel-warm-up";

    private static final String BY_NUMBER = "by-number";
    private static final String BY_PLACE = "by-place";
    /** With the name of the stream, and what its key is. */
    static final String FIELDS = """
            name: %s
            topic: scratch
            format: block
            fields:
              - {name: id, type: long}
              - {name: x, type: double}
              - {name: y, type: double}
              - {name: n, type: int}
              - {name: flag, type: boolean}
              - {name: note, type: string, nullable: true}
              - {name: at, type: timestamp}
            key: %s
            time: at
            """;

    private final Path folder;
    private final LocalStream byNumber;
    private final LocalStream byPlace;

    private ScratchStreams(Path folder, LocalStream byNumber, LocalStream byPlace) {
        this.folder = folder;
        this.byNumber = byNumber;
        this.byPlace = byPlace;
    }

    /** @throws IOException when there is no room for a temporary folder, or it cannot be written */
    static ScratchStreams make(Path parent) throws IOException {
        Path folder = Files.createTempDirectory(parent, PREFIX);
        try {
            LocalStream number = open(folder, BY_NUMBER, "{field: id}");
            try {
                LocalStream place = open(folder, BY_PLACE, "{longitude: x, latitude: y, box: [0, 0, 1, 1]}");
                return new ScratchStreams(folder, number, place);
            } catch (IOException | RuntimeException e) {
                number.close();
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            remove(folder);
            throw e;
        }
    }

    private static LocalStream open(Path folder, String name, String key) throws IOException {
        StreamDefinition stream = SchemaFile.read(name, FIELDS.formatted(name, key));
        LocalStream opened = LocalStream.open(folder.resolve(name), name, stream.schema(), SIZES);
        try {
            SplittableRandom random = new SplittableRandom(1);
            opened.insert(rows(opened, random, 0));
            opened.flush();
            opened.insert(rows(opened, random, ROWS));
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private static TupleBlock rows(LocalStream stream, SplittableRandom random, int first) {
        TupleBlock block = new TupleBlock(stream.layout(), ROWS);
        int[] columns = new int[stream.layout().fields().size()];
        for (int f = 0; f < columns.length; f++) {
            columns[f] = stream.layout().columnOf(f);
        }
        for (int row = 0; row < ROWS; row++) {
            long id = random.nextInt(KEYS);
            if (columns[0] >= 0) {
                LittleEndian.putLong(block.column(columns[0]), row * 8, id);
            } else {
                block.keys()[row] = id;
            }
            LittleEndian.putLong(block.column(columns[1]), row * 8, Double.doubleToRawLongBits(random.nextDouble()));
            LittleEndian.putLong(block.column(columns[2]), row * 8, Double.doubleToRawLongBits(random.nextDouble()));
            LittleEndian.putInt(block.column(columns[3]), row * 4, random.nextInt(KEYS));
            block.column(columns[4])[row] = (byte) (row & 1);
            byte[] note = ("note " + random.nextInt(KEYS)).getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(block.column(columns[NOTE]), row * 8, block.addToArena(note, 0, note.length));
            if (row % 50 == 0) {
                block.setNullMask(row, 1L << stream.layout().nullBit(NOTE));
            }
            block.times()[row] = FIRST_MILLIS + first + row;
        }
        block.setSize(ROWS);
        return block;
    }

    /** A question of every kind; what they find is rows in chunks and rows in memory. */
    static List<Query> questions() {
        Query number = Query.of(BY_NUMBER);
        Query place = Query.of(BY_PLACE);
        TimeInterval some = new TimeInterval(FIRST_MILLIS + ROWS / 2, FIRST_MILLIS + 3 * ROWS / 2);
        Box box = new Box(0.2, 0.2, 0.6, 0.6);
        return List.of(
                number.withLimit(10),
                number.withKeyRanges(List.of(new KeyRange("7", "7"))),
                number.withKeyRanges(List.of(new KeyRange("10", "30"))).withTimes(some),
                number.withKeyRanges(List.of(new KeyRange("7", "7")))
                        .withOrderBy(List.of(new Order("at", true)))
                        .withLimit(10),
                number.withCount(),
                number.withTimes(some).withCount(),
                number.withWhere("x > 0.5 AND note LIKE '%7' OR flag").withCount(),
                number.withWhere("n BETWEEN 10 AND 20 AND note IS NOT NULL").withLimit(100),
                number.withSelect(List.of("id", "at"))
                        .withOrderBy(List.of(new Order("x", true)))
                        .withLimit(10),
                number.withLatest(1),
                number.withKeyRanges(List.of(new KeyRange("7", "7"))).withLatest(10),
                number.withAggregates(List.of(
                        Aggregate.count(),
                        Aggregate.parse("sum(x)"),
                        Aggregate.parse("avg(n)"),
                        Aggregate.parse("max(at)"))),
                number.withResult(new ResultSpec.Aggregates(
                        List.of(Aggregate.count(), Aggregate.parse("avg(x)")), NamedExpression.fields("note"), null)),
                number.withResult(new ResultSpec.Aggregates(
                        List.of(Aggregate.count(), Aggregate.parse("max(y)")),
                        NamedExpression.fields("n"),
                        Duration.ofSeconds(1))),
                place.withShape(box).withCount(),
                place.withShape(box).withTimes(some).withLimit(100),
                place.withShape(new Circle(0.5, 0.5, 10_000)).withCount(),
                place.withShape(box)
                        .withAggregates(
                                List.of(Aggregate.count(), Aggregate.parse("avg(x)"), Aggregate.parse("min(at)"))),
                place.withWhere("n = 7")
                        .withOrderBy(List.of(new Order("at", true)))
                        .withLimit(10));
    }

    /** Answers a question about one of the streams. */
    void query(Query query, AnswerSink sink) throws InterruptedException {
        switch (query.stream()) {
            case BY_NUMBER -> byNumber.answer(query, sink);
            case BY_PLACE -> byPlace.answer(query, sink);
            default ->
                sink.fail(new WaterwheelException(
                        ErrorCode.NO_SUCH_STREAM, "there is no stream '" + query.stream() + "' to warm up with"));
        }
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (UncheckedIOException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        try (byNumber;
                byPlace) {
            // The streams first.
        } finally {
            remove(folder);
        }
    }
}
