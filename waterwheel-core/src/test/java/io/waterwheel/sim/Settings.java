package io.waterwheel.sim;

import io.waterwheel.ingest.dispatch.DispatcherSettings;
import io.waterwheel.ingest.indexer.IndexerSettings;
import java.util.Random;

/**
 * What one run is like: sizes, and how much goes wrong. Drawn from the seed; small memories and windows are frequent,
 * because rules about them matter only there.
 *
 * @param quiet little goes wrong, so that the catalog stands still while the routing changes
 * @param partitions of the topic
 * @param indexers of the first routing table
 * @param hosts indexer tasks
 * @param poolBytes memory of a task's trees
 * @param windowBytes bound of what is under way to a task
 * @param loss chance that a message is lost
 * @param repeats chance that it arrives twice
 * @param reorder chance that it overtakes others
 * @param unknown chance that a commit ends unknown
 * @param diskFaults chance that a step of the store fails
 * @param burst records are produced at once in up to so many parts
 * @param laziness a coordinator follows the catalog once in so many times that it should
 * @param edits so many are rolled up
 * @param tail so many of those stay
 * @param routings how often the routing changes, in thousandths of the steps
 * @param readAhead bytes that a spout may have read and not delivered; it binds before the partition's credit, or after
 * @param crashes how often roles crash, in thousandths of the steps
 */
record Settings(
        boolean quiet,
        int partitions,
        int indexers,
        int hosts,
        long poolBytes,
        long windowBytes,
        double loss,
        double repeats,
        double reorder,
        double unknown,
        double diskFaults,
        int burst,
        int laziness,
        int edits,
        int tail,
        int routings,
        int crashes,
        long readAhead,
        DispatcherSettings dispatcher,
        long blockBytes,
        IndexerSettings indexer) {
    /** A page of the simulation's tuples, and a little. */
    static final long PAGE_BYTES = 6_400;

    /** Of a page that is full, its head is one part in so many of its tuples: 96 bytes of 256 times 24. */
    static final long PAGE_HEAD_SHARE = 64;

    /** How long a file that is nobody's is kept; queries are shorter. */
    static final long GRACE_NANOS = 600_000_000;

    static final long MAX_QUERY_MILLIS = 150;

    static final int WIDE_PARTITIONS = 64;
    static final int WIDE_INDEXERS = 16;
    private static final int WIDE_HOSTS = 4;

    /** Of one turn of reading again. */
    static final int CATCH_UP_BYTES = 600;

    static final long STALE_NANOS = 1_000_000_000;

    static Settings draw(Random random) {
        boolean quiet = random.nextInt(4) == 0;
        long[] pools = {3 * PAGE_BYTES, 3 * PAGE_BYTES, 5 * PAGE_BYTES, 12 * PAGE_BYTES, 8 << 20};
        long[] windows = {100, 400, 400, 2_000, 100_000};
        int edits = 1 + random.nextInt(random.nextBoolean() ? 4 : 20);
        return new Settings(
                quiet,
                1 + random.nextInt(3),
                1 + random.nextInt(3),
                1 + random.nextInt(2),
                pools[random.nextInt(pools.length)],
                windows[random.nextInt(windows.length)],
                quiet ? 0 : 0.02 * random.nextInt(4),
                quiet ? 0 : 0.02 * random.nextInt(4),
                quiet ? 0 : 0.1 * random.nextInt(4),
                quiet ? 0 : 0.04 * random.nextInt(3),
                quiet ? 0 : 0.1 * random.nextInt(3),
                1 + random.nextInt(3),
                random.nextInt(3) == 0 ? 50 : 1,
                2 + random.nextInt(8),
                edits,
                random.nextInt(3) == 0 ? 0 : random.nextInt(edits + 1),
                quiet ? random.nextInt(2) : 2 + random.nextInt(10),
                random.nextBoolean() ? 1_200 : 100_000,
                new DispatcherSettings(1_000 + random.nextInt(3) * 1_000, 2_000, 100_000_000),
                200 + random.nextInt(300),
                new IndexerSettings(
                        quiet ? 100_000 : 1_000 + random.nextInt(3_000),
                        3_000_000_000L,
                        random.nextInt(2) * 500_000_000L,
                        300_000_000L,
                        STALE_NANOS,
                        200_000_000L,
                        random.nextInt(2_000),
                        1_000 + random.nextInt(1_000)));
    }

    /** Turns of reading again that there are at a time, of all dispatchers. */
    int catchUps() {
        return (int) (dispatcher.ringBytes() / 1_000);
    }

    /** The same with many partitions and indexers. */
    Settings wide() {
        return new Settings(
                quiet,
                WIDE_PARTITIONS,
                WIDE_INDEXERS,
                WIDE_HOSTS,
                poolBytes,
                windowBytes,
                loss,
                repeats,
                reorder,
                unknown,
                diskFaults,
                burst,
                laziness,
                edits,
                tail,
                routings,
                crashes,
                readAhead,
                dispatcher,
                blockBytes,
                indexer);
    }
}
