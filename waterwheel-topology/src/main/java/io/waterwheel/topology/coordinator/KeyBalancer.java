package io.waterwheel.topology.coordinator;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.ingest.balance.Balancer;
import io.waterwheel.ingest.balance.BalancerSettings;
import io.waterwheel.key.sample.RecentKeys;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.Balancing;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.topology.worker.TimedJobs;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shell of the balancers: collects what the dispatchers say of their keys, and in one task of the topology divides the
 * keys anew where {@link Balancer} proposes it. That a predecessor may still be at work harms nothing: every change
 * replaces the version that it was judged by, or fails.
 *
 * <p>Samples come on event loops: they are put aside there, and looked at by a job of the worker.
 */
final class KeyBalancer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeyBalancer.class);
    private static final Duration LOOK = Duration.ofSeconds(1);
    /** Streams of which the newest keys are kept. */
    private static final int MOST_RECENT = 1024;

    private final CoordinatorServices services;
    private final BalancerSettings settings;
    /** The newest routing table of a stream, as far as it is known here. */
    private final Function<StreamInfo, Optional<RoutingTable>> tables;

    private final Map<Integer, Balancer> balancers = new ConcurrentHashMap<>();

    /** Of streams whose keys have dimensions; of as many as came first, so that they take at most 32 MiB. */
    private final Map<Integer, RecentKeys> recent = new ConcurrentHashMap<>();

    /** Of these streams there may be balancers. */
    private volatile Map<Integer, StreamInfo> known = Map.of();

    private final TimedJobs.@Nullable Line looks;

    /**
     * A balancer of all streams.
     *
     * @param tables the newest routing table of a stream; one that is older is found out when it is to be replaced
     * @param acts whether it changes anything, or only knows
     */
    KeyBalancer(CoordinatorServices services, Function<StreamInfo, Optional<RoutingTable>> tables, boolean acts) {
        this.services = services;
        this.tables = tables;
        this.settings = new BalancerSettings(
                services.config().get(Keys.BALANCER_DEVIATION) / 100.0,
                services.config().get(Keys.BALANCER_PATIENCE),
                services.config().get(Keys.BALANCER_MIN_INTERVAL));
        if (!acts) {
            this.looks = null;
            return;
        }
        this.looks = services.jobs().line("key-balancer").every(LOOK, LOOK, this::look);
        LOG.info("[balancer] {}", settings);
    }

    /** Takes a sample; those of streams that are not known here, or not yet, are passed over. */
    boolean onSample(Control.KeySample sample) {
        Map<Integer, StreamInfo> streams = services.streams().streams();
        if (streams != known) {
            known = streams;
            balancers.keySet().retainAll(streams.keySet());
            recent.keySet().retainAll(streams.keySet());
        }
        StreamInfo stream = streams.get(sample.streamId());
        if (stream == null || sample.partition() < 0 || sample.partition() >= stream.partitions()) {
            return false;
        }
        balancers.computeIfAbsent(stream.id(), id -> new Balancer(settings)).onSample(sample, System.nanoTime());
        if (stream.schema().key().dimensional() != null) {
            RecentKeys keys = recent.get(stream.id());
            if (keys == null && recent.size() < MOST_RECENT) {
                keys = recent.computeIfAbsent(stream.id(), id -> new RecentKeys(new SplittableRandom()));
            }
            if (keys != null) {
                keys.add(sample.keys());
            }
        }
        return true;
    }

    /** Some of the newest keys of a stream whose keys have dimensions; none where none have come. */
    long[] recentKeys(int streamId) {
        RecentKeys keys = recent.get(streamId);
        return keys == null ? new long[0] : keys.keys();
    }

    /** Tuples a second that each slot of a table got, or would have got, in the last seconds. */
    double[] rates(int streamId, RoutingTable table) {
        Balancer balancer = balancers.get(streamId);
        return balancer == null ? new double[table.indexers().length] : balancer.rates(table, System.nanoTime());
    }

    private void look() {
        for (StreamInfo stream : services.streams().streams().values()) {
            Balancer balancer = balancers.get(stream.id());
            if (balancer != null
                    && stream.policy().balancing() == Balancing.AUTO
                    && !balancer.isIdle(System.nanoTime())) {
                try {
                    balance(stream, balancer);
                } catch (StreamGoneException e) {
                    LOG.info("[{}/balancer] {}", stream.name(), e.getMessage());
                } catch (WaterwheelException e) {
                    LOG.warn(
                            "[{}/balancer] the routing could not be looked at or changed; trying again",
                            stream.name(),
                            e);
                } catch (RuntimeException | Error e) {
                    // Of this stream; others go on.
                    LOG.error("[{}/balancer] failed; trying again", stream.name(), e);
                }
            }
        }
    }

    private void balance(StreamInfo stream, Balancer balancer) {
        RoutingTable table = tables.apply(stream).orElse(null);
        if (table == null) {
            return;
        }
        long[] proposed = balancer.propose(table, System.nanoTime());
        if (proposed == null) {
            return;
        }
        double[] before = balancer.rates(table, System.nanoTime());
        services.catalogStore().sync();
        boolean still = services.namespace()
                .find(stream.name())
                .filter(now -> now.id() == stream.id() && now.policy().balancing() == Balancing.AUTO)
                .isPresent();
        if (!still) {
            return;
        }
        StreamCatalog catalog = new StreamCatalog(services.catalogStore(), stream);
        Optional<RoutingTable> changed = catalog.changeRouting(table.version(), proposed, table.indexers());
        if (changed.isPresent()) {
            double[] after = balancer.rates(changed.get(), System.nanoTime());
            LOG.info(
                    "[{}/balancer] keys divided anew: version {} -> {}, boundaries {} -> {}, fullest over mean {} -> {}",
                    stream.name(),
                    table.version(),
                    changed.get().version(),
                    Arrays.toString(table.boundaries()),
                    Arrays.toString(proposed),
                    text(fullest(before)),
                    text(fullest(after)));
        }
        balancer.onChanged(System.nanoTime());
    }

    private static double fullest(double[] rates) {
        double sum = Arrays.stream(rates).sum();
        return sum == 0 ? 1 : Arrays.stream(rates).max().orElse(0) * rates.length / sum;
    }

    private static String text(double number) {
        return String.format(Locale.ROOT, "%.2f", number);
    }

    @Override
    public void close() {
        if (looks != null) {
            looks.close();
        }
    }
}
