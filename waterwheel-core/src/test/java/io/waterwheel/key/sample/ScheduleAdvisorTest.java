package io.waterwheel.key.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.QuestionShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Advice beside leaves that are made and looked at one by one. */
final class ScheduleAdvisorTest {
    private static final int FIELDS = 3;

    private static Schema schema(int[] bits, List<String> schedule) {
        List<Field> fields = new ArrayList<>();
        List<Dimension> dimensions = new ArrayList<>();
        for (int f = 0; f < FIELDS; f++) {
            fields.add(new Field("f" + f, FieldType.INT, f == 2));
            dimensions.add(new Dimension("f" + f, bits[f], List.of("0", "1000"), List.of()));
        }
        fields.add(new Field("t", FieldType.TIMESTAMP, false));
        return new Schema(fields, new KeySpec.Dimensions(dimensions, schedule), "t");
    }

    private static long[] keys(Schema schema, int rows, Random random) {
        int bits = schema.key().order(schema.byName()).length;
        // Some cells have more rows than others.
        return random.longs(rows)
                .map(key -> key & random.nextLong() & (1L << bits) - 1)
                .toArray();
    }

    /** The cells of a key by looking at each bit. */
    private static int[] cells(int[] order, long key) {
        int[] cells = new int[FIELDS];
        for (int i = 0; i < order.length; i++) {
            cells[order[i]] = cells[order[i]] << 1 | (int) (key >>> (order.length - 1 - i) & 1);
        }
        return cells;
    }

    @Test
    void sharesAreThoseOfLeavesThatAreMade() {
        for (long seed = 0; seed < 30; seed++) {
            Random random = new Random(seed);
            int[] bits = {1 + random.nextInt(5), 1 + random.nextInt(5), 2 + random.nextInt(5)};
            Schema schema = schema(bits, List.of());
            int[] present = schema.key().order(schema.byName());
            long[] keys = keys(schema, 300 + random.nextInt(1500), random);
            // Of the last dimension null has a cell, and the range one less than the bits number.
            int[] counts = {1 << bits[0], 1 << bits[1], 1 << bits[2]};
            int wanted = 1 + random.nextInt(counts[1]);
            QuestionShape shape = QuestionShape.UNBOUNDED.with(1, wanted, counts[1]);
            LeafShares shares = new LeafShares(
                    KeyDimensions.of(schema), counts, keys, new QuestionShape[] {shape}, new SplittableRandom(seed));
            List<Integer> shuffled =
                    new ArrayList<>(Arrays.stream(present).boxed().toList());
            Collections.shuffle(shuffled, random);
            int[] order = shuffled.stream().mapToInt(Integer::intValue).toArray();
            double estimated = shares.of(order)[0];
            assertThat(estimated)
                    .as("seed %s", seed)
                    .isEqualTo(byHand(present, order, bits, counts, keys, shape, seed));
        }
    }

    private static double byHand(
            int[] present, int[] order, int[] bits, int[] counts, long[] keys, QuestionShape shape, long seed) {
        List<int[]> rows = new ArrayList<>();
        for (long key : keys) {
            rows.add(cells(present, key));
        }
        SplittableRandom random = new SplittableRandom(seed);
        List<int[]> places = new ArrayList<>();
        for (int place = 0; place < 64; place++) {
            int[] row = rows.get(random.nextInt(keys.length));
            int[] bounds = new int[2 * FIELDS];
            for (int d = 0; d < FIELDS; d++) {
                int width = (int) Math.max(1, Math.round(shape.share(d) * counts[d]));
                int first = Math.max(0, Math.min(row[d] - random.nextInt(width), counts[d] - width));
                bounds[2 * d] = first;
                bounds[2 * d + 1] = first + width - 1;
            }
            places.add(bounds);
        }
        List<int[]> sorted = new ArrayList<>(rows);
        sorted.sort((a, b) -> {
            int[] left = bits.clone();
            for (int d : order) {
                left[d]--;
                int difference = (a[d] >>> left[d] & 1) - (b[d] >>> left[d] & 1);
                if (difference != 0) {
                    return difference;
                }
            }
            return 0;
        });
        long read = 0;
        for (int leaf = 0; leaf < 200; leaf++) {
            List<int[]> of =
                    sorted.subList((int) (leaf * (long) keys.length / 200), (int) ((leaf + 1L) * keys.length / 200));
            for (int[] bounds : places) {
                boolean meets = true;
                for (int d = 0; d < FIELDS; d++) {
                    int dimension = d;
                    int least =
                            of.stream().mapToInt(row -> row[dimension]).min().orElseThrow();
                    int greatest =
                            of.stream().mapToInt(row -> row[dimension]).max().orElseThrow();
                    meets &= least <= bounds[2 * d + 1] && greatest >= bounds[2 * d];
                }
                read += meets ? 1 : 0;
            }
        }
        return read / (200.0 * places.size());
    }

