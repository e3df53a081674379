package io.waterwheel.topology.admin;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.key.sample.CellUse;
import io.waterwheel.key.sample.DimensionLearner;
import io.waterwheel.key.sample.ScaleChange;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.topology.rpc.AdminCalls;
import io.waterwheel.topology.rpc.AdminHandler;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.wire.proto.CellsInUse;
import io.waterwheel.wire.proto.RescaleStreamReply;
import io.waterwheel.wire.proto.RescaleStreamRequest;
import io.waterwheel.wire.proto.ScaledDimension;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Other scales for the dimensions of a stream's key. Thread-safe; calls block. */
public final class ScaleCalls {
    private static final Logger LOG = LoggerFactory.getLogger(ScaleCalls.class);

    private final CoordinatorServices services;
    private final CoordinatorServices.QueryHandler coordinator;

    public ScaleCalls(CoordinatorServices services, CoordinatorServices.QueryHandler coordinator) {
        this.services = services;
        this.coordinator = coordinator;
    }

    /** Answers rescale-stream. */
    public void register(AdminCalls calls) {
        calls.on(RescaleStreamRequest.getDefaultInstance(), RescaleStreamReply.getDefaultInstance(), this::rescale);
    }

    private RescaleStreamReply rescale(RescaleStreamRequest request, AdminHandler.Caller caller)
            throws InterruptedException {
        services.catalogStore().sync();
        StreamSnapshot snapshot = coordinator.snapshot(StreamNames.require(services, request.getName()));
        StreamInfo stream = snapshot.stream();
        KeySpec.Dimensions key = stream.schema().key().dimensional();
        if (key == null) {
            throw wrong(stream, "its key has no dimensions, whose scales could be others");
        }
        if (request.getFrom() != 0 && request.getFrom() != key.scales()) {
            throw wrong(
                    stream,
                    "its scales were changed meanwhile, to version " + key.scales() + "; look at them, then ask again");
        }
        Schema schema = ofDimensions(stream.schema(), key);
        TupleBlock rows = newest(snapshot, schema, key.dimensions().size(), caller);
        ScaleChange change = change(stream, schema, request, rows);
        if (request.getDryRun()) {
            requireRoom(stream, change);
        }
        RescaleStreamReply.Builder reply =
                RescaleStreamReply.newBuilder().setScales(key.scales() + 1).setRows(rows.size());
        change.scales().forEach(dimension -> reply.addDimensions(message(dimension)));
        for (int d = 0; d < change.before().size(); d++) {
            CellUse before = change.before().get(d);
            CellUse after = change.after().get(d);
            reply.addGains(CellsInUse.newBuilder()
                    .setBefore(before.used())
                    .setCellsBefore(before.cells())
                    .setAfter(after.used())
                    .setCellsAfter(after.cells()));
        }
        if (!request.getDryRun()) {
            reply.setRoutingVersion(putInForce(services.catalogStore(), stream, key.scales(), change)
                    .version());
        }
        return reply.build();
    }

