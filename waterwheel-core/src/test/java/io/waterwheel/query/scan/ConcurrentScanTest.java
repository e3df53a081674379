package io.waterwheel.query.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
}
