package io.waterwheel.topology.admin;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RecordFacts;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.decode.registry.RegistryAccess;
import io.waterwheel.decode.registry.SchemaRegistry;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.topology.kafka.TopicScan;
import io.waterwheel.topology.rpc.AdminHandler;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.RowSetHash;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Recounts a stream's topic and compares it with the answers: number and fingerprint of the tuples, on a running
 * system, exactly. One thread, once. Offsets here are positions: those of the log, counted on where a topic was made
 * anew.
 *
 * <p>What is compared is one edit of the catalog. There the chunks of indexer i hold the tuples that were routed to it
 * and lie below its checkpoint, no others; which tuples of the topic these are follows from the routes and the
 * checkpoints alone. So tuples that arrive meanwhile disturb nothing. Where the log no longer has the first records, or
 * some were given up, the flushes that may hold some of them are left out on both sides; so are tuples that have
 * expired, wherever they are.
 */
public final class StreamVerifier {
    /** Times are told apart by this number of intervals, to say where something differs. */
    private static final int SLICES = 64;
    /** How often is looked whether a change of the routing is finished. */
    private static final long UNFINISHED_MILLIS = 200;

    /** One partition's part of the topic. */
    public record Part(long from, long to, long tuples, long refused) {}

    /**
     * What came out.
     *
     * @param parts by partition
     * @param differences a sentence each; empty when the answers agree with the topic
     */
    public record Outcome(
            long edit,
            Map<Integer, Part> parts,
            RowSetHash topic,
            RowSetHash answers,
            List<String> notes,
            List<String> differences) {}

    /** How long it waits for the schema of a record. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final @Nullable SchemaRegistry registry;
    private final StreamInfo stream;
    private final StreamCatalog catalog;
    private final CoordinatorServices.QueryHandler coordinator;
    private final TopicScan scan;
    private final AdminHandler.Caller caller;
    private final long deadlineNanos;

    private StreamSnapshot snapshot;
    /** By indexer the checkpoint below which nothing is compared. */
    private final Map<Integer, IndexerCheckpoint> floors = new HashMap<>();

    /** By partition what is added to the log's offsets to make positions. */
    private final Map<Integer, Long> bases = new HashMap<>();

    private final RowSetHash[] topicSlices = slices();
    private final RowSetHash[] answerSlices = slices();
    private long sliceFrom = Long.MAX_VALUE;
    private long sliceTo = Long.MIN_VALUE;

    public StreamVerifier(
            StreamInfo stream,
            StreamCatalog catalog,
            CoordinatorServices.QueryHandler coordinator,
            TopicScan scan,
            RegistryAccess access,
            AdminHandler.Caller caller,
            long deadlineNanos) {
        String address = stream.schema().text().types().registry();
        this.registry = address.isEmpty() ? null : new SchemaRegistry(address, access);
        this.stream = stream;
        this.catalog = catalog;
        this.coordinator = coordinator;
        this.scan = scan;
        this.caller = caller;
        this.deadlineNanos = deadlineNanos;
        this.snapshot = StreamSnapshot.before(stream);
    }

    private static RowSetHash[] slices() {
        RowSetHash[] slices = new RowSetHash[SLICES];
        Arrays.setAll(slices, slice -> new RowSetHash());
        return slices;
    }

