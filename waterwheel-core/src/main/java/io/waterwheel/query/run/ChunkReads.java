package io.waterwheel.query.run;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.dispatch.Dispatch;
import io.waterwheel.query.dispatch.LocalityAwareDispatch;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.scan.QueryClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Some chunks of a query, read by all readers of all query servers at once, or by fewer when there is not enough
 * memory. What a piece of a chunk gave, which is all of it unless rows go to the client as they are read, is merged
 * only when an attempt has read the piece whole, so attempts never mix (protocol rule 10). Pieces of a chunk are read
 * in order: a server goes on where the last piece that was handed over ended, whichever server read that. One thread
 * calls; reading is done on the executor's.
 */
final class ChunkReads {
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** A server that waits bids so often: an answer is not held up by one that has nothing left to wait for. */
    private static final long BID_NANOS = TimeUnit.MICROSECONDS.toNanos(300);
    /** While fewer chunks are read than there are readers: when to look again whether it is this one's turn. */
    private static final Dispatch.Bid.Later TURN = new Dispatch.Bid.Later(5_000_000);

    /** In place of the leaf at which the next piece begins: there is none. */
    static final int THROUGH = -1;

    /** Of all servers together, for one query. */
    static final int MOST_READERS = 256;

    /** So often the one who waits for the readers looks whether one of them hangs. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Where one chunk is read at a time, one that takes longer is not waited for. */
    private static final long ALONE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ResolvedQuery resolved;
    private final List<ChunkDescriptor> chunks;
    private final Delivery delivery;
    private final Endpoints endpoints;
    private final ExecutorService executor;
    private final QueryClock clock;
    private final Reservation memory;
    /** Those that have not ended well, in the order begun; guarded by this. */
    private final List<Reader> readers = new ArrayList<>(2);

    private final Map<ChunkDescriptor, String> failures = new HashMap<>();
    /** What a server met that asking again does not mend: the file is damaged, or the server has a defect. */
    private final Map<ChunkDescriptor, WaterwheelException> lasting = new HashMap<>();
    /** The servers that met such a thing. */
    private final Map<ChunkDescriptor, Set<String>> unable = new HashMap<>();

    /** The leaf at which the next piece of a chunk begins; none before the first was handed over. */
    private final Map<ChunkDescriptor, Integer> nextLeaves = new HashMap<>();

    /** Readers that have been given a chunk, and still hold memory of it. */
    private final List<Reader> atWork = new ArrayList<>(2);
    /**
     * Chunks that may be under way at once: half as many after memory was refused to one of those that were begun under
     * the limit. With one, a chunk is begun when nothing else of the query is under way, merging included.
     */
    private int mostAtWork = Integer.MAX_VALUE;

    private @Nullable Dispatch dispatch;
    /** Hosts of the chunks' files, as far as known. Set before the readers begin. */
    private Map<String, List<String>> replicas = Map.of();

    ChunkReads(
            ResolvedQuery resolved,
            List<ChunkDescriptor> chunks,
            Delivery delivery,
            Endpoints endpoints,
            ExecutorService executor,
            QueryClock clock,
            Reservation memory) {
        this.memory = memory;
        this.clock = clock;
        this.resolved = resolved;
        this.chunks = chunks;
        this.delivery = delivery;
        this.endpoints = endpoints;
        this.executor = executor;
    }

    /** Begins to read. */
    void start() throws InterruptedException {
        if (chunks.isEmpty()) {
            return;
        }
        List<Endpoints.QueryServer> servers = endpoints.queryServers();
        Map<String, Dispatch.Server> dispatched = new HashMap<>();
        servers.forEach(server -> dispatched.put(server.name(), new Dispatch.Server(server.host(), server.readers())));
        replicas = endpoints.replicas(chunks);
        Dispatch pending = new LocalityAwareDispatch(chunks, dispatched, this::replicas);
        dispatch = pending;
        boolean begun = false;
        try {
            servers.forEach(server -> begin(pending, server));
            begun = true;
        } finally {
            if (!begun) {
                end(pending);
            }
        }
    }

