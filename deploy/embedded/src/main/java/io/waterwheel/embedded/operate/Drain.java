package io.waterwheel.embedded.operate;

import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.SourceOffsets;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.worker.DeactivatedSpout;
import io.waterwheel.topology.worker.Role;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.storm.generated.TopologySummary;

/**
 * Ends a topology with nothing left to read again. In this order:
 *
 * <ol>
 *   <li>everything that is in the log is flushed while spouts read on: the long part, during which nothing stands
 *       still;
 *   <li>Storm deactivates the spouts; each says how far it has read ({@link DeactivatedSpout}), or is not there;
 *   <li>what the dispatchers have taken of it is flushed ({@link DrainProgress}): nothing else will reach an indexer,
 *       and no checkpoint is below it;
 *   <li>Storm kills the topology.
 * </ol>
 *
 * <p>Storm remembers that a topology is deactivated, so a spout that is started again meanwhile does not read either;
 * and the next topology is a new one, which is active. Until the last step everything can be taken back. One use.
 */
final class Drain {
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** The part of what is left that one more flush is given at least. */
    private static final Duration LEAST = Duration.ofSeconds(1);

    private final Nimbus nimbus;
    private final Duration patience;
    private final long deadline;
    private final Consumer<String> progress;

    /** @param progress told what happens, a sentence each */
    Drain(Nimbus nimbus, Duration patience, Consumer<String> progress) {
        this.nimbus = nimbus;
        this.patience = patience;
        this.deadline = System.nanoTime() + patience.toNanos();
        this.progress = progress;
    }

    /**
     * Drains and kills.
     *
     * @return by stream and partition, the position below which everything is in chunks: where the next topology begins
     * @throws WaterwheelException when there is no such topology, or it took too long: then it goes on as before; or
     *     KILL_SLOW: it is drained, and Nimbus takes its time to forget it
     */
    Map<String, Map<Integer, Long>> run(String name) {
        TopologySummary topology = nimbus.require(name);
        if (topology.get_status().equals("KILLED")) {
            throw new WaterwheelException(
                    ErrorCode.TOPOLOGY_ENDS, "topology " + name + " is being killed already; nothing was done");
        }
        Map<String, Object> conf = nimbus.conf(topology);
        if (!conf.containsKey(WaterwheelConfig.STORM_KEY)) {
            throw new WaterwheelException(
                    ErrorCode.NOT_WATERWHEEL,
                    "topology " + name + " is none of Waterwheel's: there is nothing to drain; 'storm kill' ends it");
        }
        WaterwheelConfig config = WaterwheelConfig.fromStormConf(conf);
        boolean active = topology.get_status().equals("ACTIVE");
        boolean done = false;
        try (CatalogStore catalog = ZooKeeperCatalogStore.connect(config);
                WaterwheelClient client = WaterwheelClient.discover(
                        config.get(Keys.ZOOKEEPER_CONNECT) + config.get(Keys.ZOOKEEPER_ROOT),
                        config.get(Keys.NAMESPACE))) {
            List<StreamDetails> streams = client.listStreams(Drain::refuse);
            if (active) {
                progress.accept("writing what is in the log of " + count(streams.size(), "stream"));
                for (StreamDetails stream : streams) {
                    client.flush(stream.definition().name(), left());
                }
            }
            nimbus.deactivate(name);
            Map<DeactivatedSpout.Source, Long> read = awaitStanding(catalog, config);
            progress.accept("reading has stopped; writing what was read meanwhile");
            Map<String, Map<Integer, Long>> reached = flush(client, read);
            nimbus.kill(name);
            done = true;
            if (!awaitGone(nimbus, name, System.nanoTime() + left().toNanos())) {
                throw new WaterwheelException(
                        ErrorCode.KILL_SLOW,
                        "topology " + name + " is drained and killed, up to " + reached
                                + ", but Nimbus still listed it at the end of " + patience.toSeconds()
                                + " s; see 'waterwheel topology list'");
            }
            if (!awaitWorkersEnd(catalog, name, System.nanoTime() + left().toNanos())) {
                progress.accept("some of its workers have not ended yet: until they do, they answer");
            }
            progress.accept("killed topology " + name + ": the next one has nothing to read again");
            return reached;
        } finally {
            if (!done && active) {
                goOn(name);
            }
        }
    }

    private void goOn(String name) {
        try {
            nimbus.activate(name);
            progress.accept("not drained: topology " + name + " goes on as before");
        } catch (WaterwheelException e) {
            progress.accept("not drained, and topology " + name
                    + " could not be told to go on reading ('waterwheel topology activate' does): " + e.getMessage());
        }
    }

    /** What is in memory of it cannot be asked for, and a later start would have it to read again. */
    private static void refuse(String unreadable) {
        throw new WaterwheelException(
                ErrorCode.STREAM_UNREADABLE,
                "stream " + unreadable
                        + " cannot be drained: its entry in the catalog cannot be read; mend that, or end"
                        + " the topology by 'waterwheel topology kill'");
    }

    private static String count(int number, String of) {
        return number + " " + of + (number == 1 ? "" : "s");
    }

    private Duration left() {
        Duration left = Duration.ofNanos(deadline - System.nanoTime());
        return left.compareTo(LEAST) < 0 ? LEAST : left;
    }