    @Test
    void whatIsAskedComesFirst() {
        int[] bits = {6, 6, 6};
        Schema schema = schema(bits, List.of());
        long[] keys =
                new Random(3).longs(20_000).map(key -> key & (1L << 18) - 1).toArray();
        long[] asked = new long[90];
        Arrays.fill(asked, QuestionShape.UNBOUNDED.with(2, 1, 64).code());
        // One that bounds another, now and then.
        asked[7] = QuestionShape.UNBOUNDED.with(0, 8, 64).code();
        ScheduleAdvice advice = ScheduleAdvisor.advise(schema, asked, keys);
        assertThat(advice.present()).startsWith("f0", "f1", "f2", "f0");
        assertThat(advice.proposed()).startsWith("f2", "f2", "f2", "f2").hasSize(18);
        assertThat(advice.proposed()).containsExactlyInAnyOrderElementsOf(advice.present());
        assertThat(advice.questions()).isEqualTo(90);
        assertThat(advice.asked().get(0).times()).isEqualTo(89);
        assertThat(advice.proposedMean()).isLessThan(advice.presentMean() / 3);
        assertThat(advice.asked().get(0).proposedShare()).isLessThan(0.05);
        assertThat(advice.asked().get(1).shape().bounds(0)).isTrue();
        // The proposed one may be given to create, and nothing better is found for it.
        Schema changed = schema(bits, advice.proposed());
        assertThat(changed.key().order(changed.byName())).hasSize(18);
        assertThat(ScheduleAdvisor.advise(changed, asked, keys(changed, 20_000, new Random(3)))
                        .presentMean())
                .isLessThan(advice.presentMean() / 2);
    }

    @Test
    void aProposalIsNeverWorse() {
        for (long seed = 0; seed < 8; seed++) {
            Random random = new Random(seed);
            int[] bits = {1 + random.nextInt(6), 1 + random.nextInt(6), 2 + random.nextInt(6)};
            Schema schema = schema(bits, List.of());
            long[] asked = new long[1 + random.nextInt(20)];
            for (int i = 0; i < asked.length; i++) {
                QuestionShape shape = QuestionShape.UNBOUNDED;
                for (int d = random.nextInt(3); d < 3; d += 1 + random.nextInt(2)) {
                    int cells = 1 << bits[d];
                    shape = shape.with(d, 1 + random.nextInt(cells), cells);
                }
                asked[i] = shape.code();
            }
            ScheduleAdvice advice = ScheduleAdvisor.advise(schema, asked, keys(schema, 3000, random));
            assertThat(advice.proposedMean()).as("seed %s", seed).isLessThanOrEqualTo(advice.presentMean());
            assertThat(advice.proposed()).containsExactlyInAnyOrderElementsOf(advice.present());
        }
    }

    @Test
    void whatCannotBeAdvisedIsSaid() {
        Schema one = new Schema(
                List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        assertThatThrownBy(() -> ScheduleAdvisor.advise(one, new long[1], new long[1]))
                .hasMessage("the key has no dimensions whose bits could be ordered");
        assertThatThrownBy(
                        () -> ScheduleAdvisor.advise(schema(new int[] {3, 3, 3}, List.of()), new long[0], new long[1]))
                .hasMessage("expected questions and keys, got 0 and 1");
    }
}
