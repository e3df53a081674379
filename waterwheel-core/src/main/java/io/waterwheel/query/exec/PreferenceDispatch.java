package io.waterwheel.query.exec;

import io.waterwheel.catalog.ChunkDescriptor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A dispatch in which every chunk has an order of the servers. One lock, held O(pending x servers) a bid at worst; a
 * query has tens to thousands of chunks, each of which takes a server far longer to read.
 */
final class PreferenceDispatch implements Dispatch {
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
        final ChunkDescriptor chunk;
        /** A server that failed moves to the end. */
        final List<String> order;

        final Set<String> failed = new HashSet<>();

        Pending(ChunkDescriptor chunk, List<String> order) {
            this.chunk = chunk;
            this.order = order;
        }
    }

    // Guarded by this: a set, as chunks leave it in any order.
    private final Set<Pending> pending;
    private final Map<String, Pending> taken = new HashMap<>();
    private final Claim claim;

    PreferenceDispatch(List<Pending> pending, Claim claim) {
        this.pending = new LinkedHashSet<>(pending);
        this.claim = claim;
    }

    @Override
    public synchronized @Nullable ChunkDescriptor bid(String server) {
        Pending best = null;
        int bestRank = Integer.MAX_VALUE;
        for (Pending candidate : pending) {
            if (candidate.failed.contains(server)) {
                continue;
            }
            int rank = rank(candidate, server);
            if (rank < bestRank) {
                best = candidate;
                bestRank = rank;
                if (rank == 0) {
                    break;
                }
            }
        }
        if (best == null) {
            return null;
        }
        pending.remove(best);
        taken.put(best.chunk.file(), best);
        return best.chunk;
    }

    /** How little the server wants the chunk; {@link Integer#MAX_VALUE} when it may not have it. */
    private int rank(Pending candidate, String server) {
        return switch (claim) {
            case NEXT -> 0;
            case OWN -> firstWilling(candidate).equals(server) ? 0 : Integer.MAX_VALUE;
            case PREFERRED -> {
                int place = candidate.order.indexOf(server);
                // A server that has appeared since the query began may help with anything.
                yield place < 0 ? candidate.order.size() : place;
            }
        };
    }

    private static String firstWilling(Pending candidate) {
        for (String server : candidate.order) {
            if (!candidate.failed.contains(server)) {
                return server;
            }
        }
        return "";
    }

    @Override
    public synchronized void failed(ChunkDescriptor chunk, String server) {
        Pending back = taken.remove(chunk.file());
        if (back != null) {
            back.failed.add(server);
            if (back.order.remove(server)) {
                back.order.add(server);
            }
            pending.add(back);
        }
    }

    @Override
    public synchronized void forgetFailures() {
        pending.forEach(entry -> entry.failed.clear());
    }

    @Override
    public synchronized void done(ChunkDescriptor chunk) {
        taken.remove(chunk.file());
    }

    @Override
    public synchronized List<ChunkDescriptor> left() {
        return new ArrayList<>(pending.stream().map(entry -> entry.chunk).toList());
    }
}