    /** A query server at work on the chunks, until nothing is left for it. */
    private final class Reader {
        final Endpoints.QueryServer server;
        final FutureTask<Void> task;

        // Guarded by the reads.
        /** What it has been given. */
        @Nullable
        ChunkDescriptor given;
        /** When that was, and whether nothing else has been under way since. */
        long givenNanos;

        boolean alone;
        /** How many chunks might be under way then. */
        int limit;
        /** It has been told to bid again later: no other reader of its server bids meanwhile. */
        boolean waits;
        /** It hands over what it read, or has met what fails the query: its end is waited for. */
        boolean heeded;
        /** The query has given it up. */
        volatile boolean givenUp;

        Reader(Dispatch pending, Endpoints.QueryServer server) {
            this.server = server;
            this.task =
                    new FutureTask<>(() -> {
                        read(pending, this);
                        ended(this);
                        return null;
                    }) {
                        @Override
                        protected void done() {
                            delivery.wake();
                        }
                    };
        }
    }

    private void begin(Dispatch pending, Endpoints.QueryServer server) {
        Reader reader = new Reader(pending, server);
        synchronized (this) {
            readers.add(reader);
        }
        executor.execute(reader.task);
    }

    /**
     * Begins another reader of a server, if there may be something for it to do. One that has got a chunk does so for
     * its server: that has as many readers as chunks to read, and at most one that waits.
     *
     * @return whether it has begun one
     */
    private boolean beginNext(Dispatch pending, Endpoints.QueryServer server, long now) {
        Reader next;
        synchronized (this) {
            if (delivery.doneAt(now) || !mayBegin(server) || !pending.hasWorkFor(server.name(), now)) {
                return false;
            }
            next = new Reader(pending, server);
            readers.add(next);
        }
        executor.execute(next.task);
        return true;
    }

    /** Whether fewer of its readers are at work than it may have, and none of them waits. */
    private boolean mayBegin(Endpoints.QueryServer server) {
        int begun = 0;
        if (readers.size() >= MOST_READERS) {
            return false;
        }
        for (Reader reader : readers) {
            if (!reader.task.isDone() && reader.server.name().equals(server.name())) {
                if (reader.waits) {
                    return false;
                }
                begun++;
            }
        }
        return begun < server.readers();
    }

    private List<String> replicas(String file) {
        return replicas.getOrDefault(file, List.of());
    }

    private void read(Dispatch pending, Reader reader) throws InterruptedException {
        while (true) {
            // One look at the clock for all that is decided about a chunk.
            long now = clock.nanos();
            if (delivery.doneAt(now)) {
                return;
            }
            Dispatch.Bid bid = bid(pending, reader, now);
            if (bid instanceof Dispatch.Bid.Later later) {
                clock.sleep(Math.min(later.nanos(), later.equals(TURN) ? TURN.nanos() : BID_NANOS));
                continue;
            }
            if (!(bid instanceof Dispatch.Bid.Read read)) {
                return;
            }
            // An executor may run what it is given at once, so time has passed where another was begun.
            long begun = beginNext(pending, reader.server, now) ? clock.nanos() : now;
            try {
                boolean more = goesOn(pending, reader, read.chunk(), begun);
                while (more) {
                    // Of an attempt until it is merged, or given up.
                    try (Reservation held = memory.part()) {
                        more = read(pending, reader, read.chunk(), held);
                    }
                    more = more && goesOn(pending, reader, read.chunk(), clock.nanos());
                }
            } finally {
                attemptEnded(reader);
            }
        }
    }

