package io.waterwheel.topology.worker;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.decode.registry.RegistryAccess;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.Query;
import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.admission.Lane;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.PreparedShapes;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.query.run.QuestionLog;
import io.waterwheel.status.ServerReport;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;

/** What a coordinator task needs, and what its calls do. Thread-safe. */
public interface CoordinatorServices extends ChunkServices, SourceTopics {
    /** Runs parts of queries of one lane; refuses none, for {@link #admission} bounds their number. */
    ExecutorService queryThreads(Lane lane);

    /** Gives the queries of this process their turns. */
    Admission admission();

    /** What queries and subqueries of this worker reserve their memory from. */
    QueryMemory queryMemory();

    /** Shapes that queries and subqueries of this worker have made ready. */
    PreparedShapes preparedShapes();

    /** What lets this worker into schema registries. */
    RegistryAccess registryAccess();

    /** What deletes records of topics, and keeps that from those who want all of them. */
    TopicRecords topicRecords();

    /** What is done now and then. */
    TimedJobs jobs();

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

        /** What it knows of the streams, and these gateways. */
        ServerReport status(List<ServerReport.Gateway> gateways);

        /**
         * The catalog with every edit that was committed before the call. It is the one that queries are planned on,
         * brought up to date: as dear as the edits that it lacks. Blocks.
         */
        StreamSnapshot snapshot(StreamInfo stream);

        /**
         * The catalog as queries are planned on it, which may lack the last edits. Where it is known it is not asked
         * for; else it is read, and this blocks.
         */
        StreamSnapshot known(StreamInfo stream);

        /** The last report of each partition of a stream. */
        Map<Integer, Control.PartitionReport> partitionReports(int streamId);

        /** The last report of each indexer of a stream, however old. */
        Map<Integer, Control.Report> indexerReports(int streamId);

        /** The shapes of the questions that it has answered. */
        QuestionLog questions();

        /** Tuples a second that each slot of a routing table got, or would have got, in the last seconds. */
        double[] keyRates(int streamId, RoutingTable table);
    }

    /** Starts the public server of a coordinator task and announces it. */
    CoordinatorServer serve(int coordinator, QueryHandler handler);
}
