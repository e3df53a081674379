package io.waterwheel.query.dispatch;

import io.waterwheel.catalog.state.ChunkDescriptor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The locality-aware dispatch algorithm (LADA; [Wang 2018], section IV-C, docs/references.md): every chunk orders the
 * servers by a permutation that depends only on the chunk and the servers, those that hold a replica first. A server's
 * preference array is what is pending in the order of its own place in the chunks' permutations; when idle it takes the
 * first. So the same server tends to read the same chunk, whose parts its cache holds. Where it is known who holds a
 * replica, a server leaves a chunk to better ones for a moment; else none idles while anything is pending. And one that
 * idles reads what another takes far too long for (docs/decisions/0017).
 *
 * <p>One lock, held O(pending x servers) a bid at worst; a query has tens to thousands of chunks, each of which takes a
 * server far longer to read.
 */
public final class LocalityAwareDispatch implements Dispatch {
    /* Which servers wait, and why not for ever. A chunk whose replicas are known is kept from a server while one that
     * stands before it in the chunk's order is free to take it, and from a server without a replica also while those
     * that hold one are at work: they are nearly done, as a rule. The first in the order that has not failed takes it
     * at any time, and everybody else once they have waited for the patience; so nothing is pending for longer than
     * that while anybody idles. Without the first rule it would be chance which server reads the only chunk of a small
     * query: all of them are idle and bid at once.
     * The patience is the mean time of the reads that have ended, as one of those at work is free by then: where reads
     * take 200 ms, 20 ms of waiting were found to change nothing. Reads that hang do not count, having no end: a server
     * that has nothing else to do reads after a while what another does not bring. */

    private static final Bid NOTHING = new Bid.Nothing();

    /**
     * A read that takes this long, and this multiple of the mean of the others, is begun by a second server; by each
     * further one after twice as long as by the one before: when all reads are slow there are few more of them.
     */
    static final long HELD_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final int HELD_UP_MEANS = 4;
    private static final int MOST_DOUBLINGS = 6;

    /** How long a server leaves a chunk to better ones at most: about as long as one reads a cold chunk. */
    static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The same where reads take longer: their mean, up to this. */
    static final long MOST_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** A chunk and its order of the servers, the most preferred first. */
    private static final class Pending {
        final ChunkDescriptor chunk;
        /** A server that failed moves to the end. */
        final List<String> order;
        /** Servers beside a replica; empty when all are equally near. */
        final Set<String> near;

        /** Servers that failed at it. Most chunks have none, so the set is made at the first failure. */
        private Set<String> failed = Set.of();
        /** Of the servers that are reading it: one, as a rule. */
        private final List<Attempt> attempts = new ArrayList<>(1);
        /** How often it was begun, and when last. */
        private int begun;

        private long lastBegunNanos;
        /** Since when one of its readers or another waits for the client; means nothing while none does. */
        private long anyPausedNanos;

        Pending(ChunkDescriptor chunk, List<String> order, Set<String> near) {
            this.chunk = chunk;
            this.order = order;
            this.near = near;
        }

        void begin(String server, long nowNanos) {
            attempts.add(new Attempt(server, nowNanos));
            begun++;
            lastBegunNanos = nowNanos;
        }

        /** The server's, if it is reading it. */
        @Nullable
        Attempt attempt(String server) {
            for (Attempt attempt : attempts) {
                if (attempt.server.equals(server)) {
                    return attempt;
                }
            }
            return null;
        }

        boolean isPaused() {
            for (Attempt attempt : attempts) {
                if (attempt.paused) {
                    return true;
                }
            }
            return false;
        }

        boolean hasFailed(String server) {
            return !failed.isEmpty() && failed.contains(server);
        }

        void fail(String server) {
            if (failed.isEmpty()) {
                failed = new HashSet<>();
            }
            failed.add(server);
            if (order.remove(server)) {
                order.add(server);
            }
        }

        void forgetFailures() {
            failed = Set.of();
        }
    }

    /** One server's reading of one chunk. */
    private static final class Attempt {
        final String server;
        /** Later by as long as it waited for the client. */
        long begunNanos;
        /** It waits for the client, and since when. */
        boolean paused;

        long pausedNanos;