    /** One attempt at a piece of a chunk, which is merged when it was read whole; whether to go on with the chunk. */
    private boolean read(Dispatch pending, Reader reader, ChunkDescriptor chunk, Reservation held)
            throws InterruptedException {
        Endpoints.QueryServer server = reader.server;
        Subquery.Piece piece = delivery.pieceFrom(nextLeaf(chunk));
        ChunkAttempt attempt = new ChunkAttempt(() -> delivery.done() || reader.givenUp, held, memory);
        long begin = delivery.tally().nanos();
        long found;
        try {
            found = server.scan(
                    new Subquery.OfChunk(
                            resolved.query(),
                            resolved.stream().id(),
                            resolved.stream().scales(),
                            chunk.file(),
                            piece),
                    resolved,
                    attempt,
                    delivery.deadlineNanos());
        } catch (IOException | WaterwheelException e) {
            if (e instanceof WaterwheelException refused && refused.kind() == WaterwheelException.Kind.USER) {
                if (refused.is(ErrorCode.QUERY_MEMORY) && isPutOff(pending, reader, chunk)) {
                    delivery.tally().attemptInVain(server);
                    return false;
                }
                // No other server can answer it either.
                giveUp(reader);
                throw refused;
            }
            delivery.tally().attemptInVain(server);
            failed(pending, reader, chunk, e);
            return false;
        } catch (RuntimeException | Error e) {
            giveUp(reader);
            throw e;
        }
        if (attempt.isCut() && !delivery.nobodyWaits()) {
            delivery.tally().attemptInVain(server);
            failed(pending, reader, chunk, new IOException("out of time"));
            return false;
        }
        if (!mayHandOver(pending, reader, chunk, piece.fromLeaf(), attempt.nextLeaf())) {
            delivery.tally().attemptInVain(server);
            return true;
        }
        long took = delivery.tally().nanos() - begin;
        if (piece.fromLeaf() == 0) {
            delivery.tally().readChunk(server, attempt.scanned(), nearness(chunk, server, attempt.scanned()), took);
        } else {
            delivery.tally().readMore(server, attempt.scanned(), took);
        }
        // What fails in merging fails the query, and not the reader: the piece itself is read.
        delivery.take(new Part(attempt.rows(), found, held.moved()));
        handedOver(pending, reader, chunk, attempt.nextLeaf());
        return attempt.nextLeaf() != THROUGH;
    }

    /* Every step of a reader by which it is judged is one under the lock, so that no reader that hands over, or has a failure
     * to tell, is taken for one that reads in vain: its end would be lost, and the answer lack something unsaid. */

    private Dispatch.Bid bid(Dispatch pending, Reader reader, long now) {
        synchronized (this) {
            boolean merged = delivery.isMerged();
            if (reader.givenUp) {
                return new Dispatch.Bid.Nothing();
            }
            if (anotherWaits(reader)) {
                // That one bids for both, and begins another when it has got something.
                return new Dispatch.Bid.Nothing();
            }
            Dispatch.Bid bid = isFull(merged, now) ? TURN : pending.bid(reader.server.name(), now);
            reader.waits = bid instanceof Dispatch.Bid.Later;
            if (bid instanceof Dispatch.Bid.Read read) {
                atWork.forEach(other -> other.alone = false);
                reader.alone = merged && atWork.isEmpty();
                reader.limit = mostAtWork;
                reader.given = read.chunk();
                reader.givenNanos = now;
                atWork.add(reader);
            }
            return bid;
        }
    }

    /** Whether another reader of the same server waits to bid again. */
    private boolean anotherWaits(Reader reader) {
        for (Reader other : readers) {
            if (other.waits
                    && other != reader
                    && !other.task.isDone()
                    && other.server.name().equals(reader.server.name())) {
                return true;
            }
        }
        return false;
    }

    /** Whether as many chunks are under way as may be. Those that take very long are not waited for. */
    private boolean isFull(boolean merged, long now) {
        int fresh = 0;
        for (Reader other : atWork) {
            fresh += now - other.givenNanos <= ALONE_NANOS && (mostAtWork == 1 || !other.givenUp) ? 1 : 0;
        }
        return mostAtWork == 1 ? !merged || fresh > 0 : fresh >= mostAtWork;
    }

    private synchronized int nextLeaf(ChunkDescriptor chunk) {
        return nextLeaves.isEmpty() ? 0 : nextLeaves.getOrDefault(chunk, 0);
    }

