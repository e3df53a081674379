package io.waterwheel.query.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.scan.QueryClock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class ShapeTurnsTest {
    /** A thousand polygons of a hundred thousand corners do not keep one of two hundred waiting. */
    @Test
    void theSmallestThatWaitsIsNext() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            ShapeTurns turns = new ShapeTurns(1);
            turns.take(1, Planning.unbounded());
            List<Integer> order = Collections.synchronizedList(new ArrayList<>());
            List<Future<?>> all = new ArrayList<>();
            for (int size : new int[] {5, 3, 4, 3, 9}) {
                CountDownLatch waits = new CountDownLatch(1);
                QueryMemory memory = QueryMemory.unlimited();
                long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(10);
                Planning planning =
                        new Planning(new PreparedShapes(memory), memory.open(), QueryClock.SYSTEM, end, () -> {
                            waits.countDown();
                            return false;
                        });
                all.add(threads.submit(() -> {
                    turns.take(size, planning);
                    order.add(size);
                    turns.giveBack();
                }));
                assertThat(waits.await(50, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(order).isEmpty();
            turns.giveBack();
            for (Future<?> each : all) {
                Object unused = each.get(50, TimeUnit.SECONDS);
            }
            assertThat(order).containsExactly(3, 3, 4, 5, 9);
        } finally {
            threads.shutdownNow();
        }
    }
}