    /** What putting them in force would refuse. */
    private static void requireRoom(StreamInfo stream, ScaleChange change) {
        try {
            StreamCatalog.requireRoom(stream, change.scales());
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage()));
        }
    }

    private static ScaleChange change(StreamInfo stream, Schema schema, RescaleStreamRequest request, TupleBlock rows) {
        try {
            if (request.getDimensionsCount() == 0) {
                return ScaleChange.learn(schema, rows);
            }
            List<Dimension> given = request.getDimensionsList().stream()
                    .map(of -> new Dimension(
                            of.getField(), of.getBits(), of.getRangeList(), of.getCutsList(), of.getBytes()))
                    .toList();
            // Who learned them of a file did not know what earlier versions take. What was shown is not changed again.
            return ScaleChange.of(schema, request.getDryRun() ? ScaleChange.fitting(schema, given) : given, rows);
        } catch (IllegalArgumentException e) {
            throw wrong(stream, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Puts the scales of a change in force.
     *
     * @param scales the version that they follow; nothing is changed when another one has followed it meanwhile
     */
    static RoutingTable putInForce(CatalogStore store, StreamInfo stream, int scales, ScaleChange change) {
        StreamCatalog catalog = new StreamCatalog(store, stream);
        boolean tried = false;
        while (true) {
            store.sync();
            RoutingTable newest = catalog.newestTable();
            if (tried
                    && newest.scales() == scales + 1
                    && dimensions(catalog, scales + 1).equals(change.scales())) {
                // It was done all the same: the first answer was lost.
                return newest;
            }
            tried = true;
            if (newest.scales() != scales) {
                throw wrong(stream, "its scales were changed meanwhile; look at them, then ask again");
            }
            int slots = newest.indexers().length;
            long[] boundaries = change.keys().length == 0
                    ? RoutingTable.even(1, KeyScheme.of(stream.schema()).domain(scales + 1), slots)
                            .boundaries()
                    : change.boundaries(slots);
            // Not over what somebody has changed meanwhile: it may have other indexers.
            Optional<RoutingTable> table =
                    catalog.changeScales(newest.version(), change.scales(), boundaries, newest.indexers());
            if (table.isPresent()) {
                LOG.info(
                        "[{}] scales changed: version {}, by routing version {}",
                        stream.name(),
                        table.get().scales(),
                        table.get().version());
                return table.get();
            }
        }
    }

    private static List<Dimension> dimensions(StreamCatalog catalog, int scales) {
        KeySpec.Dimensions key = catalog.scaled(scales).schema().key().dimensional();
        return key == null ? List.of() : key.dimensions(scales);
    }

    /** A schema of the dimensions' fields alone, in the key's order, and the time. */
    private static Schema ofDimensions(Schema schema, KeySpec.Dimensions key) {
        List<Field> fields = new ArrayList<>();
        key.dimensions().forEach(dimension -> fields.add(schema.fields().get(schema.indexOf(dimension.field()))));
        fields.add(schema.fields().get(schema.indexOf(schema.timeField())));
        return new Schema(fields, key, schema.timeField());
    }

    /** The values that the newest tuples have in the dimensions, which are the first fields of the schema. */
    private TupleBlock newest(StreamSnapshot snapshot, Schema schema, int dimensions, AdminHandler.Caller caller)
            throws InterruptedException {
        List<Field> fields = schema.fields().subList(0, dimensions);
        Sample sample = new Sample(RowLayout.ofFields(fields), caller);
        Query query = Query.of(snapshot.stream().name())
                .withTimes(new TimeInterval(from(snapshot), Long.MAX_VALUE))
                .withResult(new ResultSpec.Rows(
                        fields.stream()
                                .map(field -> NamedExpression.parse(field.name()))
                                .toList(),
                        List.of(new Order(schema.timeField(), true)),
                        DimensionLearner.ROWS));
        coordinator.query(query, sample);
        WaterwheelException failure = sample.failure;
        if (failure != null) {
            throw failure;
        }
        return sample.rows;
    }

    /** A time from which on the chunks have enough tuples, so that older ones are not read. */
    private static long from(StreamSnapshot snapshot) {
        List<ChunkDescriptor> newestFirst = snapshot.allChunks().stream()
                .map(entry -> entry.value())
                .sorted(Comparator.comparingLong((ChunkDescriptor chunk) ->
                                chunk.region().times().from())
                        .reversed())
                .toList();
        long tuples = 0;
        for (ChunkDescriptor chunk : newestFirst) {
            tuples += chunk.tuples();
            if (tuples >= DimensionLearner.ROWS) {
                return chunk.region().times().from();
            }
        }
        return Long.MIN_VALUE;
    }

    /** Takes the rows of an answer. */
    private static final class Sample implements AnswerSink {
        /** Long texts: of what comes behind them, which is older, nothing is kept. */
        private static final long MOST_BYTES = 64 << 20;

        private final TupleBlock rows;
        private final RowCopy copy;
        private final AdminHandler.Caller caller;
        private @Nullable WaterwheelException failure;
        private boolean full;

        Sample(RowLayout layout, AdminHandler.Caller caller) {
            this.rows = new TupleBlock(layout, 0);
            this.copy = new RowCopy(layout, RowCopy.identity(layout), layout);
            this.caller = caller;
        }

        @Override
        public void start(List<Field> fields) {
            if (fields.size() != rows.layout().fields().size()) {
                throw new IllegalStateException("the answer has fields " + fields);
            }
        }

        @Override
        public void rows(TupleBlock more) {
            full |= rows.bytes() + more.bytes() > MOST_BYTES;
            if (full) {
                return;
            }
            int[] all = IntStream.range(0, more.size()).toArray();
            copy.copy(RowView.of(more), all, 0, all.length, rows);
        }

        @Override
        public void finish(Verdict verdict) {
            // A sample need not be complete.
        }

        @Override
        public void fail(WaterwheelException end) {
            failure = end;
        }

        @Override
        public boolean cancelled() {
            return caller.isGone();
        }
    }

    static ScaledDimension message(Dimension dimension) {
        return ScaledDimension.newBuilder()
                .setField(dimension.field())
                .setBits(dimension.bits())
                .addAllRange(dimension.range())
                .addAllCuts(dimension.cuts())
                .setBytes(dimension.bytes())
                .build();
    }

    private static WaterwheelException wrong(StreamInfo stream, String what) {
        return new WaterwheelException(ErrorCode.BAD_REQUEST, "stream " + stream.name() + ": " + what);
    }
}
