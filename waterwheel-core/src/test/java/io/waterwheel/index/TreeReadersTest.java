package io.waterwheel.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Rows carry their number in key, time and text, and their tree's in a column: a torn, lost or recycled row shows. */
final class TreeReadersTest {
    private static final long SCATTER = 0x9E3779B97F4A7C15L;
    private static final RowLayout LAYOUT = RowLayout.of(new Schema(
            List.of(
                    new Field("k", FieldType.LONG, false),
                    new Field("tree", FieldType.LONG, false),
                    new Field("text", FieldType.STRING, false),
                    new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t"));

    @Test
    void seeEveryPublishedRowOnceAndNeverRecycledMemory() throws Exception {
        PagePool pool = new PagePool(32 << 20);
        AtomicReference<TemplateTree> active = new AtomicReference<>(new TemplateTree(LAYOUT, Template.single(), pool));
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService readers = Executors.newFixedThreadPool(2);
        List<Future<Integer>> results = new ArrayList<>();
        AtomicInteger begun = new AtomicInteger();
        for (int r = 0; r < 2; r++) {
            results.add(readers.submit(() -> {
                int scans = 0;
                while (!done.get()) {
                    TemplateTree tree = active.get();
                    if (tree.tryRetain()) {
                        checkPrefix(tree);
                        tree.release();
                        if (scans++ == 0) {
                            begun.incrementAndGet();
                        }
                    }
                }
                return scans;
            }));
        }
        long rebuilds = 0;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        // A busy machine may let a reader begin late.
        for (long number = 1; System.nanoTime() < deadline || begun.get() < 2 || rebuilds == 0; number++) {
            TemplateTree tree = active.get();
            fill(tree, number);
            rebuilds += tree.rebuilds();
            active.set(new TemplateTree(LAYOUT, number % 2 == 0 ? Template.single() : tree.template(), pool));
            tree.discard();
        }
        done.set(true);
        assertThat(rebuilds).isPositive();
        for (Future<Integer> result : results) {
            assertThat(result.get(2, TimeUnit.MINUTES)).isPositive();
        }
        readers.shutdown();
        active.get().discard();
        assertThat(pool.usedBytes()).isZero();
        assertThat(pool.freeBytes()).isBetween(1L, pool.maxBytes());
    }

    @Test
    void aReaderThatWaitsHoldsNothingOfATreeThatIsRevoked() {
        PagePool pool = new PagePool(32 << 20);
        TemplateTree tree = new TemplateTree(LAYOUT, Template.single(), pool);
        fill(tree, 1);
        assertThat(tree.tryRetain()).isTrue();
        assertThat(tree.enter()).isTrue();
        Leaves pinned = tree.pin();
        tree.revoke();
        assertThat(pool.usedBytes()).as("while it looks").isPositive();
        tree.exit();
        assertThat(pool.usedBytes()).as("while it waits").isZero();
        assertThat(tree.isReclaimed()).isTrue();
        assertThat(tree.enter()).isFalse();
        tree.unpin(pinned);
        tree.release();
        assertThat(pool.usedBytes()).isZero();
        assertThat(tree.tryRetain()).isFalse();
    }

    @Test
    void whatIsRevokedAtAnyMomentIsNeverReadAgain() throws Exception {
        PagePool pool = new PagePool(32 << 20);
        AtomicReference<TemplateTree> active = new AtomicReference<>(new TemplateTree(LAYOUT, Template.single(), pool));
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService readers = Executors.newFixedThreadPool(2);
        List<Future<Integer>> results = new ArrayList<>();
        AtomicInteger begun = new AtomicInteger();
        for (int r = 0; r < 2; r++) {
            results.add(readers.submit(() -> {
                int scans = 0;
                while (!done.get()) {
                    TemplateTree tree = active.get();
                    if (tree.tryRetain()) {
                        // Each stay is short, and between two of them the tree may go.
                        while (tree.enter()) {
                            checkPrefix(tree);
                            tree.exit();
                            if (scans++ == 0) {
                                begun.incrementAndGet();
                            }
                        }
                        tree.release();
                    }
                }
                return scans;
            }));
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        for (long number = 1; System.nanoTime() < deadline || begun.get() < 2; number++) {
            TemplateTree tree = active.get();
            fill(tree, number);
            active.set(new TemplateTree(LAYOUT, Template.single(), pool));
            tree.revoke();
        }
        done.set(true);
        active.get().revoke();
        for (Future<Integer> result : results) {
            assertThat(result.get(2, TimeUnit.MINUTES)).isPositive();
        }
        readers.shutdown();
        assertThat(pool.usedBytes()).isZero();
    }

    /** Keys of another spread every few thousand rows, so that templates are rebuilt again and again. */
    private static long key(long number) {
        return (number * SCATTER) >> (number / 5000 * 8);
    }

    private static void fill(TemplateTree tree, long treeNumber) {
        TupleBlock block = new TupleBlock(LAYOUT, 500);
        for (long first = 0; first < 30_000; first += 500) {
            block.clear();
            for (int row = 0; row < 500; row++) {
                long number = first + row;
                block.keys()[row] = key(number);
                block.times()[row] = number;
                LittleEndian.putLong(block.column(0), row * 8, treeNumber);
                byte[] text = Long.toString(number).getBytes(StandardCharsets.US_ASCII);
                LittleEndian.putLong(block.column(1), row * 8, block.addToArena(text, 0, text.length));
            }
            block.setSize(500);
            tree.insert(block, 0, 500);
        }
    }

    private static void checkPrefix(TemplateTree tree) {
        long published = tree.tuples();
        TupleBlock rows = TreeRows.read(tree);
        BitSet seen = new BitSet();
        for (int row = 0; row < rows.size(); row++) {
            int number = (int) rows.times()[row];
            require(rows.keys()[row] == key(number), "torn row " + number);
            require(Integer.toString(number).equals(rows.value(2, row)), "text of row " + number);
            require(rows.value(1, row).equals(rows.value(1, 0)), "rows of two trees in one");
            require(!seen.get(number), "twice row " + number);
            seen.set(number);
        }
        require(seen.nextClearBit(0) >= published, "missing row " + seen.nextClearBit(0) + " of " + published);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