        Attempt(String server, long begunNanos) {
            this.server = server;
            this.begunNanos = begunNanos;
        }
    }

    /** What is known of a server. */
    private static final class ServerState {
        /** Chunks that it reads at once; of one that has appeared since, 1. */
        int readers = 1;
        /** Chunks that it has been given, and has neither read nor given back. */
        int reading;
        /** It was told that nothing is left, and may never bid again. */
        boolean ended;
        /** It waits, and when it was told so first. */
        boolean waiting;

        long waitingNanos;
    }

    // Guarded by this: a set, as chunks leave it in any order.
    private final Set<Pending> pending;
    /** A chunk leaves it when it is read, or all that read it have failed. */
    private final Map<ChunkDescriptor, Pending> taken = new HashMap<>();

    /** By name; one that appears is added. */
    private final Map<String, ServerState> servers = new HashMap<>();

    private long readNanos;
    private int reads;
    /** Bounds of the patience; 0 in the rounds of last resort, when no server waits. */
    private long leastNanos = PATIENCE_NANOS;

    private long mostNanos = MOST_PATIENCE_NANOS;

    /**
     * A dispatch of these chunks.
     *
     * @param servers every query server by its name
     * @param replicas of each chunk's file, the hosts that hold it
     */
    public LocalityAwareDispatch(
            List<ChunkDescriptor> chunks, Map<String, Server> servers, Function<String, List<String>> replicas) {
        List<String> names = new ArrayList<>(servers.keySet());
        if (names.size() > 1) {
            Collections.sort(names);
        }
        this.pending = new LinkedHashSet<>();
        for (ChunkDescriptor chunk : chunks) {
            List<String> order = new ArrayList<>(names);
            Set<String> near = Set.of();
            // One server needs no order, and has no other to leave a chunk to; one that comes later may help with any.
            if (names.size() > 1) {
                Collections.shuffle(order, new Random(Murmur3.hash(chunk.file())));
                near = near(servers, replicas.apply(chunk.file()));
                sortNearFirst(order, near);
            }
            pending.add(new Pending(chunk, order, near));
        }
        servers.forEach((name, server) -> state(name).readers = server.readers());
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
            order.sort(Comparator.comparing(name -> !near.contains(name)));
        }
    }

    @Override
    public synchronized Bid bid(String server, long nowNanos) {
        ServerState bidder = state(server);
        bidder.ended = false;
        // One of its readers waits for all of them.
        long patience = patienceNanos() / bidder.readers;
        long left = bidder.waiting ? patience - (nowNanos - bidder.waitingNanos) : patience;
        Pending best = null;
        int bestRank = Integer.MAX_VALUE;
        boolean kept = false;
        for (Pending candidate : pending) {
            if (candidate.hasFailed(server)) {
                continue;
            }
            int rank = rank(candidate, server);
            if (rank >= bestRank) {
                continue;
            }
            if (left > 0 && isKeptFrom(candidate, server)) {
                kept = true;
                continue;
            }
            best = candidate;
            bestRank = rank;
            if (rank == 0) {
                break;
            }
        }
        if (best == null && kept) {
            bidder.waitingNanos = bidder.waiting ? bidder.waitingNanos : nowNanos;
            bidder.waiting = true;
            return new Bid.Later(left);
        }
        bidder.waiting = false;
        if (best == null) {
            best = heldUp(server, nowNanos);
        }
        if (best != null) {
            bidder.reading++;
            pending.remove(best);
            taken.put(best.chunk, best);
            best.begin(server, nowNanos);
            return new Bid.Read(best.chunk);
        }
        bidder.ended = true;
        return NOTHING;
    }

    private ServerState state(String server) {
        return servers.computeIfAbsent(server, name -> new ServerState());
    }

    private long patienceNanos() {
        return Math.max(leastNanos, Math.min(meanNanos(), mostNanos));
    }

    private long meanNanos() {
        return reads == 0 ? 0 : readNanos / reads;
    }

    /** What others have been reading for longest, and too long; null when that is nothing for this server. */
    private @Nullable Pending heldUp(String server, long nowNanos) {
        Pending longest = null;
        for (Pending candidate : taken.values()) {
            // Also by one that failed at it: it may do better than one that hangs.
            if (isHeldUp(candidate, nowNanos)
                    && candidate.attempt(server) == null
                    && (longest == null || candidate.lastBegunNanos - longest.lastBegunNanos < 0)) {
                longest = candidate;
            }
        }
        return longest;
    }

    private boolean isHeldUp(Pending candidate, long nowNanos) {
        long least = Math.max(HELD_UP_NANOS, HELD_UP_MEANS * meanNanos());
        return !candidate.isPaused()
                && nowNanos - candidate.lastBegunNanos >= least << Math.min(candidate.begun - 1, MOST_DOUBLINGS);
    }

    @Override
    public synchronized boolean hasWorkFor(String server, long nowNanos) {
        for (Pending candidate : pending) {
            if (!candidate.hasFailed(server)) {
                return true;
            }
        }
        return heldUp(server, nowNanos) != null;
    }

    @Override
    public synchronized boolean isRead(ChunkDescriptor given) {
        return !taken.containsKey(given);
    }

    /** How little the server wants the chunk. */
    private static int rank(Pending candidate, String server) {
        int place = candidate.order.indexOf(server);
        // A server that has appeared since the query began may help with anything.
        return place < 0 ? candidate.order.size() : place;
    }

    /** Whether better ones should have it: free ones, or, when this one has no replica, any that hold one. */
    private boolean isKeptFrom(Pending candidate, String server) {
        Collection<String> near = candidate.near;
        if (near.isEmpty()) {
            return false;
        }
        boolean far = !near.contains(server);
        for (String other : candidate.order) {
            if (other.equals(server)) {
                return false;
            }
            if (!near.contains(other) || candidate.hasFailed(other)) {
                continue;
            }
            ServerState better = state(other);
            if (!better.ended && (far || better.reading < better.readers)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public synchronized void failed(ChunkDescriptor chunk, String server) {
        Pending back = taken.get(chunk);
        if (back == null) {
            // Another has read it meanwhile.
            return;
        }
        back.fail(server);
        giveBack(back, server);
    }

    @Override
    public synchronized void putOff(ChunkDescriptor chunk, String server) {
        Pending back = taken.get(chunk);
        if (back != null) {
            giveBack(back, server);
        }
    }

    @Override
    public synchronized void paused(ChunkDescriptor chunk, String server, boolean isPaused, long nowNanos) {
        Pending read = taken.get(chunk);
        Attempt attempt = read == null ? null : read.attempt(server);
        if (read == null || attempt == null) {
            return;
        }
        if (isPaused) {
            if (!read.isPaused()) {
                read.anyPausedNanos = nowNanos;
            }
            attempt.paused = true;
            attempt.pausedNanos = nowNanos;
            return;
        }
        if (attempt.paused) {
            attempt.paused = false;
            attempt.begunNanos += nowNanos - attempt.pausedNanos;
            if (!read.isPaused()) {
                // Pauses of several overlap: once for all of them.
                read.lastBegunNanos += nowNanos - Math.max(read.anyPausedNanos, read.lastBegunNanos);
            }
        }
    }

    private void giveBack(Pending back, String server) {
        Attempt attempt = back.attempt(server);
        if (attempt != null) {
            back.attempts.remove(attempt);
            state(server).reading--;
        }
        if (back.attempts.isEmpty()) {
            taken.remove(back.chunk);
            pending.add(back);
        }
    }

    @Override
    public synchronized void forgetFailures() {
        for (Pending entry : pending) {
            entry.forgetFailures();
            entry.begun = 0;
        }
        leastNanos = 0;
        mostNanos = 0;
    }

    @Override
    public synchronized boolean done(ChunkDescriptor chunk, String server, long nowNanos) {
        Pending read = taken.remove(chunk);
        if (read == null) {
            return false;
        }
        // Others that read it stop as soon as they look.
        for (Attempt attempt : read.attempts) {
            state(attempt.server).reading--;
            readNanos += attempt.server.equals(server) ? nowNanos - attempt.begunNanos : 0;
        }
        reads++;
        return true;
    }

    @Override
    public synchronized List<ChunkDescriptor> left() {
        List<ChunkDescriptor> chunks = new ArrayList<>(pending.size());
        for (Pending entry : pending) {
            chunks.add(entry.chunk);
        }
        return chunks;
    }
}