    public Outcome verify() throws InterruptedException {
        snapshot = recorded();
        List<String> notes = new ArrayList<>();
        long[] begins = begins(notes);
        boolean fromTheStart = notes.isEmpty();
        if (snapshot.horizon() != Retention.NO_HORIZON) {
            notes.add(
                    "tuples before " + Instant.ofEpochMilli(snapshot.horizon()) + " have expired and are not compared");
        }
        List<ChunkDescriptor> chunks = new ArrayList<>();
        long inChunks = 0;
        for (ChunkDescriptor chunk : allChunks()) {
            inChunks += chunk.tuples();
            IndexerCheckpoint floor = floors.get(chunk.indexer());
            if (floor == null || chunk.flush() > floor.flushed()) {
                chunks.add(chunk);
            }
        }
        long compared = chunks.stream().mapToLong(ChunkDescriptor::tuples).sum();
        if (compared < inChunks) {
            notes.add("of " + inChunks + " tuples in chunks " + compared
                    + " are compared; 'chunk verify' reads all chunks");
        }
        for (ChunkDescriptor chunk : chunks) {
            sliceFrom = Math.min(sliceFrom, chunk.region().times().from());
            sliceTo = Math.max(sliceTo, chunk.region().times().to());
        }
        Map<Integer, Part> parts = new TreeMap<>();
        for (int p = 0; p < begins.length; p++) {
            parts.put(p, recount(p, begins[p]));
        }
        if (chunks.isEmpty() && inChunks > 0 && sum(topicSlices).rows() == 0) {
            throw nothing(
                    "each flush of the " + inChunks + " tuples in its chunks has, or may have, records that the topic"
                            + " no longer has, or that were given up");
        }
        ask(chunks);
        RowSetHash topic = sum(topicSlices);
        RowSetHash answers = sum(answerSlices);
        return new Outcome(
                snapshot.edit(), parts, topic, answers, notes, differences(topic, answers, parts, fromTheStart));
    }

    /** A snapshot that has from which offset on each table holds: what is announced only may hold anywhere. */
    private StreamSnapshot recorded() throws InterruptedException {
        while (true) {
            StreamSnapshot present = coordinator.snapshot(stream);
            if (present.announced().isEmpty()) {
                return present;
            }
            if (System.nanoTime() - deadlineNanos >= 0) {
                throw new WaterwheelException(
                        ErrorCode.ROUTING_UNFINISHED,
                        "stream " + stream.name() + ": partitions " + present.notAdopted()
                                + " have not adopted the newest routing table yet, so whose a tuple is cannot be told;"
                                + " is there a coordinator? Try again");
            }
            caller.requireThere();
            catalog.finish(present);
            Thread.sleep(UNFINISHED_MILLIS);
        }
    }

    /** Where counting begins in each partition; sets the floors. */
    private long[] begins(List<String> notes) {
        long[] begins = new long[snapshot.stream().partitions()];
        for (int p = 0; p < begins.length; p++) {
            LogIdentity log = catalog.route(p).route().log();
            bases.put(p, log.base());
            begins[p] = Math.max(log.since(), scan.begin(p) + log.base());
            for (LostRange range : snapshot.route(p).lost()) {
                begins[p] = Math.max(begins[p], range.to());
            }
        }
        setFloors(begins, notes);
        if (floors.values().stream().anyMatch(floor -> floor.flushed() > 0)) {
            // Not from the stream's beginning: whose a tuple was must be known, and below this it is forgotten.
            for (int p = 0; p < begins.length; p++) {
                begins[p] = Math.max(begins[p], snapshot.route(p).firstSince());
            }
            notes.clear();
            setFloors(begins, notes);
        }
        return begins;
    }

    private void setFloors(long[] begins, List<String> notes) {
        // Of long lives only some checkpoints are known, and the present one: where one will do, an older would too.
        new TreeMap<>(snapshot.marks()).forEach((indexer, marks) -> {
            List<IndexerCheckpoint> checkpoints = new ArrayList<>(marks.checkpoints());
            checkpoints.add(checkpoint(indexer));
            for (IndexerCheckpoint checkpoint : checkpoints) {
                if (atOrAbove(checkpoint.watermarks(), begins)) {
                    floors.put(indexer, checkpoint);
                    if (checkpoint.flushed() > 0) {
                        notes.add("indexer " + indexer + ": compared from flush " + (checkpoint.flushed() + 1)
                                + " on; of what is in those before the log has not everything, or some was given up");
                    }
                    return;
                }
            }
            throw nothing("the log begins at " + Arrays.toString(begins) + ", above all that indexer " + indexer
                    + " has flushed");
        });
    }

    private WaterwheelException nothing(String why) {
        return new WaterwheelException(
                ErrorCode.NOTHING_TO_COMPARE,
                "stream " + stream.name() + ": " + why + ": nothing can be compared; 'chunk verify " + stream.name()
                        + "' reads the chunks themselves. A server in one process deletes records that are in chunks"
                        + " (kafka.delete-indexed), unless the stream says indexed-records=keep");
    }

