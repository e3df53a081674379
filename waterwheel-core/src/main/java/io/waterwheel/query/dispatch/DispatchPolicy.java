package io.waterwheel.query.dispatch;

import io.waterwheel.catalog.state.ChunkDescriptor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * How chunk subqueries are assigned to query servers ([Wang 2018], section IV-C, docs/references.md). The product uses
 * {@link #LADA}; the others are for comparison.
 */
public enum DispatchPolicy {
    /**
     * The locality-aware dispatch algorithm (LADA): every chunk orders the servers by a permutation that depends only
     * on the chunk and the servers, those that hold a replica first. A server's preference array is what is pending in
     * the order of its own place in the chunks' permutations; when idle it takes the first. So the same server tends to
     * read the same chunk, whose parts its cache holds. Where it is known who holds a replica, a server leaves a chunk
     * to better ones for a moment ({@link PreferenceDispatch}); else none idles while anything is pending. And one that
     * idles reads what another takes far too long for.
     */
    LADA,

    /** LADA to the letter of [Wang 2018]: an idle server takes the first pending chunk at once. */
    LADA_PAPER,

    /** Chunk after chunk to server after server; a server reads only its own. Even in number, whatever each costs. */
    ROUND_ROBIN,

    /** A chunk always to the same server, by hash; a server reads only its own. Best for caches, uneven. */
    HASHING,

    /** An idle query server takes the next chunk. Even in work, blind to caches. */
    SHARED_QUEUE;

    /** How long a server leaves a chunk to better ones at most, by LADA: about as long as one reads a cold chunk. */
    static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The same where reads take longer: their mean, up to this. */
    static final long MOST_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /**
     * The policy of a name in lower case with hyphens, such as {@code round-robin}.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static DispatchPolicy of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /**
     * A query server.
     *
     * @param host its name, to compare with those that hold a replica
     * @param readers chunks that it reads at once; at least 1
     */
    public record Server(String host, int readers) {}

    /**
     * Begins the dispatch of a query's chunks.
     *
     * @param servers every query server by its name
     * @param replicas of each chunk's file, the hosts that hold it
     */
    public Dispatch dispatch(
            List<ChunkDescriptor> chunks, Map<String, Server> servers, Function<String, List<String>> replicas) {
        List<String> names = new ArrayList<>(servers.keySet());
        if (names.size() > 1) {
            Collections.sort(names);
        }
        // A query of few chunks should not always begin with the same server.
        int turn = this == ROUND_ROBIN && !chunks.isEmpty()
                ? Murmur3.hash(chunks.get(0).file()) >>> 1
                : 0;
        List<PreferenceDispatch.Pending> pending = new ArrayList<>(chunks.size());
        for (ChunkDescriptor chunk : chunks) {
            List<String> order = new ArrayList<>(names);
            Set<String> near = Set.of();
            // One server needs no order, and has no other to leave a chunk to; one that comes later may help with any.
            if (names.size() > 1) {
                switch (this) {
                    case LADA, LADA_PAPER -> {
                        Collections.shuffle(order, new Random(Murmur3.hash(chunk.file())));
                        near = near(servers, replicas.apply(chunk.file()));
                        sortNearFirst(order, near);
                    }
                    case ROUND_ROBIN -> Collections.rotate(order, -(turn++ % names.size()));
                    case HASHING -> Collections.rotate(order, -Math.floorMod(Murmur3.hash(chunk.file()), names.size()));
                    case SHARED_QUEUE -> {}
                }
            }
            pending.add(new PreferenceDispatch.Pending(chunk, order, near));
        }
        return switch (this) {
            case LADA ->
                new PreferenceDispatch(
                        pending,
                        servers,
                        PreferenceDispatch.Claim.PREFERRED,
                        PATIENCE_NANOS,
                        MOST_PATIENCE_NANOS,
                        true);
            case LADA_PAPER ->
                new PreferenceDispatch(pending, servers, PreferenceDispatch.Claim.PREFERRED, 0, 0, false);
            case ROUND_ROBIN, HASHING ->
                new PreferenceDispatch(pending, servers, PreferenceDispatch.Claim.OWN, 0, 0, false);
            case SHARED_QUEUE -> new PreferenceDispatch(pending, servers, PreferenceDispatch.Claim.NEXT, 0, 0, false);
        };
    }

    /** The servers on hosts that hold a replica. */
    private static Set<String> near(Map<String, Server> servers, List<String> replicas) {
        if (replicas.isEmpty()) {
            return Set.of();
        }
        Set<String> hosts = new HashSet<>(replicas);
        Set<String> near = new HashSet<>();
        servers.forEach((name, server) -> {
            if (hosts.contains(server.host())) {
                near.add(name);
            }
        });
        return near;
    }

    private static void sortNearFirst(List<String> order, Set<String> near) {
        if (!near.isEmpty()) {
            // Stable: within those that hold a replica, and within the others, the permutation's order.
            order.sort(java.util.Comparator.comparing(name -> !near.contains(name)));
        }
    }
}
