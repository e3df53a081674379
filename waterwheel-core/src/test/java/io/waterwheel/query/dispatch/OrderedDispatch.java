package io.waterwheel.query.dispatch;

import io.waterwheel.catalog.state.ChunkDescriptor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A dispatch in which each chunk has an order of the servers; no server waits for another, nor helps it. One thread.
 */
final class OrderedDispatch implements Dispatch {
    /** Which pending chunk a server gets. */
    enum Claim {
        /** The one in whose order it stands first. */
        PREFERRED,
        /** The next of those in whose order it is the first that has not failed. */
        OWN,
        /** The next of all. */
        NEXT
    }

    /** A chunk and its order of the servers, the most preferred first. */
    static final class Pending {
        private final ChunkDescriptor chunk;
        private final List<String> order;
        private final Set<String> failed = new HashSet<>();

        Pending(ChunkDescriptor chunk, List<String> order) {
            this.chunk = chunk;
            this.order = new ArrayList<>(order);
        }
    }

    private final Set<Pending> pending;
    private final Map<ChunkDescriptor, Pending> taken = new HashMap<>();
    private final Claim claim;

    OrderedDispatch(List<Pending> pending, Claim claim) {
        this.pending = new LinkedHashSet<>(pending);
        this.claim = claim;
    }

    @Override
    public Bid bid(String server, long nowNanos) {
        Pending best = null;
        int bestRank = Integer.MAX_VALUE;
        for (Pending candidate : pending) {
            int rank = rank(candidate, server);
            if (rank < bestRank) {
                best = candidate;
                bestRank = rank;
            }
        }
        if (best == null) {
            return new Bid.Nothing();
        }
        pending.remove(best);
        taken.put(best.chunk, best);
        return new Bid.Read(best.chunk);
    }

    /** How little the server wants the chunk; {@link Integer#MAX_VALUE} when it may not have it. */
    private int rank(Pending candidate, String server) {
        if (candidate.failed.contains(server)) {
            return Integer.MAX_VALUE;
        }
        return switch (claim) {
            case NEXT -> 0;
            case OWN ->
                candidate.order.stream()
                                .filter(other -> !candidate.failed.contains(other))
                                .findFirst()
                                .equals(Optional.of(server))
                        ? 0
                        : Integer.MAX_VALUE;
            case PREFERRED -> {
                int place = candidate.order.indexOf(server);
                yield place < 0 ? candidate.order.size() : place;
            }
        };
    }

    @Override
    public void failed(ChunkDescriptor chunk, String server) {
        Pending back = taken.remove(chunk);
        back.failed.add(server);
        back.order.remove(server);
        back.order.add(server);
        pending.add(back);
    }

    @Override
    public void putOff(ChunkDescriptor chunk, String server) {
        pending.add(taken.remove(chunk));
    }

    @Override
    public void forgetFailures() {
        pending.forEach(entry -> entry.failed.clear());
    }

    @Override
    public boolean done(ChunkDescriptor chunk, String server, long nowNanos) {
        return taken.remove(chunk) != null;
    }

    @Override
    public void paused(ChunkDescriptor chunk, String server, boolean isPaused, long nowNanos) {}

    @Override
    public List<ChunkDescriptor> left() {
        return pending.stream().map(entry -> entry.chunk).toList();
    }

    @Override
    public boolean hasWorkFor(String server, long nowNanos) {
        return pending.stream().anyMatch(entry -> rank(entry, server) < Integer.MAX_VALUE);
    }

    @Override
    public boolean isRead(ChunkDescriptor given) {
        return !taken.containsKey(given);
    }
}