    private List<ChunkDescriptor> allChunks() {
        List<ChunkDescriptor> chunks = new ArrayList<>();
        snapshot.chunks(new Region(KeyInterval.ALL, TimeInterval.ALL), chunks::add);
        return chunks;
    }

    private static boolean atOrAbove(long[] watermarks, long[] begins) {
        for (int p = 0; p < begins.length; p++) {
            if (watermarks[p] < begins[p]) {
                return false;
            }
        }
        return true;
    }

    private static boolean within(long offset, int partition, IndexerCheckpoint from, IndexerCheckpoint to) {
        return offset >= from.watermarks()[partition] && offset < to.watermarks()[partition];
    }

    /** Counts what of a partition must be in the chunks. */
    private Part recount(int partition, long begin) throws InterruptedException {
        long from = Long.MAX_VALUE;
        long to = begin;
        for (Map.Entry<Integer, IndexerCheckpoint> floor : floors.entrySet()) {
            long low = floor.getValue().watermarks()[partition];
            long high = checkpoint(floor.getKey()).watermarks()[partition];
            // An indexer that is new stands at a limit, perhaps beyond the end of the log, and has flushed nothing.
            if (low < high) {
                from = Math.min(from, low);
                to = Math.max(to, high);
            }
        }
        from = Math.min(from, to);
        Recount recount = new Recount(partition);
        long base = bases.getOrDefault(partition, 0L);
        scan.read(
                partition,
                from - base,
                to - base,
                deadlineNanos,
                caller::requireThere,
                (offset, value, facts) -> recount.record(offset + base, value, facts));
        return new Part(from, to, recount.tuples, recount.refused);
    }

    private IndexerCheckpoint checkpoint(int indexer) {
        IndexerCheckpoint checkpoint = snapshot.checkpoints().get(indexer);
        if (checkpoint == null) {
            throw new IllegalStateException("edit " + snapshot.edit() + ": indexer " + indexer + " has no checkpoint");
        }
        return checkpoint;
    }

    private final class Recount {
        private final int partition;
        private final PartitionRoute route;
        private final RecordDecoder decoder = RecordDecoder.of(
                stream.format(), stream.schema(), registry == null ? WriterSchemas.NONE : registry.waiting(PATIENCE));
        private final RowLayout layout = RowLayout.of(stream.schema());
        /** Of the snapshot, which knows all scales by which any of its tables makes keys. */
        private final KeyScheme scheme = KeyScheme.of(snapshot.stream().schema());

        private final Map<Integer, KeyMaker> keys = new HashMap<>();
        private final TupleBlock block = new TupleBlock(layout, 64);
        private long tuples;
        private long refused;
        private long refusedRows;

        Recount(int partition) {
            this.partition = partition;
            this.route = snapshot.route(partition);
        }

        void record(long offset, ByteBuffer value, RecordFacts facts) {
            block.clear();
            RoutingTable table = snapshot.table(route.versionAt(offset));
            refusedRows = 0;
            try {
                decoder.decode(value, facts, block);
                keys.computeIfAbsent(table.scales(), scales -> scheme.maker(layout, scales))
                        .fill(block, 0, (index, reason) -> refusedRows++);
            } catch (RejectedRecordException e) {
                refusedRows = 1;
            }
            if (offset < route.firstSince()) {
                // Whose it was is forgotten, as every checkpoint has passed it; all is compared from the beginning
                // then.
                refused += refusedRows;
                for (int row = 0; row < block.size(); row++) {
                    count(row);
                }
                return;
            }
            // As the dispatcher has it: the first indexer of the table counts what is refused.
            if (belongs(offset, table.indexers()[0])) {
                refused += refusedRows;
            }
            for (int row = 0; row < block.size(); row++) {
                if (belongs(offset, table.indexers()[table.slotOf(block.keys()[row])])) {
                    count(row);
                }
            }
        }

        private void count(int row) {
            if (block.times()[row] >= snapshot.horizon()) {
                tuples++;
                topicSlices[slice(block.times()[row])].add(block, row);
            }
        }

        private boolean belongs(long offset, int indexer) {
            IndexerCheckpoint floor = floors.get(indexer);
            return floor != null && within(offset, partition, floor, checkpoint(indexer));
        }
    }

