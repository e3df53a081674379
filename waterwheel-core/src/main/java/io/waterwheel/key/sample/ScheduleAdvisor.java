package io.waterwheel.key.sample;

import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.QuestionShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Proposes the order in which the bits of a key's dimensions should follow each other, from the shapes of the questions
 * that were asked and a sample of the keys there are. Pure functions; the same input gives the same advice.
 */
/*
 * Greedy: each bit from the highest on is of the dimension whose next bit lets the questions read the fewest leaves,
 * while all bits behind it are taken in turn. After some bits a chunk's leaves are told apart, and the rest only decides
 * within them. The best of the present schedule, one in turn and the greedy one is proposed: never a worse one.
 */
public final class ScheduleAdvisor {
    /** Keys of a sample that is larger are passed over. */
    public static final int KEYS = 1 << 15;

    /** Of a chunk of the usual 16 MiB: that many an estimate has. */
    public static final int LEAVES = 200;

    /** Bits that tell them apart. */
    public static final int LEAF_BITS = 8;

    /** Bits that are chosen one by one: they tell apart more leaves than a chunk has. */
    private static final int CHOSEN = 12;

    /** Another schedule is worth a proposal when it reads at most this part of what the present one does. */
    private static final double WORTH = 0.98;

    private ScheduleAdvisor() {}

    /**
     * Advice on a stream's key.
     *
     * @param codes of the questions' shapes, see {@link QuestionShape}; at least one
     * @param keys of rows of the stream; at least one
     * @throws IllegalArgumentException when the key has no dimensions, or there are no questions or keys
     */
    public static ScheduleAdvice advise(Schema schema, long[] codes, long[] keys) {
        KeySpec.Dimensions all = schema.key().dimensional();
        KeySpec.Dimensions key = all == null ? null : all.newest();
        if (key == null) {
            throw new IllegalArgumentException("the key has no dimensions whose bits could be ordered");
        }
        if (codes.length == 0 || keys.length == 0) {
            throw new IllegalArgumentException(
                    "expected questions and keys, got " + codes.length + " and " + keys.length);
        }
        Map<Long, Integer> times = new LinkedHashMap<>();
        for (long code : codes) {
            times.merge(code, 1, Integer::sum);
        }
        QuestionShape[] shapes = times.keySet().stream().map(QuestionShape::new).toArray(QuestionShape[]::new);
        int[] weights = times.values().stream().mapToInt(Integer::intValue).toArray();
        long[] sample = keys.length <= KEYS ? keys : Arrays.copyOf(keys, KEYS);
        LeafShares shares = new LeafShares(
                KeyDimensions.of(schema), CellUse.cells(schema, key), sample, shapes, new SplittableRandom(1));
        int[] bits = key.bits(schema.byName());
        int[] present = key.order(schema.byName());
        int[] best = present;
        double least = mean(shares.of(present), weights) * WORTH;
        for (int[] other : List.of(Dimension.inTurn(bits), greedy(shares, bits, weights))) {
            double mean = mean(shares.of(other), weights);
            if (mean < least) {
                least = mean;
                best = other;
            }
        }
        double[] before = shares.of(present);
        double[] after = shares.of(best);
        List<ScheduleAdvice.Asked> asked = new ArrayList<>();
        for (int i = 0; i < shapes.length; i++) {
            asked.add(new ScheduleAdvice.Asked(shapes[i], weights[i], before[i], after[i]));
        }
        asked.sort(Comparator.comparingInt(ScheduleAdvice.Asked::times).reversed());
        return new ScheduleAdvice(names(key, present), names(key, best), asked, sample.length);
    }

    private static int[] greedy(LeafShares shares, int[] bits, int[] weights) {
        int total = Arrays.stream(bits).sum();
        int[] chosen = new int[0];
        int[] left = bits.clone();
        while (chosen.length < Math.min(CHOSEN, total)) {
            int next = -1;
            double least = Double.MAX_VALUE;
            for (int d = 0; d < bits.length; d++) {
                if (left[d] > 0) {
                    double mean = mean(shares.of(continued(chosen, d, left)), weights);
                    if (mean < least) {
                        least = mean;
                        next = d;
                    }
                }
            }
            chosen = Arrays.copyOf(chosen, chosen.length + 1);
            chosen[chosen.length - 1] = next;
            left[next]--;
        }
        return continued(chosen, -1, left);
    }

    /** A bit more, and the others in turn. */
    private static int[] continued(int[] chosen, int next, int[] left) {
        int[] rest = left.clone();
        int[] first = chosen;
        if (next >= 0) {
            rest[next]--;
            first = Arrays.copyOf(chosen, chosen.length + 1);
            first[chosen.length] = next;
        }
        int[] turns = Dimension.inTurn(rest);
        int[] all = Arrays.copyOf(first, first.length + turns.length);
        System.arraycopy(turns, 0, all, first.length, turns.length);
        return all;
    }

    private static double mean(double[] shares, int[] weights) {
        double sum = 0;
        for (int i = 0; i < shares.length; i++) {
            sum += shares[i] * weights[i];
        }
        return sum / Arrays.stream(weights).sum();
    }

    private static List<String> names(KeySpec.Dimensions key, int[] order) {
        return Arrays.stream(order)
                .mapToObj(d -> key.dimensions().get(d).field())
                .toList();
    }
}
