package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.query.KeyTime;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The row of each pair of a key and a time is that of looking at all rows; {@code -Dseed=N} repeats one. */
final class LookupTest {
    private static final int SEEDS = Rounds.of(6, 200);

    @TempDir
    Path folder;

    private Random random = new Random(0);
    private boolean text;
    private FieldType timeType = FieldType.TIMESTAMP;
    private long unitsAMilli = 1;
    private int keys = 1;
    private final List<Row> rows = new ArrayList<>();

    /** @param time in the units of its field */
    private record Row(String key, long time, @Nullable Integer number) {}

    @Test
    void eachPairHasItsRow() throws Exception {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SEEDS; seed++) {
            random = new Random(seed);
            text = random.nextBoolean();
            boolean nanos = random.nextBoolean();
            timeType = nanos ? FieldType.TIMESTAMP_NS : FieldType.TIMESTAMP;
            unitsAMilli = nanos ? 1_000_000 : 1;
            keys = 1 + random.nextInt(random.nextBoolean() ? 4 : 300);
            rows.clear();
            Schema schema = new Schema(
                    List.of(
                            new Field("v", FieldType.INT, true),
                            new Field("k", text ? FieldType.STRING : FieldType.LONG, false),
                            new Field("t", timeType, false)),
                    new KeySpec.Ordered("k"),
                    "t");
            Path at = folder.resolve("s" + seed);
            LocalStream stream = LocalStream.open(at, "s", schema, LocalSettings.DEFAULT);
            try {
                for (int round = 0; round < 8; round++) {
                    insert(stream, round);
                    if (random.nextInt(3) > 0) {
                        stream.flush();
                    }
                    if (round % 4 == 2) {
                        // Cold: nothing of it is in memory.
                        stream.flush();
                        stream.close();
                        stream = LocalStream.open(at, "s", schema, LocalSettings.DEFAULT);
                    }
                    for (int q = 0; q < 6; q++) {
                        check(stream, "seed " + seed + " round " + round + " query " + q);
                    }
                }
            } finally {
                stream.close();
            }
        }
    }

    private String key(int number) {
        return text ? "shared-beginning-" + number : Integer.toString(number);
    }

    private long time(int round) {
        // Chunks follow one another in time, but for a few stragglers.
        long millis = 1000L * (random.nextInt(20) == 0 ? 0 : round) + random.nextInt(random.nextBoolean() ? 3 : 1500);
        return millis * unitsAMilli + random.nextInt(unitsAMilli > 1 ? 2 : 1);
    }

    private void insert(LocalStream stream, int round) throws Exception {
        int count = 1 + random.nextInt(random.nextInt(5) == 0 ? 3000 : 100);
        TupleBlock block = new TupleBlock(stream.layout(), count);
        for (int i = 0; i < count; i++) {
            int key = random.nextInt(keys);
            Row row = new Row(key(key), time(round), random.nextInt(4) == 0 ? null : random.nextInt(5));
            block.times()[i] = Math.floorDiv(row.time(), unitsAMilli);
            block.keys()[i] = key;
            int number = stream.layout().columnOf(0);
            int texts = stream.layout().columnOf(1);
            int times = stream.layout().columnOf(2);
            if (stream.layout().nullMaskColumn() >= 0) {
                block.setNullMask(i, row.number() == null ? 1 : 0);
            }
            LittleEndian.putInt(block.column(number), i * 4, row.number() == null ? 0 : row.number());
            if (texts >= 0) {
                byte[] bytes = row.key().getBytes(StandardCharsets.UTF_8);
                LittleEndian.putLong(block.column(texts), i * 8, block.addToArena(bytes, 0, bytes.length));
            }
            if (times >= 0) {
                LittleEndian.putLong(block.column(times), i * 8, row.time());
            }
            rows.add(row);
        }
        block.setSize(count);
        stream.insert(block);
    }

    private Instant instant(long units) {
        return timeType.resolution().instant(units);
    }

    /** @param there whether there is a row, so that older chunks may be left */
    private KeyTime pair(boolean there) {
        Row some = rows.get(random.nextInt(rows.size()));
        return switch (there ? 7 : random.nextInt(8)) {
            case 0 -> new KeyTime(key(keys + 5), instant(some.time()));
            case 1 -> new KeyTime(some.key(), random.nextBoolean() ? Instant.MIN : Instant.MAX);
            case 2 -> new KeyTime(some.key(), instant(some.time()).plusNanos(1));
            case 3 -> new KeyTime(some.key(), instant(-1));
            case 4 -> new KeyTime(key(random.nextInt(keys)), instant(time(random.nextInt(9))));
            default -> new KeyTime(some.key(), instant(some.time()));
        };
    }

    private void check(LocalStream stream, String about) throws Exception {
        List<KeyTime> pairs = new ArrayList<>();
        boolean there = random.nextBoolean();
        for (int p = random.nextInt(random.nextInt(5) == 0 ? 400 : 20); p >= 0; p--) {
            pairs.add(pair(there));
        }
        boolean asOf = random.nextBoolean();
        List<String> select =
                List.of(List.<String>of(), List.of("v"), List.of("v", "t", "k")).get(random.nextInt(3));
        Query query = stream.query().withResult(new ResultSpec.Lookup(pairs, asOf, select));
        List<Row> matching = new ArrayList<>(rows);
        if (random.nextInt(4) == 0) {
            long from = random.nextInt(8000);
            long to = random.nextBoolean() ? Long.MAX_VALUE : from + random.nextInt(4000);
            query = query.withTimes(new TimeInterval(from, to));
            matching.removeIf(row ->
                    Math.floorDiv(row.time(), unitsAMilli) < from || Math.floorDiv(row.time(), unitsAMilli) > to);
        }
        if (random.nextInt(4) == 0) {
            query = query.withWhere("v < 3");
            matching.removeIf(row -> row.number() == null || row.number() >= 3);
        }
        Comparator<Row> order = Comparator.comparingLong(Row::time)
                .reversed()
                .thenComparing(row -> row.number() == null ? -1 : row.number());
        List<String> expected = new ArrayList<>();
        for (int p = 0; p < pairs.size(); p++) {
            KeyTime pair = pairs.get(p);
            Row found = matching.stream()
                    .filter(row -> row.key().equals(pair.key()))
                    .filter(row -> asOf
                            ? !instant(row.time()).isAfter(pair.time())
                            : instant(row.time()).equals(pair.time()))
                    .min(order)
                    .orElse(null);
            List<String> shown = new ArrayList<>(List.of(p + 1 + "", (found != null) + ""));
            for (String name : select.isEmpty() ? List.of("v", "k", "t") : select) {
                shown.add(
                        found == null
                                ? "null"
                                : name.equals("v")
                                        ? found.number() + ""
                                        : name.equals("k") ? found.key() : found.time() + "");
            }
            expected.add(String.join(" ", shown));
        }
        for (int again = 0; again < 2; again++) {
            List<String> answer = new ArrayList<>();
            Verdict verdict = stream.answer(query, block -> {
                for (int row = 0; row < block.size(); row++) {
                    List<String> shown = new ArrayList<>();
                    for (int f = 0; f < block.layout().fields().size(); f++) {
                        shown.add(String.valueOf(block.value(f, row)));
                    }
                    answer.add(String.join(" ", shown));
                }
                return true;
            });
            assertThat(answer)
                    .as(about + ": as of " + asOf + " " + pairs.size())
                    .isEqualTo(expected);
            assertThat(verdict.tuples()).as(about).isEqualTo(pairs.size());
        }
    }

    /** The newest chunk has a row of the key: no older one is read. One that no chunk has is looked for in all. */
    @Test
    void chunksAreReadUntilNoOlderOneCanHaveARow() throws Exception {
        Schema schema = new Schema(
                List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        try (LocalStream stream = LocalStream.open(folder, "s", schema, LocalSettings.DEFAULT)) {
            for (int chunk = 0; chunk < 6; chunk++) {
                TupleBlock block = new TupleBlock(stream.layout(), 10);
                for (int row = 0; row < 10; row++) {
                    block.keys()[row] = 2L * row;
                    block.times()[row] = 1000L * chunk + row;
                }
                block.setSize(10);
                stream.insert(block);
                stream.flush();
            }
            for (int key = 4; key <= 5; key++) {
                List<KeyTime> pairs = List.of(new KeyTime(Integer.toString(key), Instant.ofEpochSecond(60)));
                Query query = stream.query().withResult(new ResultSpec.Lookup(pairs, true, List.of()));
                assertThat(stream.answer(query, block -> true).effort().chunksRead())
                        .isEqualTo(key == 4 ? 1 : 6);
            }
        }
    }

    @Test
    void whatCannotBeAskedIsAClearError() {
        KeyTime pair = new KeyTime("1", Instant.EPOCH);
        assertThatThrownBy(() -> new ResultSpec.Lookup(List.of(), true, List.of()))
                .hasMessage("query: at: expected 1 to 10000 pairs of a key and a time, got 0");
        assertThatThrownBy(() -> new ResultSpec.Lookup(Collections.nCopies(10_001, pair), true, List.of()))
                .hasMessageContaining("got 10001");
        assertThatThrownBy(() -> new ResultSpec.Lookup(List.of(pair), true, List.of("found")))
                .hasMessageContaining("the answer has fields 'pair' and 'found' of its own");
    }
}
