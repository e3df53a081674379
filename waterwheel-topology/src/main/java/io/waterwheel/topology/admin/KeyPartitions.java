package io.waterwheel.topology.admin;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.schema.Balancing;
import io.waterwheel.topology.rpc.AdminCalls;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.wire.proto.KeyPartition;
import io.waterwheel.wire.proto.PartitionsReply;
import io.waterwheel.wire.proto.SetPartitionsRequest;
import io.waterwheel.wire.proto.ShowPartitionsRequest;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a stream's keys are divided between its indexers, and dividing them by hand. Thread-safe; calls block. */
public final class KeyPartitions {
    private static final Logger LOG = LoggerFactory.getLogger(KeyPartitions.class);

    private final CoordinatorServices services;
    private final CoordinatorServices.QueryHandler coordinator;

    public KeyPartitions(CoordinatorServices services, CoordinatorServices.QueryHandler coordinator) {
        this.services = services;
        this.coordinator = coordinator;
    }

    /** Answers show-partitions and set-partitions. */
    public void register(AdminCalls calls) {
        PartitionsReply reply = PartitionsReply.getDefaultInstance();
        calls.on(
                        ShowPartitionsRequest.getDefaultInstance(),
                        reply,
                        (request, caller) -> show(StreamNames.require(services, request.getName())))
                .on(
                        SetPartitionsRequest.getDefaultInstance(),
                        reply,
                        (request, caller) ->
                                set(StreamNames.require(services, request.getName()), request.getBoundariesList()));
    }

    private PartitionsReply show(StreamInfo stream) {
        services.catalogStore().sync();
        return show(stream, new StreamCatalog(services.catalogStore(), stream).newestTable());
    }

    private PartitionsReply show(StreamInfo stream, RoutingTable table) {
        KeyScheme scheme = KeyScheme.of(stream.schema());
        double[] rates = coordinator.keyRates(stream.id(), table);
        PartitionsReply.Builder reply = PartitionsReply.newBuilder()
                .setVersion(table.version())
                .setBalancing(stream.policy().balancing().toString());
        for (int slot = 0; slot < table.indexers().length; slot++) {
            KeyPartition.Builder part =
                    KeyPartition.newBuilder().setIndexer(table.indexers()[slot]).setRate(rates[slot]);
            if (slot > 0) {
                long low = table.boundaries()[slot - 1];
                part.setLowKey(low).setLow(scheme.format(low));
            }
            reply.addPartitions(part);
        }
        return reply.build();
    }

    /** Sets the boundaries for the indexers there are; the policy first, or the balancer might change them at once. */
    private PartitionsReply set(StreamInfo stream, List<String> texts) {
        StreamCatalog catalog = new StreamCatalog(services.catalogStore(), stream);
        while (true) {
            services.catalogStore().sync();
            RoutingTable table = catalog.newestTable();
            long[] boundaries = parse(stream, texts, table.indexers().length - 1);
            StreamInfo changed =
                    services.namespace().changePolicy(stream.name(), policy -> policy.withBalancing(Balancing.OFF));
            // Not over what somebody has changed meanwhile: it may have other indexers.
            Optional<RoutingTable> set = catalog.changeRouting(table.version(), boundaries, table.indexers());
            if (set.isPresent()) {
                LOG.info(
                        "[{}] keys divided by hand: version {}, boundaries {}",
                        stream.name(),
                        set.get().version(),
                        texts);
                return show(changed, set.get());
            }
        }
    }

    private static long[] parse(StreamInfo stream, List<String> texts, int expected) {
        if (texts.size() != expected) {
            throw wrong(
                    stream,
                    "expected " + expected + " boundaries, one fewer than its indexers, got " + texts.size()
                            + "; `waterwheel key-ranges show " + stream.name() + "` has those there are");
        }
        KeyScheme scheme = KeyScheme.of(stream.schema());
        long[] boundaries = new long[expected];
        for (int i = 0; i < expected; i++) {
            try {
                boundaries[i] = scheme.parse(texts.get(i));
            } catch (IllegalArgumentException e) {
                throw wrong(stream, String.valueOf(e.getMessage()));
            }
            if (boundaries[i] == Long.MIN_VALUE) {
                throw wrong(stream, "no key is below boundary '" + texts.get(i) + "'");
            }
            if (i > 0 && boundaries[i] <= boundaries[i - 1]) {
                throw wrong(
                        stream,
                        "expected ascending boundaries, got '" + texts.get(i) + "' after '" + texts.get(i - 1) + "'");
            }
        }
        return boundaries;
    }

    private static WaterwheelException wrong(StreamInfo stream, String what) {
        return new WaterwheelException(ErrorCode.BAD_BOUNDARIES, "stream " + stream.name() + ": " + what);
    }
}
