package io.waterwheel.query.plan;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.IndexerReply;
import io.waterwheel.query.scan.NotQuickException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The seam to the tasks that answer subqueries, in this process or another. Thread-safe. */
public interface Endpoints {
    /** An indexer task that hosts a logical indexer. */
    interface Indexer {
        /**
         * Hands over a subquery.
         *
         * @param resolved its query, for one that runs in this process
         * @param deadlineNanos by {@link System#nanoTime}
         * @param givenUp whether the caller has given up on the reply; asked now and then while it waits
         * @throws IOException when it cannot be reached
         */
        IndexerReply ask(
                Subquery.OfIndexer subquery, ResolvedQuery resolved, long deadlineNanos, BooleanSupplier givenUp)
                throws IOException, InterruptedException;

        /**
         * Whether it is of this process. One elsewhere does not ask whether it is given up: it is to be asked on a
         * thread that may be interrupted.
         */
        default boolean isHere() {
            return true;
        }
    }

    /** A query server. */
    interface QueryServer {
        /** Unique among query servers, stable while it lives. */
        String name();

        /** Host name, to compare with those that hold a replica of a chunk. */
        String host();

        /** Chunks that it reads at once for one query; at least 1. */
        default int readers() {
            return 1;
        }

        /**
         * Reads one chunk, or a piece of it.
         *
         * @param resolved the subquery's query, for one that runs in this process
         * @return number of matching tuples, all of them given to the sink unless it stopped the scan
         * @throws io.waterwheel.error.WaterwheelException of kind USER when the query itself is at fault: no other
         *     server can answer it either
         * @throws IOException when the server, or the chunk, cannot be read; what the sink has seen is then void
         */
        long scan(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink, long deadlineNanos)
                throws IOException, InterruptedException;

        /**
         * The same as far as the cache of this process has all that it needs; never waits for a file or another
         * process.
         *
         * @throws NotQuickException when the cache lacks something, when the sink allows no more tuples, when the chunk
         *     has more than this piece, or when the server is elsewhere; what the sink has seen is then void
         */
        default long scanCached(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink) throws IOException {
            throw new NotQuickException();
        }
    }

    /** Who hosts the indexer now, or null when no task does. */
    @Nullable
    Indexer indexer(int indexer);

    /** Why this process does not host an indexer that it should; empty when it does, or does not know. */
    default String absence(int indexer) {
        return "";
    }

    /** Query servers that are alive. */
    List<QueryServer> queryServers();

    /** By file, hosts that hold a replica of each of these chunks; none, or no entry, when all are equally near. */
    Map<String, List<String>> replicas(List<ChunkDescriptor> chunks) throws InterruptedException;

    /** The same for questions of the server's own, where those of clients are measured. */
    default Endpoints uncounted() {
        return this;
    }
}
