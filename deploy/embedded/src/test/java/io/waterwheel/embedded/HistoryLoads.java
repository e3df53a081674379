package io.waterwheel.embedded;

import io.waterwheel.client.admin.KeyRanges;
import java.util.ArrayList;
import java.util.List;

/**
 * How even the load is, by the keys that were really produced: of each flip, when the fullest indexer came to at most
 * 1.2 times the mean.
 */
final class HistoryLoads {
    private static final double EVEN = 1.2;
    private static final int RECENT = 20_000;

    private final List<HistoryProducer> producers;
    /** Of each flip: seconds until it was even, or -1. */
    private final List<Double> even = new ArrayList<>();
    /** How much each producer had begun at the last flip. */
    private final int[] atFlip;

    private double flippedAt;

    HistoryLoads(List<HistoryProducer> producers) {
        this.producers = producers;
        this.atFlip = new int[producers.size()];
    }

    void flipped(double second) {
        flippedAt = second;
        even.add(-1.0);
        for (int p = 0; p < atFlip.length; p++) {
            atFlip[p] = producers.get(p).begun();
        }
    }

    void look(double second, KeyRanges keys) {
        int last = even.size() - 1;
        if (even.get(last) < 0 && fullest(keys) <= EVEN) {
            even.set(last, second - flippedAt);
        }
    }

    /** Of the keys since the flip, the newest. */
    private double fullest(KeyRanges keys) {
        long[] counts = new long[keys.partitions().size()];
        long all = 0;
        for (HistoryProducer producer : producers) {
            int begun = producer.begun();
            for (int n = Math.max(atFlip[producer.number()], begun - RECENT); n < begun; n++) {
                int slot = counts.length - 1;
                while (slot > 0 && producer.key(n) < low(keys, slot)) {
                    slot--;
                }
                counts[slot]++;
                all++;
            }
        }
        long most = 0;
        for (long count : counts) {
            most = Math.max(most, count);
        }
        return all < 1_000 ? Double.MAX_VALUE : (double) most * counts.length / all;
    }

    private static long low(KeyRanges keys, int slot) {
        return Long.parseLong(String.valueOf(keys.partitions().get(slot).low()));
    }

    List<Double> evenAfter() {
        return even.stream().map(seconds -> Math.round(seconds * 10) / 10.0).toList();
    }
}