    /** Whether this reader is to read another piece of the chunk that it was given. */
    private synchronized boolean goesOn(Dispatch pending, Reader reader, ChunkDescriptor chunk, long now) {
        if (reader.givenUp) {
            return false;
        }
        if (pending.isRead(chunk)) {
            takeFrom(reader);
            return false;
        }
        if (delivery.doneAt(now)) {
            failed(pending, reader, chunk, new IOException("out of time"));
            return false;
        }
        reader.alone = atWork.size() == 1 && delivery.isMerged();
        reader.givenNanos = now;
        return true;
    }

    private void takeFrom(Reader reader) {
        reader.given = null;
    }

    /** Nothing of an attempt is held any longer but what has been handed over. */
    private synchronized void attemptEnded(Reader reader) {
        atWork.remove(reader);
    }

    /**
     * A reader was refused memory. Others of the query hold some, or wait to be merged: the chunk is read later, when
     * less is under way. False when nothing was, and it does not fit at all.
     */
    private synchronized boolean isPutOff(Dispatch pending, Reader reader, ChunkDescriptor chunk) {
        if (reader.alone || reader.givenUp) {
            return false;
        }
        if (reader.limit == mostAtWork) {
            mostAtWork = Math.max(1, Math.min(mostAtWork, atWork.size()) / 2);
        }
        takeFrom(reader);
        pending.putOff(chunk, reader.server.name());
        return true;
    }

    /** Whether this reader is the first that has read the piece: what another has is void. */
    private synchronized boolean mayHandOver(
            Dispatch pending, Reader reader, ChunkDescriptor chunk, int from, int next) {
        if (reader.givenUp || from != nextLeaf(chunk)) {
            return false;
        }
        takeFrom(reader);
        if (next == THROUGH) {
            reader.heeded = pending.done(chunk, reader.server.name(), clock.nanos());
        } else {
            reader.heeded = !pending.isRead(chunk);
            if (reader.heeded) {
                nextLeaves.put(chunk, next);
                pending.paused(chunk, reader.server.name(), true, clock.nanos());
            }
        }
        return reader.heeded;
    }

    private synchronized void handedOver(Dispatch pending, Reader reader, ChunkDescriptor chunk, int next) {
        reader.heeded = false;
        if (next == THROUGH) {
            return;
        }
        reader.given = chunk;
        pending.paused(chunk, reader.server.name(), false, clock.nanos());
    }

    /** What the reader has met fails the query, unless it is not waited for: then another has read the same. */
    private synchronized void giveUp(Reader reader) {
        reader.heeded = !reader.givenUp;
        if (reader.heeded) {
            delivery.giveUp();
        }
    }

    private synchronized void failed(Dispatch pending, Reader reader, ChunkDescriptor chunk, Exception why) {
        takeFrom(reader);
        failures.put(chunk, reader.server.name() + ": " + why.getMessage());
        if (why instanceof WaterwheelException known && known.kind() != WaterwheelException.Kind.TEMPORARY) {
            lasting.put(chunk, known);
            unable.computeIfAbsent(chunk, one -> new HashSet<>()).add(reader.server.name());
        }
        pending.failed(chunk, reader.server.name());
    }

    /** Interrupts readers whose part is no longer wanted, or was read by another. */
    private synchronized void endReadsInVain(Dispatch pending) {
        boolean done = delivery.done();
        for (Reader reader : readers) {
            ChunkDescriptor given = reader.given;
            if (reader.task.isDone() || reader.heeded || !(done || (given != null && pending.isRead(given)))) {
                continue;
            }
            if (given != null && !pending.isRead(given)) {
                failed(pending, reader, given, new IOException("out of time"));
            }
            reader.givenUp = true;
            reader.task.cancel(true);
        }
    }