    /** Waits until every spout stands or is gone. Returns how far they have read. */
    private Map<DeactivatedSpout.Source, Long> awaitStanding(CatalogStore catalog, WaterwheelConfig config) {
        String topology = config.get(Keys.TOPOLOGY_NAME);
        Map<DeactivatedSpout.Source, Long> read = new HashMap<>();
        List<String> missing = new ArrayList<>();
        do {
            missing.clear();
            for (int spout = 0; spout < config.get(Keys.SPOUT_TASKS); spout++) {
                Optional<DeactivatedSpout> standing = standing(catalog, topology, spout);
                if (standing.isPresent()) {
                    standing.get().positions().forEach((source, position) -> read.merge(source, position, Math::max));
                } else if (catalog.read("/live/" + topology + "/" + Role.SPOUT.address(spout))
                        .isPresent()) {
                    missing.add(Role.SPOUT.address(spout));
                }
            }
            if (missing.isEmpty()) {
                return read;
            }
            LockSupport.parkNanos(POLL_NANOS);
        } while (System.nanoTime() - deadline < 0 && !Thread.currentThread().isInterrupted());
        throw new WaterwheelException(
                ErrorCode.DRAIN_SLOW,
                "topology " + topology + ": after " + patience.toSeconds() + " s " + String.join(", ", missing)
                        + " had not stopped reading; try again, perhaps with a longer --deadline");
    }

    /** What a spout says that stands; nothing while it does not, or has not said all. */
    private static Optional<DeactivatedSpout> standing(CatalogStore catalog, String topology, int spout) {
        List<String> pages = new ArrayList<>();
        int count = 1;
        for (int page = 0; page < count; page++) {
            Optional<CatalogStore.Node> node = catalog.read(DeactivatedSpout.path(topology, spout, page));
            if (node.isEmpty()) {
                return Optional.empty();
            }
            pages.add(new String(node.get().data(), StandardCharsets.UTF_8));
            count = DeactivatedSpout.pageCount(pages.get(0));
        }
        return Optional.of(DeactivatedSpout.parse(pages));
    }

    /** Flushes what the dispatchers have taken, until no more has come to one meanwhile. */
    private Map<String, Map<Integer, Long>> flush(WaterwheelClient client, Map<DeactivatedSpout.Source, Long> read) {
        // Asked for anew: a stream may have been created since.
        List<StreamDetails> streams = client.listStreams(Drain::refuse);
        DrainProgress settling = new DrainProgress(read);
        while (true) {
            Map<String, Map<Integer, Long>> taken = awaitTaken(client, streams, settling);
            Map<String, Map<Integer, Long>> reached = flushUpTo(client, taken);
            look(client, streams, settling);
            if (taken.equals(positions(streams, settling))) {
                return reached;
            }
        }
    }

    private static Map<String, Map<Integer, Long>> positions(List<StreamDetails> streams, DrainProgress settling) {
        Map<String, Map<Integer, Long>> positions = new HashMap<>();
        streams.forEach(stream -> positions.put(stream.definition().name(), settling.positions(stream.id())));
        return positions;
    }

    /** Waits until the dispatchers have taken what they will of what was read. Returns, by stream, up to where. */
    private Map<String, Map<Integer, Long>> awaitTaken(
            WaterwheelClient client, List<StreamDetails> streams, DrainProgress settling) {
        while (true) {
            look(client, streams, settling);
            if (streams.stream().noneMatch(stream -> settling.waitsFor(stream.id()))) {
                return positions(streams, settling);
            }
            if (System.nanoTime() - deadline >= 0 || Thread.currentThread().isInterrupted()) {
                throw new WaterwheelException(
                        ErrorCode.DRAIN_SLOW,
                        "after " + patience.toSeconds() + " s it is not known how much of what was read the dispatchers"
                                + " have taken, of " + settling + "; try again, perhaps with a longer --deadline");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static void look(WaterwheelClient client, List<StreamDetails> streams, DrainProgress settling) {
        for (StreamDetails stream : streams) {
            for (SourceOffsets part : client.offsets(stream.definition().name())) {
                part.taken()
                        .ifPresent(taken -> settling.taken(
                                new DeactivatedSpout.Source(stream.id(), part.partition()), taken, System.nanoTime()));
            }
        }
    }

    private Map<String, Map<Integer, Long>> flushUpTo(WaterwheelClient client, Map<String, Map<Integer, Long>> taken) {
        Map<String, Map<Integer, Long>> reached = new HashMap<>();
        taken.forEach((name, upTo) -> {
            Map<Integer, Long> positions = upTo.isEmpty() ? Map.of() : client.flush(name, left(), upTo);
            upTo.forEach((partition, position) -> {
                Long at = positions.get(partition);
                if (at == null || at < position) {
                    throw new WaterwheelException(
                            ErrorCode.NOT_DRAINED,
                            "stream " + name + ", partition " + partition + ": read up to " + position
                                    + ", but the checkpoints are at " + at);
                }
            });
            reached.put(name, positions);
        });
        return reached;
    }

    /** Whether the workers of a topology that was killed have ended before the deadline. */
    static boolean awaitWorkersEnd(CatalogStore catalog, String name, long deadline) {
        while (!catalog.children("/live/" + name).isEmpty()) {
            if (System.nanoTime() - deadline >= 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }

    /** Whether Nimbus has forgotten the topology before the deadline. */
    static boolean awaitGone(Nimbus nimbus, String name, long deadline) {
        while (nimbus.find(name).isPresent()) {
            if (System.nanoTime() - deadline >= 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }
}
