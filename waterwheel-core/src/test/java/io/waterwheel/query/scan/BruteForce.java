package io.waterwheel.query.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.index.RandomTuples;
import io.waterwheel.query.Query;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Answers scans row by row from plain blocks, and compares. */
public final class BruteForce {
    /** A scan of something. */
    public interface Scan {
        long run(ScanSpec spec, RowSink sink) throws IOException;
    }

    private final List<TupleBlock> blocks = new ArrayList<>();

    private io.waterwheel.schema.RowLayout layout() {
        return blocks.get(0).layout();
    }

    public void add(TupleBlock block) {
        blocks.add(block);
    }

    List<String> answer(ScanSpec spec) {
        List<String> rows = new ArrayList<>();
        for (TupleBlock block : blocks) {
            for (int row = 0; row < block.size(); row++) {
                if (matches(block, row, spec)) {
                    rows.add(text(block, row, fields(layout(), spec)));
                }
            }
        }
        Collections.sort(rows);
        return rows;
    }

    /** Indexes of the fields of the answer. */
    public static int[] fields(io.waterwheel.schema.RowLayout stored, ScanSpec spec) {
        return spec.gather().fields().stream()
                .mapToInt(stored.fields()::indexOf)
                .toArray();
    }

    private static boolean matches(TupleBlock block, int row, ScanSpec spec) {
        long key = block.keys()[row];
        ScanSpec.AreaTest box = spec.area();
        return spec.keys().stream().anyMatch(i -> i.contains(key))
                && spec.times().contains(block.times()[row])
                && (box == null
                        || box.area().contains((Double) block.value(box.longitudeField(), row), (Double)
                                block.value(box.latitudeField(), row)));
    }

    private static String text(TupleBlock block, int row, int[] fields) {
        StringBuilder text = new StringBuilder();
        for (int field : fields) {
            text.append('|').append(RandomTuples.text(block.value(field, row)));
        }
        return text.toString();
    }

    /** Rows that the scan delivers, sorted; checks that blocks are neither empty nor too large. */
    static List<String> collect(Scan scan, ScanSpec spec) throws IOException {
        List<String> rows = new ArrayList<>();
        long matching = scan.run(spec, block -> {
            assertThat(block.size()).isBetween(1, 2048);
            assertThat(block.bytes()).isLessThan(2 * 64 * 1024 + TupleBlock.MAX_VALUE_BYTES * 12L);
            rows.addAll(RandomTuples.texts(block, 0, block.size()));
            return true;
        });
        assertThat(matching).isEqualTo(rows.size());
        Collections.sort(rows);
        return rows;
    }

    /** Compares the scan with the rows: all matching, their number, a limit, a sink that has enough. */
    public void check(String about, Scan scan, ScanSpec spec, Random random) throws IOException {
        List<String> expected = answer(spec);
        assertThat(collect(scan, spec)).as(about).isEqualTo(expected);
        ScanSpec counting = spec.counting();
        assertThat(scan.run(counting, rows -> {
                    throw new AssertionError("rows while counting");
                }))
                .as(about)
                .isEqualTo(expected.size());
        long limit = random.nextInt(expected.size() * 2 + 2);
        ScanSpec limited =
                ScanSpec.rows(layout(), spec.keys(), spec.times(), spec.area(), fields(layout(), spec), limit);
        List<String> some = collect(scan, limited);
        assertThat(some).as(about).hasSize((int) Math.min(limit, expected.size()));
        assertThat(isSubset(some, expected)).as(about).isTrue();
        int[] calls = {0};
        scan.run(spec, rows -> {
            calls[0]++;
            return false;
        });
        assertThat(calls[0]).as(about).isEqualTo(expected.isEmpty() ? 0 : 1);
    }

    private static boolean isSubset(List<String> some, List<String> all) {
        int at = 0;
        for (String row : some) {
            while (at < all.size() && all.get(at).compareTo(row) < 0) {
                at++;
            }
            if (at == all.size() || !all.get(at++).equals(row)) {
                return false;
            }
        }
        return true;
    }

    /** A random question about what the blocks hold. */
    public ScanSpec spec(Random random, ScanSpec.AreaTest box, int fieldCount) {
        List<Long> keys = new ArrayList<>();
        int bounds = 2 * (1 + random.nextInt(random.nextBoolean() ? 2 : 20));
        for (int i = 0; i < bounds; i++) {
            TupleBlock block = blocks.get(random.nextInt(blocks.size()));
            keys.add(random.nextInt(10) == 0 ? random.nextLong() : block.keys()[random.nextInt(block.size())]);
        }
        Collections.sort(keys);
        List<KeyInterval> intervals = new ArrayList<>();
        for (int i = 0; i < keys.size(); i += 2) {
            if (intervals.isEmpty() || intervals.get(intervals.size() - 1).high() < keys.get(i)) {
                intervals.add(new KeyInterval(keys.get(i), keys.get(i + 1)));
            }
        }
        if (random.nextInt(4) == 0) {
            intervals = List.of(KeyInterval.ALL);
        }
        TupleBlock block = blocks.get(random.nextInt(blocks.size()));
        long from = block.times()[random.nextInt(block.size())];
        TimeInterval times = random.nextInt(3) == 0
                ? TimeInterval.ALL
                : new TimeInterval(from, from + random.nextInt(1 + random.nextInt(5000)));
        int[] fields =
                random.ints(random.nextInt(fieldCount + 1), 0, fieldCount).toArray();
        return ScanSpec.rows(layout(), intervals, times, box, fields, Query.NO_LIMIT);
    }
}
