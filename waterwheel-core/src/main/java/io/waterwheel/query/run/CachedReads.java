package io.waterwheel.query.run;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.ResolvedQuery;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads chunks of a small question on the query's own thread, as far as that needs no file: to hand them to others
 * takes longer than to read them. Whatever else comes of a chunk, a failure too, is left to {@link ChunkReads}; merges
 * take chunks in any order. One thread.
 */
final class CachedReads {
    /** More chunks are read by several threads. */
    private static final int FEW_CHUNKS = 8;

    /**
     * Of one query, whatever was expected: three times what a small question looks at, as it reads a leaf of 2,048
     * tuples at each end of its keys in a chunk.
     */
    private static final long MOST_TUPLES = 48 << 10;

    /** How many more tuples a query's thread may look at by itself, those of chunks it then left too. One thread. */
    static final class Allowance {
        private long left = MOST_TUPLES;

        boolean take(long tuples) {
            left -= tuples;
            return !isSpent();
        }

        boolean isSpent() {
            return left < 0;
        }
    }

    private final ResolvedQuery resolved;
    private final Delivery delivery;
    private final Endpoints endpoints;
    private final Reservation memory;
    private final Allowance allowance;

    CachedReads(
            ResolvedQuery resolved, Delivery delivery, Endpoints endpoints, Reservation memory, Allowance allowance) {
        this.resolved = resolved;
        this.delivery = delivery;
        this.endpoints = endpoints;
        this.memory = memory;
        this.allowance = allowance;
    }

    /**
     * Reads those of them that are in memory, in their order, until the allowance is spent; returns those that are
     * left, which are none once the answer has enough.
     */
    List<ChunkDescriptor> read(List<ChunkDescriptor> chunks) {
        if (chunks.isEmpty() || chunks.size() > FEW_CHUNKS) {
            return chunks;
        }
        List<Endpoints.QueryServer> servers = endpoints.queryServers();
        List<ChunkDescriptor> left = new ArrayList<>();
        for (ChunkDescriptor chunk : chunks) {
            if (!isRead(servers, chunk)) {
                left.add(chunk);
            }
        }
        return delivery.nobodyWaits() ? List.of() : left;
    }

    private boolean isRead(List<Endpoints.QueryServer> servers, ChunkDescriptor chunk) {
        for (Endpoints.QueryServer server : servers) {
            if (!allowance.isSpent() && !delivery.done() && isRead(server, chunk)) {
                return true;
            }
        }
        return false;
    }

    private boolean isRead(Endpoints.QueryServer server, ChunkDescriptor chunk) {
        try (Reservation held = memory.part()) {
            ChunkAttempt attempt = new ChunkAttempt(delivery::done, allowance::take, held, memory);
            long begin = delivery.tally().nanos();
            long found;
            try {
                found = server.scanCached(
                        new Subquery.OfChunk(
                                resolved.query(),
                                resolved.stream().id(),
                                resolved.stream().scales(),
                                chunk.file(),
                                delivery.pieceFrom(0)),
                        resolved,
                        attempt);
            } catch (IOException | WaterwheelException e) {
                // No attempt of the server's: nothing of it is counted, and a reader takes the chunk now.
                return false;
            }
            if (attempt.isCut()) {
                delivery.tally().attemptInVain(server);
                return false;
            }
            long took = delivery.tally().nanos() - begin;
            delivery.tally().readChunk(server, attempt.scanned(), AnswerTally.Nearness.NONE, took);
            delivery.take(new Part(attempt.rows(), found, held.moved()));
            return true;
        }
    }
}
