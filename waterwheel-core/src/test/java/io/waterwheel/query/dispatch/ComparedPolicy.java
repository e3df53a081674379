package io.waterwheel.query.dispatch;

import io.waterwheel.catalog.state.ChunkDescriptor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

/** What is shipped, and the policies of dispatch that it is compared with ([Wang 2018], section IV-C and figure 13). */
public enum ComparedPolicy {
    /** As shipped: {@link LocalityAwareDispatch}. */
    LADA,

    /** LADA to the letter of [Wang 2018]: an idle server takes the first pending chunk at once. */
    LADA_PAPER,

    /** Chunk after chunk to server after server; a server reads only its own. Even in number, whatever each costs. */
    ROUND_ROBIN,

    /** A chunk always to the same server, by hash; a server reads only its own. Best for caches, uneven. */
    HASHING,

    /** An idle query server takes the next chunk. Even in work, blind to caches. */
    SHARED_QUEUE;

    /**
     * Begins the dispatch of a query's chunks.
     *
     * @param servers every query server by its name
     * @param replicas of each chunk's file, the hosts that hold it
     */
    public Dispatch dispatch(
            List<ChunkDescriptor> chunks,
            Map<String, Dispatch.Server> servers,
            Function<String, List<String>> replicas) {
        if (this == LADA) {
            return new LocalityAwareDispatch(chunks, servers, replicas);
        }
        List<String> names = servers.keySet().stream().sorted().toList();
        // A query of few chunks should not always begin with the same server.
        int turn = chunks.isEmpty() ? 0 : Murmur3.hash(chunks.get(0).file()) >>> 1;
        List<OrderedDispatch.Pending> pending = new ArrayList<>();
        for (ChunkDescriptor chunk : chunks) {
            List<String> order = new ArrayList<>(names);
            switch (this) {
                case LADA_PAPER -> {
                    List<String> hosts = replicas.apply(chunk.file());
                    Collections.shuffle(order, new Random(Murmur3.hash(chunk.file())));
                    order.sort(Comparator.comparing(
                            name -> !hosts.contains(servers.get(name).host())));
                }
                case ROUND_ROBIN -> Collections.rotate(order, -(turn++ % names.size()));
                case HASHING -> Collections.rotate(order, -Math.floorMod(Murmur3.hash(chunk.file()), names.size()));
                case LADA, SHARED_QUEUE -> {}
            }
            pending.add(new OrderedDispatch.Pending(chunk, order));
        }
        OrderedDispatch.Claim claim =
                switch (this) {
                    case LADA, LADA_PAPER -> OrderedDispatch.Claim.PREFERRED;
                    case ROUND_ROBIN, HASHING -> OrderedDispatch.Claim.OWN;
                    case SHARED_QUEUE -> OrderedDispatch.Claim.NEXT;
                };
        return new OrderedDispatch(pending, claim);
    }

    /** Whether any server may take any chunk. */
    boolean anyMayTakeAll() {
        return this != ROUND_ROBIN && this != HASHING;
    }
}