    private int slice(long millis) {
        if (sliceFrom >= sliceTo || millis <= sliceFrom) {
            return 0;
        }
        if (millis >= sliceTo) {
            return SLICES - 1;
        }
        return (int) (((double) millis - sliceFrom) / ((double) sliceTo - sliceFrom) * (SLICES - 1));
    }

    /** Reads all that the chunks answer. */
    private void ask(List<ChunkDescriptor> chunks) throws InterruptedException {
        long left = deadlineNanos - System.nanoTime();
        Query everything = Query.of(stream.name()).withTimeout(Duration.ofNanos(Math.max(1_000_000, left)));
        int time = stream.schema().indexOf(stream.schema().timeField());
        TimestampUnit unit = stream.schema().fields().get(time).type().resolution();
        Answer answer = new Answer(time, unit);
        coordinator.queryChunks(everything, snapshot, chunks, answer);
        caller.requireThere();
        WaterwheelException failure = answer.failure;
        if (failure != null) {
            throw failure;
        }
        if (answer.verdict == null || !answer.verdict.complete()) {
            throw new WaterwheelException(ErrorCode.INCOMPLETE, "the answer is not complete: " + answer.verdict);
        }
    }

    private final class Answer implements AnswerSink {
        private final int timeField;
        private final TimestampUnit unit;
        private @Nullable Verdict verdict;
        private @Nullable WaterwheelException failure;

        Answer(int timeField, TimestampUnit unit) {
            this.timeField = timeField;
            this.unit = unit;
        }

        @Override
        public void start(List<Field> fields) {
            if (!fields.equals(stream.schema().fields())) {
                throw new IllegalStateException("the answer has fields " + fields);
            }
        }

        @Override
        public void rows(TupleBlock rows) {
            int column = rows.layout().columnOf(timeField);
            for (int row = 0; row < rows.size(); row++) {
                long time = LittleEndian.getLong(rows.column(column), row * 8);
                answerSlices[slice(unit.toMillis(time))].add(rows, row);
            }
        }

        @Override
        public void finish(Verdict answered) {
            verdict = answered;
        }

        @Override
        public void fail(WaterwheelException e) {
            failure = e;
        }

        @Override
        public boolean cancelled() {
            return caller.isGone();
        }
    }

    private static RowSetHash sum(RowSetHash[] slices) {
        RowSetHash all = new RowSetHash();
        for (RowSetHash slice : slices) {
            all.add(slice);
        }
        return all;
    }

    private List<String> differences(
            RowSetHash topic, RowSetHash answers, Map<Integer, Part> parts, boolean fromTheStart) {
        List<String> differences = new ArrayList<>();
        if (!topic.agrees(answers)) {
            differences.add("the topic has " + topic.rows() + " tuples, fingerprint " + topic.fingerprint()
                    + "; the answers have " + answers.rows() + ", fingerprint " + answers.fingerprint());
            for (int slice = 0; slice < SLICES; slice++) {
                if (!topicSlices[slice].agrees(answerSlices[slice])) {
                    differences.add("times " + bounds(slice) + ": the topic has " + topicSlices[slice].rows()
                            + " tuples, the answers " + answerSlices[slice].rows()
                            + (topicSlices[slice].rows() == answerSlices[slice].rows() ? ", not the same" : ""));
                }
            }
        }
        long refused = parts.values().stream().mapToLong(Part::refused).sum();
        long counted = snapshot.checkpoints().values().stream()
                .mapToLong(IndexerCheckpoint::rejected)
                .sum();
        if (fromTheStart && refused != counted) {
            differences.add("the topic has " + refused + " rows that are no tuples; " + counted + " were counted");
        }
        return differences;
    }

    private TimeInterval interval(int slice) {
        double width = ((double) sliceTo - sliceFrom) / (SLICES - 1);
        return new TimeInterval(
                sliceFrom + (long) (slice * width), Math.min(sliceTo, sliceFrom + (long) ((slice + 1) * width)));
    }

    private String bounds(int slice) {
        if (sliceFrom >= sliceTo) {
            return "all";
        }
        TimeInterval interval = interval(slice);
        return Instant.ofEpochMilli(interval.from()) + " to " + Instant.ofEpochMilli(interval.to());
    }
}
