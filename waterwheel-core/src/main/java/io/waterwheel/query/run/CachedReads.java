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
 * takes longer than to read them. Whatever else comes of a chunk, a failure too, is left to {@link ChunkReads}. One
 * thread.
 */
final class CachedReads {
    /** More chunks are read by several threads. */
    private static final int FEW_CHUNKS = 8;

    private final ResolvedQuery resolved;
    private final Delivery delivery;
    private final Endpoints endpoints;
    private final Reservation memory;

    CachedReads(ResolvedQuery resolved, Delivery delivery, Endpoints endpoints, Reservation memory) {
        this.resolved = resolved;
        this.delivery = delivery;
        this.endpoints = endpoints;
        this.memory = memory;
    }

    /**
     * Reads them in their order, up to the first that is not in memory; returns those that are left, which are none
     * once the answer has enough.
     */
    List<ChunkDescriptor> read(List<ChunkDescriptor> chunks) {
        if (chunks.isEmpty() || chunks.size() > FEW_CHUNKS) {
            return chunks;
        }
        List<ChunkDescriptor> left = new ArrayList<>(chunks);
        for (Endpoints.QueryServer server : endpoints.queryServers()) {
            while (!left.isEmpty() && isRead(server, left.get(0))) {
                left.remove(0);
            }
        }
        return delivery.nobodyWaits() ? List.of() : left;
    }

    private boolean isRead(Endpoints.QueryServer server, ChunkDescriptor chunk) {
        try (Reservation held = memory.part()) {
            ChunkAttempt attempt = new ChunkAttempt(delivery::done, held, memory);
            long begin = delivery.tally().nanos();
            long found = server.scanCached(
                    new Subquery.OfChunk(
                            resolved.query(),
                            resolved.stream().id(),
                            resolved.stream().scales(),
                            chunk.file(),
                            delivery.pieceFrom(0)),
                    resolved,
                    attempt);
            if (attempt.isCut() || attempt.nextLeaf() != ChunkReads.THROUGH) {
                return false;
            }
            delivery.tally()
                    .readChunk(
                            server,
                            attempt.scanned(),
                            AnswerTally.Nearness.NONE,
                            delivery.tally().nanos() - begin);
            delivery.take(new Part(attempt.rows(), found, held.moved()));
            return true;
        } catch (IOException | WaterwheelException e) {
            return false;
        }
    }
}
