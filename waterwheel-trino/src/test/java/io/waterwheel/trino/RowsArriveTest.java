package io.waterwheel.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedRow;
import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.SchemaFile;
import java.time.Instant;
import java.util.BitSet;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Scans of many splits while rows come and are flushed: each row at most once, those from before the scan once. */
final class RowsArriveTest {
    private static final int SCANS = Integer.getInteger("scans", 12);
    private static final long SEED = Long.getLong("seed", 3);
    private static final int BATCH = 400;
    private static final int BATCHES = 4;

    private final DistributedQueryRunner trino = TrinoCluster.shared();

    @Test
    void eachRowOnce() throws Exception {
        WaterwheelClient client = ServerProcess.client();
        client.createStream(SchemaFile.read("test", """
                name: arriving
                format: block
                partitions: 3
                fields:
                  - {name: at, type: timestamp}
                  - {name: key, type: long}
                  - {name: number, type: long}
                key: {field: key}
                time: at
                """));
        Session session = trino.getDefaultSession();
        // Batches that may be appended: a few a scan, so that the stream does not outgrow the scans.
        Semaphore batches = new Semaphore(0);
        AtomicBoolean end = new AtomicBoolean();
        ExecutorService executor = Executors.newSingleThreadExecutor();
        Scanned seen = new Scanned();
        try (Appender appender = client.appender("arriving")) {
            append(appender, new Random(SEED), seen, BATCH);
            client.query("arriving").atLeast(appender.flush()).count();
            seen.settle();
            Future<?> writer = executor.submit(() -> {
                Random random = new Random(SEED + 1);
                while (true) {
                    batches.acquire();
                    if (end.get()) {
                        return null;
                    }
                    append(appender, random, seen, BATCH);
                    client.query("arriving").atLeast(appender.flush()).count();
                    seen.settle();
                    if (random.nextInt(3) == 0) {
                        client.flush("arriving");
                    }
                }
            });
            try {
                for (int scan = 0; scan < SCANS && !writer.isDone(); scan++) {
                    long before = seen.visible();
                    batches.release(BATCHES);
                    BitSet found = new BitSet();
                    for (MaterializedRow row : trino.execute(session, "SELECT number FROM arriving")
                            .getMaterializedRows()) {
                        int number = Math.toIntExact((Long) row.getField(0));
                        assertThat(found.get(number))
                                .as("row " + number + " is there twice")
                                .isFalse();
                        found.set(number);
                    }
                    assertThat(found.nextClearBit(0))
                            .as("the first row that is missing of " + before)
                            .isGreaterThanOrEqualTo((int) before);
                    // A join of the stream with itself is one of the same positions.
                    long joined = (Long) trino.execute(
                                    session,
                                    "SELECT count(*) FROM arriving a JOIN arriving b ON a.number = b.number WHERE a.number < "
                                            + before)
                            .getOnlyValue();
                    assertThat(joined).isEqualTo(before);
                }
            } finally {
                end.set(true);
                batches.release();
                writer.get();
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private static void append(Appender appender, Random random, Scanned seen, int rows) {
        for (int i = 0; i < rows; i++) {
            appender.append(
                    Instant.ofEpochMilli(1_800_000_000_000L + random.nextInt(1_000_000)),
                    random.nextLong(),
                    seen.next());
        }
    }

    /** How many rows there are, numbered from 0, and how many of them queries are known to see. */
    private static final class Scanned {
        private long appended;
        private long visible;

        synchronized long next() {
            return appended++;
        }

        synchronized void settle() {
            visible = appended;
        }

        synchronized long visible() {
            return visible;
        }
    }
}