    private AnswerTally.Nearness nearness(ChunkDescriptor chunk, Endpoints.QueryServer server, ScanStatistics scanned) {
        if (scanned.parts().read() == 0) {
            return AnswerTally.Nearness.NONE;
        }
        List<String> hosts = replicas(chunk.file());
        if (hosts.isEmpty()) {
            return AnswerTally.Nearness.NONE;
        }
        return hosts.contains(server.host()) ? AnswerTally.Nearness.NEAR : AnswerTally.Nearness.FAR;
    }

    /** Merges until a reader has ended, and sees to it that one that hangs does not hold up the query. */
    private void await(Dispatch pending, Reader reader) throws InterruptedException, IOException {
        while (!reader.givenUp) {
            if (delivery.work(reader.task::isDone, LOOK_NANOS)) {
                result(reader);
                return;
            }
            endReadsInVain(pending);
            beginIdle(pending);
        }
    }

    /** Throws what a reader met, or what failed in merging before: that the answer ended is why readers fail then. */
    private void result(Reader reader) throws InterruptedException, IOException {
        try {
            QueryRunner.result(reader.task);
        } catch (RuntimeException e) {
            delivery.throwFailure(e);
            throw e;
        }
    }

    /** Servers that had nothing left: another has failed since, or takes too long. */
    private void beginIdle(Dispatch pending) {
        long now = clock.nanos();
        for (Endpoints.QueryServer server : endpoints.queryServers()) {
            var unused = beginNext(pending, server, now);
        }
    }

    /** A reader begins another before it ends: there is none left only when no chunk is being read. */
    private void awaitAll(Dispatch pending) throws InterruptedException, IOException {
        for (Reader reader = anyReader(); reader != null; reader = anyReader()) {
            await(pending, reader);
            ended(reader);
        }
    }

    private synchronized @Nullable Reader anyReader() {
        return readers.isEmpty() ? null : readers.get(0);
    }

    private synchronized void ended(Reader reader) {
        readers.remove(reader);
    }

    /** The query fails: readers that go on leave the answer alone. */
    private void end(Dispatch pending) {
        delivery.end();
        endReadsInVain(pending);
    }

    /** Those of these chunks that no server can read, by the word of each that is alive. */
    private synchronized List<ChunkDescriptor> hopeless(List<ChunkDescriptor> left) {
        Set<String> alive = new HashSet<>();
        endpoints.queryServers().forEach(server -> alive.add(server.name()));
        return left.stream()
                .filter(chunk -> unable.getOrDefault(chunk, Set.of()).containsAll(alive) && lasting.containsKey(chunk))
                .toList();
    }

    private synchronized WaterwheelException why(ChunkDescriptor hopeless) {
        return Objects.requireNonNull(lasting.get(hopeless));
    }

    private synchronized String failure(ChunkDescriptor chunk) {
        return failures.getOrDefault(
                chunk, endpoints.queryServers().isEmpty() ? "no query server is alive" : "it was not read in time");
    }

    /** Waits until all is read, or cannot be; what is left then is missing. */
    void finish() throws InterruptedException, IOException {
        Dispatch pending = dispatch;
        if (pending == null) {
            return;
        }
        boolean ended = false;
        try {
            awaitAll(pending);
            // A server that failed, or ended its bids before another failed, gets what is left again.
            for (int round = 0; !pending.left().isEmpty() && !delivery.done(); round++) {
                List<ChunkDescriptor> hopeless = hopeless(pending.left());
                if (resolved.query().allowPartial()) {
                    if (round > 0 || hopeless.size() == pending.left().size()) {
                        break;
                    }
                } else if (!hopeless.isEmpty()) {
                    throw why(hopeless.get(0));
                }
                pending.forgetFailures();
                endpoints.queryServers().forEach(server -> begin(pending, server));
                awaitAll(pending);
                if (!pending.left().isEmpty()) {
                    clock.sleep(RETRY_NANOS);
                }
            }
            ended = true;
        } finally {
            if (!ended) {
                end(pending);
            }
        }
        if (delivery.nobodyWaits()) {
            return;
        }
        for (ChunkDescriptor chunk : pending.left()) {
            delivery.miss("chunk " + chunk.file() + " could not be read: " + failure(chunk));
        }
    }
}
