package io.waterwheel.query.exec;

import io.waterwheel.catalog.ChunkDescriptor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Locality-aware dispatch of chunk subqueries to query servers (LADA, section IV-C of the paper). Every chunk orders
 * the servers by a permutation that only depends on the chunk and the servers, those with a replica first; so the same
 * chunk tends to be read by the same server, whose cache holds it. Idle servers bid: each takes, of what is pending,
 * the subquery for which it stands highest in the chunk's order. Thread-safe; O(pending) a bid.
 */
public final class LadaDispatch {
    private static final class Pending {
        final ChunkDescriptor chunk;
        /** Rank of each server for this chunk: the preference array, seen from the chunk. */
        final Map<String, Integer> ranks;
        /** Servers that failed to read it. */
        final List<String> failed = new ArrayList<>();

        Pending(ChunkDescriptor chunk, Map<String, Integer> ranks) {
            this.chunk = chunk;
            this.ranks = ranks;
        }
    }

    private final List<Pending> pending = new ArrayList<>();
    private final Map<String, Pending> taken = new HashMap<>();

    /**
     * @param servers name to host of every query server
     * @param replicas of each chunk's file, the hosts that hold it
     */
    public LadaDispatch(
            List<ChunkDescriptor> chunks,
            Map<String, String> servers,
            java.util.function.Function<String, List<String>> replicas) {
        List<String> names = new ArrayList<>(servers.keySet());
        names.sort(null);
        for (ChunkDescriptor chunk : chunks) {
            pending.add(
                    new Pending(chunk, ranks(chunk.file(), names, servers, Set.copyOf(replicas.apply(chunk.file())))));
        }
    }

    private static Map<String, Integer> ranks(
            String file, List<String> sortedNames, Map<String, String> servers, Set<String> replicas) {
        List<String> order = new ArrayList<>(sortedNames);
        java.util.Collections.shuffle(order, new Random(seed(file)));
        Map<String, Integer> ranks = new HashMap<>();
        for (String name : order) {
            if (replicas.contains(servers.get(name))) {
                ranks.put(name, ranks.size());
            }
        }
        for (String name : order) {
            ranks.putIfAbsent(name, ranks.size());
        }
        return ranks;
    }

    /** FNV-1a: equal in every process and version, as {@code String.hashCode} mixes too little for a seed. */
    private static long seed(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return hash;
    }

    /** What this server should read next, or null when nothing is left that it has not failed at. */
    public synchronized @Nullable ChunkDescriptor bid(String server) {
        Pending best = null;
        int bestRank = Integer.MAX_VALUE;
        for (Pending candidate : pending) {
            int rank = candidate.ranks.getOrDefault(server, Integer.MAX_VALUE - 1);
            if (rank < bestRank && !candidate.failed.contains(server)) {
                best = candidate;
                bestRank = rank;
            }
        }
        if (best == null) {
            return null;
        }
        pending.remove(best);
        taken.put(best.chunk.file(), best);
        return best.chunk;
    }

    /** The server could not read it: another may. */
    public synchronized void failed(ChunkDescriptor chunk, String server) {
        Pending back = taken.remove(chunk.file());
        if (back != null) {
            back.failed.add(server);
            pending.add(back);
        }
    }

    /** Servers may try again what they failed at. */
    public synchronized void forgetFailures() {
        pending.forEach(entry -> entry.failed.clear());
    }

    /** It was read whole. */
    public synchronized void done(ChunkDescriptor chunk) {
        taken.remove(chunk.file());
    }

    /** Chunks that nobody has read and nobody is reading. */
    public synchronized List<ChunkDescriptor> left() {
        return pending.stream().map(entry -> entry.chunk).toList();
    }
}
