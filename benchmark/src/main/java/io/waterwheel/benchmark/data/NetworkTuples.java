package io.waterwheel.benchmark.data;

import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Requests seen by a network, made up from a seed: (ip long, url string, time timestamp), keyed by the IPv4 address as
 * a number, 50 bytes a tuple on average. The addresses' /16 networks are zipf-distributed in random order, the hosts
 * within uniform; the URLs are zipf-distributed over 20,000. Times rise, {@code rate} tuples a second. Not thread-safe.
 */
public final class NetworkTuples {
    /** Tuples of the whole set. */
    public static final int TUPLES = 6_000_000;
    /** Time of the first tuple. */
    public static final long START_MILLIS = 1_600_000_000_000L;

    private static final int NETWORKS = 1 << 16;
    private static final int URLS = 20_000;
    private static final int MIN_URL = 12;
    private static final int MAX_URL = 40;

    private static final Zipf NETWORK_RANKS = new Zipf(NETWORKS, 1);
    private static final Zipf URL_RANKS = new Zipf(URLS, 1);

    private final SplittableRandom random;
    private final double tuplesPerMilli;
    /** The network at each rank. */
    private final int[] networks = new int[NETWORKS];

    private final byte[][] urls = new byte[URLS][];
    private long made;

    /** @param ratePerSecond tuples in a second of event time */
    public NetworkTuples(long seed, int ratePerSecond) {
        random = new SplittableRandom(seed);
        tuplesPerMilli = ratePerSecond / 1000.0;
        for (int n = 0; n < NETWORKS; n++) {
            int at = random.nextInt(n + 1);
            networks[n] = networks[at];
            networks[at] = n;
        }
        for (int u = 0; u < URLS; u++) {
            urls[u] = url(random);
        }
    }

    private static byte[] url(SplittableRandom random) {
        // The rest of 50 bytes beside key, time and reference: 26 on average.
        byte[] url = new byte[MIN_URL + random.nextInt(MAX_URL - MIN_URL + 1)];
        byte[] site = ("site" + random.nextInt(1000) + "/").getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(site, 0, url, 0, site.length);
        for (int i = site.length; i < url.length; i++) {
            url[i] = (byte) (random.nextInt(8) == 0 ? '/' : 'a' + random.nextInt(26));
        }
        return url;
    }

    /** The stream that takes them. */
    public static StreamDefinition stream(RecordFormat format, int partitions) {
        return SchemaFile.read("network.yaml", """
                name: network
                topic: network
                format: %s
                partitions: %d
                fields:
                  - {name: ip, type: long}
                  - {name: url, type: string}
                  - {name: time, type: timestamp}
                key: {field: ip}
                time: time
                """.formatted(format.name().toLowerCase(Locale.ROOT), partitions));
    }

    /** Adds the next tuple to a block of the stream's layout that has room for it in its rows. */
    public void nextInto(TupleBlock block) {
        int row = block.size();
        block.keys()[row] = ((long) networks[NETWORK_RANKS.draw(random)] << 16) | random.nextInt(1 << 16);
        block.times()[row] = START_MILLIS + (long) (made++ / tuplesPerMilli);
        byte[] url = urls[URL_RANKS.draw(random)];
        LittleEndian.putLong(block.column(0), row * 8, block.addToArena(url, 0, url.length));
        block.setSize(row + 1);
    }
}
