package io.waterwheel.topology.worker;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.ingest.dispatch.DeadLetters;
import io.waterwheel.ingest.source.LogReader;
import io.waterwheel.ingest.source.LogSource;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.Query;
import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.admission.Lane;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.PreparedShapes;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.query.scan.FreshReader;
import io.waterwheel.status.ServerReport;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;

/**
 * What the tasks of one worker share: connections, the control bus, who answers subqueries. One a worker process;
 * shells get it in {@code prepare} and give it back in {@code cleanup}. Thread-safe.
 */
public interface WorkerServices extends AutoCloseable {
    WaterwheelConfig config();

    CatalogStore catalogStore();

    Namespace namespace();

    /** The streams of the namespace as last seen; kept fresh by a watch. */
    StreamDirectory streams();

    /** Until it can be reached, its calls fail at once. */
    ChunkStore chunkStore();

    /** Why the chunk store cannot be used, for people; empty when it can. */
    String chunkStoreTrouble();

    /**
     * Makes sure that the catalog was not removed under this worker: what is empty in its place must not be taken for
     * it, nor filled. Asks it.
     *
     * @throws io.waterwheel.error.WaterwheelException CORRUPT, code CATALOG_LOST, when it was; TEMPORARY when it is
     *     away
     */
    void requireCatalog();

    ControlBus controlBus();

    /** A reader of its own for one spout task. */
    LogSource openLogSource();

    LogReader logReader();

    DeadLetters deadLetters();

    /** What holds up all readers of a partition's topic without being anybody's failure, for people; empty: nothing. */
    String logWarning(int streamId, int partition);

    /**
     * A topic as it is now, in offsets of its log.
     *
     * @param id of this making of it
     * @param starts first offset of each partition
     * @param ends one after the last visible record of each
     * @param epochs of the leaders that named the ends; -1 where not known
     * @param failure why not all of it could be asked for; empty when all could. Then starts and ends are -1 where
     *     nothing is known, and the arrays are empty when even the number of partitions is not
     */
    @SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
    record TopicState(String id, long[] starts, long[] ends, int[] epochs, String failure) {
        /** Whether what is said here, be it by silence, holds for a partition. */
        public boolean knows(int partition) {
            return failure.isEmpty() || (partition < ends.length && starts[partition] >= 0 && ends[partition] >= 0);
        }
    }

    /**
     * The topics of some streams, by stream id; those that do not exist are absent. One that cannot be asked for says
     * so, and keeps none of the others back. Blocks.
     */
    Map<Integer, TopicState> topicStates(Collection<StreamInfo> streams);

    /**
     * Whether the topics of some streams are compacted now, by stream id; those for which it cannot be found out are
     * absent. Blocks.
     */
    Map<Integer, Boolean> compactedTopics(Collection<StreamInfo> streams);

    /**
     * Position after the last visible record, for each partition of the stream, read now; {@link Long#MAX_VALUE} where
     * the log is another than the stream's route says.
     *
     * @throws io.waterwheel.error.WaterwheelException TEMPORARY when the topic is not there, or has fewer partitions
     */
    long[] logEnds(StreamInfo stream);

    /** Runs blocking calls of event loops: catalog writes, reads. Bounded. */
    ExecutorService blockingCalls();

    /**
     * Raises limits, and nothing else: without a limit a partition stands still, and none may wait behind a coordinator
     * that reads thousands of edits. Bounded.
     */
    ExecutorService limitCalls();

    /** Runs parts of queries of one lane; refuses none, for {@link #admission} bounds their number. */
    ExecutorService queryThreads(Lane lane);

    /** Gives the queries of this process their turns. */
    Admission admission();

    /** What queries and subqueries of this worker reserve their memory from. */
    QueryMemory queryMemory();

    /** Shapes that queries and subqueries of this worker have made ready. */
    PreparedShapes preparedShapes();

    /**
     * Lets subqueries reach an indexer that a task of this worker hosts.
     *
     * @return closing it ends that
     */
    AutoCloseable hostIndexer(int streamId, int indexer, FreshReader reader);

    /** Lets chunk subqueries reach a query server of this worker. */
    AutoCloseable hostQueryServer(int index);

    /** Those who answer subqueries of a stream. */
    Endpoints endpoints(int streamId);

    /** A coordinator's public server. */
    interface CoordinatorServer extends AutoCloseable {
        String url();

        @Override
        void close();
    }

    /** What a coordinator does with a query. */
    interface QueryHandler {
        void query(Query query, AnswerSink sink) throws InterruptedException;

        /** Answers a query from these chunks of a snapshot alone. */
        void queryChunks(Query query, StreamSnapshot snapshot, List<ChunkDescriptor> chunks, AnswerSink sink)
                throws InterruptedException;

        /** What it knows of the streams. */
        ServerReport status();

        /**
         * The catalog with every edit that was committed before the call. It is the one that queries are planned on,
         * brought up to date: as dear as the edits that it lacks. Blocks.
         */
        StreamSnapshot snapshot(StreamInfo stream);

        /** The last report of each partition of a stream. */
        Map<Integer, Control.PartitionReport> partitionReports(int streamId);

        /** The last report of each indexer of a stream, however old. */
        Map<Integer, Control.Report> indexerReports(int streamId);

        /** Tuples a second that each slot of a routing table got, or would have got, in the last seconds. */
        double[] keyRates(int streamId, RoutingTable table);
    }

    /**
     * Keeps an ephemeral node of the catalog, as long as the result is not closed and this process lives.
     *
     * @param path whose parents are made when absent
     */
    AutoCloseable announce(String path, String content);

    /** Starts the public server of a coordinator task and announces it. */
    CoordinatorServer serve(int coordinator, QueryHandler handler);

    @Override
    void close();
}
