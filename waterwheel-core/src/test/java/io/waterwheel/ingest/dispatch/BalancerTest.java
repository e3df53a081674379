package io.waterwheel.ingest.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.ingest.balance.Balancer;
import io.waterwheel.ingest.balance.BalancerSettings;
import io.waterwheel.ingest.balance.KeyLoad;
import io.waterwheel.ingest.balance.SampleWindow;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TupleBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Samples against the whole of the keys; what is proposed, and when, against loads that are known. */
class BalancerTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Schema SCHEMA = SchemaJson.read("{\"fields\":[{\"name\":\"k\",\"type\":\"long\"},"
            + "{\"name\":\"t\",\"type\":\"timestamp\"}],\"key\":{\"field\":\"k\"},\"time\":\"t\"}");
    private static final RowLayout LAYOUT = RowLayout.of(SCHEMA);

    /** A stream of keys in blocks, a second at a time, of which it keeps everything too. */
    private static final class Second {
        final KeySampler sampler;
        final Random random;
        long now;
        long[] all = new long[0];

        Second(long seed) {
            this.random = new Random(seed);
            this.sampler = new KeySampler(new SplittableRandom(seed), 0);
        }

        Control.KeySample of(int count, LongSupplier keys) {
            all = new long[count];
            for (int i = 0; i < count; i++) {
                all[i] = keys.getAsLong();
            }
            for (int from = 0; from < count; ) {
                int size = Math.min(count - from, 1 + random.nextInt(5_000));
                TupleBlock block = new TupleBlock(LAYOUT, size);
                block.ensureRows(size);
                System.arraycopy(all, from, block.keys(), 0, size);
                block.setSize(size);
                BlockBody body = new BlockBody(block, null);
                sampler.add(new Segment(
                        0,
                        1,
                        new RoutingTable(1, new long[0], new int[] {0}),
                        new BlockBody[] {body},
                        List.of(),
                        RecordBatch.NO_TIME));
                from += size;
            }
            now += SECOND;
            return sampler.next(1, 0, now);
        }
    }

    private static double[] shares(long[] keys, long[] boundaries) {
        double[] shares = new double[boundaries.length + 1];
        RoutingTable table = new RoutingTable(
                1,
                boundaries,
                java.util.stream.IntStream.range(0, shares.length).toArray());
        for (long key : keys) {
            shares[table.slotOf(key)] += 1.0 / keys.length;
        }
        return shares;
    }

    @Test
    void dividesAnyDistributionEvenlyByItsSample() {
        for (long seed = 1; seed <= 20; seed++) {
            Second second = new Second(seed);
            Random random = second.random;
            long centre = random.nextLong() >> 2;
            List<LongSupplier> kinds = List.of(
                    random::nextLong,
                    // A billionth of the domain.
                    () -> centre + random.nextInt(1 << 30),
                    () -> (long) (random.nextGaussian() * 1e6),
                    () -> (long) Math.exp(random.nextDouble() * 40));
            int kind = random.nextInt(kinds.size());
            // In turn: as vehicles report, one after another.
            int[] turn = {0};
            LongSupplier keys = seed % 5 == 0 ? () -> (turn[0]++ & 1023) * 1_000_003L : kinds.get(kind);
            int count = 20_000 + random.nextInt(500_000);
            List<Control.KeySample> window = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                Control.KeySample sample = second.of(count, keys);
                assertThat(sample.tuples()).as("seed %s", seed).isEqualTo(count);
                assertThat(sample.keys()).as("seed %s", seed).isSorted().hasSizeLessThanOrEqualTo(512);
                // The first seconds find the stride.
                if (i >= 2) {
                    window.add(sample);
                }
            }
            for (int slots : new int[] {2, 3, 7, 16}) {
                long[] boundaries = KeyLoad.of(window).divide(slots);
                double[] shares = shares(second.all, boundaries);
                for (double share : shares) {
                    assertThat(share * slots)
                            .as(
                                    "seed %s, kind %s, %s slots, boundaries %s",
                                    seed, kind, slots, Arrays.toString(boundaries))
                            .isBetween(0.83, 1.17);
                }
            }
        }
    }

    /** Each partition's sample is thinned when there are many; what all of them say together stays as good. */
    @Test
    void manyPartitionsTellAsMuchInFewKeys() {
        int partitions = 4_000;
        Random random = new Random(11);
        SampleWindow window = new SampleWindow(5 * SECOND);
        List<Control.KeySample> whole = new ArrayList<>();
        for (int second = 1; second <= 5; second++) {
            for (int p = 0; p < partitions; p++) {
                long[] keys = random.longs(512, 0, 1_000_000).sorted().toArray();
                Control.KeySample sample = new Control.KeySample(1, p, keys, 10_000);
                window.add(sample, second * SECOND);
                if (p % 100 == 0) {
                    whole.add(sample);
                }
            }
        }
        List<Control.KeySample> kept = window.recent(5 * SECOND, 5 * SECOND);
        assertThat(kept).hasSize(5 * partitions);
        assertThat(kept.stream().mapToLong(sample -> sample.keys().length).sum())
                // In the first second it is not known yet how many there are: a harmonic sum of shares.
                .isLessThan(5L * SampleWindow.KEYS_A_SECOND + 8L * SampleWindow.KEYS_A_SECOND);
        KeyLoad load = KeyLoad.of(kept);
        assertThat(load.total()).isEqualTo(5.0 * partitions * 10_000);
        long[] boundaries = load.divide(16);
        double[] shares = KeyLoad.of(whole).shares(boundaries);
        double sum = Arrays.stream(shares).sum();
        for (double share : shares) {
            assertThat(share / sum * 16).isBetween(0.95, 1.05);
        }
        assertThat(window.recent(2 * SECOND, 6 * SECOND)).hasSize(2 * partitions);
    }

    @Test
    void aKeyThatCannotBeDividedCostsTheOthersNothing() {
        Random random = new Random(7);
        Second second = new Second(7);
        Control.KeySample sample = second.of(200_000, () -> random.nextBoolean() ? 42 : random.nextInt(1000));
        KeyLoad load = KeyLoad.of(List.of(sample));
        double[] shares = shares(second.all, load.divide(5));
        // 42 and what is left of it; the rest even.
        Arrays.sort(shares);
        assertThat(shares[4]).isBetween(0.45, 0.55);
        assertThat(shares[3]).isBetween(0.1, 0.2);
        Balancer balancer = new Balancer(new BalancerSettings(0.2, Duration.ZERO, Duration.ZERO));
        balancer.onSample(sample, SECOND);
        RoutingTable table = new RoutingTable(2, load.divide(5), new int[] {0, 1, 2, 3, 4});
        assertThat(balancer.propose(table, SECOND)).as("nothing is gained").isNull();
    }

    @Test
    void boundariesAscendWhateverTheKeys() {
        for (long seed = 1; seed <= 300; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(20);
            long base = random.nextBoolean()
                    ? Long.MAX_VALUE - random.nextInt(3)
                    : random.nextBoolean() ? Long.MIN_VALUE : random.nextLong();
            long[] keys = new long[count];
            for (int i = 0; i < count; i++) {
                keys[i] = base + random.nextInt(4);
            }
            Arrays.sort(keys);
            int slots = 1 + random.nextInt(12);
            long[] boundaries = KeyLoad.of(List.of(new Control.KeySample(1, 0, keys, count * 10L)))
                    .divide(slots);
            int[] indexers = new int[slots];
            Arrays.setAll(indexers, i -> i);
            // The table's own checks: ascending; none at the least key, below which nobody could have anything.
            RoutingTable table = new RoutingTable(1, boundaries, indexers);
            assertThat(table.indexers()).as("seed %s", seed).hasSize(slots);
            assertThat(boundaries).as("seed %s", seed).doesNotContain(Long.MIN_VALUE);
        }
    }

    @Test
    void waitsForATrendAndPausesBetweenChanges() {
        Balancer balancer = new Balancer(BalancerSettings.DEFAULT);
        RoutingTable table = RoutingTable.even(1, new KeyInterval(0, 999), 4);
        Random random = new Random(3);
        Second second = new Second(3);
        long now = 0;
        for (int i = 0; i < 10; i++) {
            now += SECOND;
            balancer.onSample(second.of(20_000, () -> random.nextInt(1000)), now);
            assertThat(balancer.propose(table, now)).as("even, second %s", i).isNull();
        }
        // A burst of two seconds is none.
        for (int i = 0; i < 12; i++) {
            now += SECOND;
            boolean burst = i < 2;
            balancer.onSample(second.of(20_000, () -> random.nextInt(burst ? 100 : 1000)), now);
            assertThat(balancer.propose(table, now)).as("burst, second %s", i).isNull();
        }
        long from = now;
        long[] proposed = null;
        while (proposed == null) {
            now += SECOND;
            balancer.onSample(second.of(20_000, () -> random.nextInt(100)), now);
            proposed = balancer.propose(table, now);
            assertThat(now - from).isLessThan(15 * SECOND);
        }
        assertThat(now - from).isGreaterThanOrEqualTo(5 * SECOND);
        table = new RoutingTable(2, proposed, table.indexers());
        for (double share : shares(second.all, proposed)) {
            assertThat(share).isBetween(0.2, 0.3);
        }
        balancer.onChanged(now);
        long changed = now;
        proposed = null;
        while (proposed == null) {
            now += SECOND;
            balancer.onSample(second.of(20_000, () -> 900 + random.nextInt(100)), now);
            proposed = balancer.propose(table, now);
            assertThat(now - changed).isLessThan(40 * SECOND);
        }
        assertThat(now - changed).isGreaterThanOrEqualTo(20 * SECOND);
    }

    @Test
    void saysNothingOfAStreamThatIsIdle() {
        Balancer balancer = new Balancer(new BalancerSettings(0.2, Duration.ZERO, Duration.ZERO));
        RoutingTable table = RoutingTable.even(1, new KeyInterval(0, 999), 4);
        assertThat(balancer.propose(table, 0)).isNull();
        balancer.onSample(new Control.KeySample(1, 0, new long[] {1, 2, 3}, 30), 0);
        assertThat(balancer.propose(table, 1)).as("too few to tell").isNull();
        balancer.onSample(new Control.KeySample(1, 1, new long[] {1, 2, 3}, 30_000), 1);
        assertThat(balancer.propose(table, 2)).isNotNull();
        assertThat(balancer.propose(table, 6 * SECOND)).as("long ago").isNull();
    }
}
