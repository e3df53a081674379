package io.waterwheel.query.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.result.Gather;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class ConcurrentScanTest {
    @Test
    void aScanWhoseClientIsSlowLosesATreeThatIsRevoked() {
        RowLayout layout = RowLayout.of(new Schema(
                List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t"));
        PagePool pool = new PagePool(64 << 20);
        TemplateTree tree = new TemplateTree(layout, Template.single(), pool);
        TupleBlock block = new TupleBlock(layout, 50_000);
        for (int row = 0; row < 50_000; row++) {
            block.keys()[row] = row;
            block.times()[row] = row;
        }
        block.setSize(50_000);
        tree.insert(block, 0, 50_000);
        long[] handedOver = {0};
        assertThatThrownBy(() -> TreeScan.scan(tree, ScanSpec.all(layout), rows -> {
                    if (handedOver[0] == 0) {
                        tree.revoke();
                        assertThat(pool.usedBytes())
                                .as("while the sink has the rows")
                                .isZero();
                    }
                    handedOver[0] += rows.size();
                    return true;
                }))
                .isInstanceOf(TreeGoneException.class);
        assertThat(handedOver[0]).isBetween(1L, 49_999L);
        assertThat(pool.usedBytes()).isZero();
    }

    @Test
    void aScanDuringInsertSeesEveryPublishedTupleOnce() throws Exception {
        RowLayout layout = RowLayout.of(new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("number", FieldType.INT, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t"));
        TemplateTree tree = new TemplateTree(layout, Template.single(), new PagePool(64 << 20));
        int all = 600_000;
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            TupleBlock block = new TupleBlock(layout, 300);
            block.setSize(300);
            for (int number = 0; number < all; ) {
                for (int row = 0; row < 300; row++, number++) {
                    block.keys()[row] = number * 0x9E3779B97F4A7C15L;
                    block.times()[row] = number;
                    LittleEndian.putInt(block.column(0), row * 4, number);
                }
                tree.insert(block, 0, 300);
            }
        });
        boolean last;
        do {
            last = writer.isDone();
            long published = tree.tuples();
            BitSet seen = new BitSet(all);
            TreeScan.scan(tree, ScanSpec.all(layout), rows -> {
                for (int row = 0; row < rows.size(); row++) {
                    int number = (int) (Integer) rows.value(1, row);
                    assertThat((long) rows.value(0, row)).isEqualTo(number * 0x9E3779B97F4A7C15L);
                    assertThat((long) rows.value(2, row)).isEqualTo(number);
                    assertThat(seen.get(number)).as("tuple %s twice", number).isFalse();
                    seen.set(number);
                }
                return true;
            });
            assertThat(seen.nextClearBit(0)).as("first tuple missing").isGreaterThanOrEqualTo((int) published);
        } while (!last);
        writer.get(1, TimeUnit.MINUTES);
        assertThat(tree.tuples()).isEqualTo(all);
    }

    /** Two readers note which rows are older than others, and pass over what the other one noted. */
    @Test
    void scansDuringInsertSeeTheNewestOfEachKey() throws Exception {
        Schema schema = new Schema(
                List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        RowLayout layout = RowLayout.of(schema);
        int keys = 500;
        long[] spread = LongStream.range(0, keys).toArray();
        TemplateTree tree = new TemplateTree(layout, Template.divide(spread, keys, 8), new PagePool(64 << 20));
        int all = 300_000;
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            TupleBlock block = new TupleBlock(layout, 300);
            block.setSize(300);
            for (int number = 0; number < all; ) {
                for (int row = 0; row < 300; row++, number++) {
                    block.keys()[row] = number % keys;
                    block.times()[row] = number;
                }
                tree.insert(block, 0, 300);
            }
        });
        ScanSpec newest = new ScanSpec(
                List.of(KeyInterval.ALL),
                TimeInterval.ALL,
                null,
                null,
                Gather.of(new ResultSpec.Latest(1, List.of("k", "t")), layout, schema, TimeInterval.ALL, null));
        Runnable reader = () -> {
            boolean last;
            do {
                last = writer.isDone();
                long published = tree.tuples();
                long[] seen = {0};
                TreeScan.scan(tree, newest, rows -> {
                    for (int row = 0; row < rows.size(); row++) {
                        long key = (long) rows.value(0, row);
                        long time = (long) rows.value(1, row);
                        assertThat(key).isEqualTo(seen[0]++);
                        assertThat(time % keys).isEqualTo(key);
                        assertThat(time).as("key %s", key).isGreaterThanOrEqualTo(published - keys);
                    }
                    return true;
                });
                assertThat(seen[0]).isGreaterThanOrEqualTo(Math.min(published, keys));
            } while (!last);
        };
        CompletableFuture<Void> other = CompletableFuture.runAsync(reader, task -> new Thread(task).start());
        reader.run();
        other.get(1, TimeUnit.MINUTES);
        writer.get(1, TimeUnit.MINUTES);
    }
}
