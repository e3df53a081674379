package io.waterwheel.gateway;

import io.waterwheel.client.AppendLane;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.decode.RefusalKind;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.gateway.http.ConnectionThreads;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.keyed.Digest;
import io.waterwheel.gateway.keyed.KeyedSlot;
import io.waterwheel.gateway.keyed.KeyedSlots;
import io.waterwheel.gateway.keyed.Letter;
import io.waterwheel.gateway.keyed.Outcome;
import io.waterwheel.gateway.rows.PushedRows;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where the rows of each stream go that comes by this gateway. Thread-safe. */
final class PushTargets implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PushTargets.class);

    /** How long what is known of a stream holds: it may be dropped, and another made of its name. */
    private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(1);

    static final int MOST_STREAMS = 64;
    private static final Duration END_PATIENCE = Duration.ofSeconds(10);

    private final QueryEndpoint.Server server;
    private final Executor questions;
    private final Executor answers;
    private final KeyedSlots slots;
    private final GatewayMeter meter;
    private final Visibility.Time time;
    /** Guarded by itself. */
    private final Map<String, Target> targets = new HashMap<>();
    /** All that were started and may still store. Guarded by itself. */
    private final Set<PushSlot> running = new HashSet<>();
    /** Guarded by {@link #running}. */
    private boolean closed;

    /**
     * None yet.
     *
     * @param answers tells clients of their rows; takes whatever it is given
     * @param connections of the clients, which are told in rounds
     * @param keyBytes of the keys that are remembered
     * @param keyPatience how long rows may wait to be stored under a key
     * @param place {@code HOST:PORT} where other gateways reach this one, once it listens
     */
    PushTargets(
            QueryEndpoint.Server server,
            Executor questions,
            Executor answers,
            ConnectionThreads connections,
            long keyBytes,
            Duration keyPatience,
            Supplier<String> place,
            GatewayMeter meter) {
        this.server = server;
        this.answers = connections.inRounds(answers);
        this.questions = questions;
        this.time = Visibility.Time.real(this.answers);
        this.slots = new KeyedSlots(keyBytes, keyPatience, this.answers, place);
        this.meter = meter;
    }

    /** Where the rows of one stream go. */
    final class Target {
        private final String name;
        private final Visibility visibility;
        /** Guarded by this. */
        private @Nullable PushSlot slot;
        /** Of the same stream as the slot; null while nothing came under a key. Guarded by this. */
        private @Nullable KeyedSlot keyed;

        private boolean looking;
        private long lookedAt;
        private final Object firsts = new Object();

        Target(String name) {
            this.name = name;
            this.visibility = new Visibility(name, server, questions, answers, time);
        }

        /**
         * The slot of the stream that bears the name now. One request looks; the others go on with what is known. While
         * no coordinator answers, rows are stored all the same: Kafka takes them.
         */
        PushSlot slot() {
            PushSlot present;
            synchronized (this) {
                present = slot;
                if (present != null) {
                    if (looking || System.nanoTime() - lookedAt < KNOWN_NANOS) {
                        return present;
                    }
                    looking = true;
                }
            }
            if (present == null) {
                return first();
            }
            StreamDetails now = null;
            try {
                now = server.client().describe(name);
                return now(now);
            } catch (WaterwheelException e) {
                if (now == null
                        && (e.kind() == WaterwheelException.Kind.TEMPORARY
                                || e.kind() == WaterwheelException.Kind.UNKNOWN_OUTCOME)) {
                    LOG.debug("stream {} is taken to be as it was", name, e);
                    return present;
                }
                if (e.is(ErrorCode.NO_SUCH_STREAM)) {
                    end();
                }
                throw e;
            } finally {
                synchronized (this) {
                    looking = false;
                    lookedAt = System.nanoTime();
                }
            }
        }

        /** The slot as {@link #slot} has it, where that needs no look; else null. */
        synchronized @Nullable PushSlot known() {
            return looking || System.nanoTime() - lookedAt < KNOWN_NANOS ? slot : null;
        }

        /** Those who come first wait for one look. */
        private PushSlot first() {
            synchronized (firsts) {
                synchronized (this) {
                    if (slot != null) {
                        return slot;
                    }
                }
                return now(server.client().describe(name));
            }
        }

        private synchronized PushSlot now(StreamDetails now) {
            PushSlot present = slot;
            if (present != null
                    && present.stream().id() == now.id()
                    && present.stream().definition().equals(now.definition())
                    && present.stream().topic().bases().equals(now.topic().bases())) {
                return present;
            }
            end();
            PushSlot started = begin(now);
            slot = started;
            lookedAt = System.nanoTime();
            return started;
        }

        private synchronized void forget(PushSlot ended) {
            if (slot == ended) {
                slot = null;
            }
        }

        private synchronized void end() {
            if (slot != null) {
                slot.end();
                slot = null;
            }
            if (keyed != null) {
                keyed.end();
                keyed = null;
            }
        }

        synchronized boolean rests() {
            return (slot == null || slot.hasEnded()) && (keyed == null || keyed.rests());
        }

        /** Rows that came for it were no tuples. */
        void refused(Map<RefusalKind, Integer> rows) {
            meter.refused(name, rows);
        }

        /** When all below some positions is visible. */
        Visibility visibility() {
            return visibility;
        }

        /** Stores rows, of the stream as this slot has it. May look, when the slot has ended. */
        CompletableFuture<Map<Integer, Long>> store(PushSlot first, PushedRows rows) {
            PushSlot at = first;
            while (true) {
                CompletableFuture<Map<Integer, Long>> stored = storeAtOnce(at, rows);
                if (stored != null) {
                    return stored;
                }
                at = slot();
                requireSame(first.stream(), at.stream());
            }
        }

        /** The same; null, and nothing is stored, where the slot has ended, so that it would take a look. */
        @Nullable
        CompletableFuture<Map<Integer, Long>> storeAtOnce(PushSlot at, PushedRows rows) {
            CompletableFuture<Map<Integer, Long>> stored = at.store(rows);
            if (stored == null) {
                forget(at);
                return null;
            }
            return stored.whenComplete((positions, failure) -> meter.pushed(name, rows.rows(), failure == null));
        }

        /** Stores rows under a key, of the stream as this slot has it. May look, when the slot of keys has ended. */
        CompletableFuture<Outcome> store(PushSlot first, PushedRows rows, Digest key, Digest body, Letter letter) {
            while (true) {
                CompletableFuture<Outcome> stored = storeAtOnce(first, rows, key, body, letter);
                if (stored != null) {
                    return stored;
                }
                requireSame(first.stream(), slot().stream());
            }
        }

        /** The same; null, and nothing is stored, where the slot of keys has ended, so that it would take a look. */
        @Nullable
        CompletableFuture<Outcome> storeAtOnce(
                PushSlot first, PushedRows rows, Digest key, Digest body, Letter letter) {
            KeyedSlot at = keyed(first);
            CompletableFuture<Outcome> stored = at.store(key, body, lane -> appendTo(lane, rows), rows.rows(), letter);
            if (stored == null) {
                synchronized (this) {
                    if (keyed == at) {
                        keyed = null;
                    }
                }
                return null;
            }
            return stored.whenComplete((outcome, failure) -> {
                if (outcome != null) {
                    meter.keyed(name, outcome, rows.rows());
                }
            });
        }

        private synchronized KeyedSlot keyed(PushSlot first) {
            KeyedSlot present = keyed;
            if (present == null || !present.stream().equals(first.stream())) {
                if (present != null) {
                    present.end();
                }
                present = slots.begin(first.stream());
                keyed = present;
            }
            return present;
        }

        private void requireSame(StreamDetails before, StreamDetails now) {
            synchronized (running) {
                if (closed) {
                    throw new WaterwheelException(ErrorCode.SERVER_CLOSING, "the gateway is closing");
                }
            }
            if (now.id() != before.id() || !now.definition().equals(before.definition())) {
                throw HttpFailure.of(
                        HttpCode.STREAM_REPLACED,
                        "stream " + name + " was changed while the rows came; send them again");
            }
        }
    }

    private static void appendTo(AppendLane lane, PushedRows rows) {
        if (rows.tuples().size() > 0) {
            lane.append(rows.tuples());
        }
        rows.records().forEach(lane::appendRecord);
    }

    /** A slot that is ended with the gateway. */
    private PushSlot begin(StreamDetails stream) {
        synchronized (running) {
            if (closed) {
                throw new WaterwheelException(ErrorCode.SERVER_CLOSING, "the gateway is closing");
            }
            running.removeIf(slot -> !slot.isRunning());
            PushSlot slot = PushSlot.start(stream, answers);
            running.add(slot);
            return slot;
        }
    }

    /** Where rows for a stream go, if that is known without a question to a coordinator. */
    @Nullable
    Target known(String name) {
        synchronized (targets) {
            return targets.get(name);
        }
    }

    /** Of the stream of this name, when there is one. */
    Target target(String name) {
        Target present = known(name);
        if (present != null) {
            return present;
        }
        // Only a stream that there is.
        server.client().describe(name);
        synchronized (targets) {
            Target known = targets.get(name);
            if (known != null) {
                return known;
            }
            if (targets.size() >= MOST_STREAMS) {
                targets.values().removeIf(Target::rests);
            }
            if (targets.size() >= MOST_STREAMS) {
                throw HttpFailure.of(
                        HttpCode.GATEWAY_BUSY,
                        "rows go to " + MOST_STREAMS + " streams by this gateway already; use another gateway");
            }
            Target added = new Target(name);
            targets.put(name, added);
            return added;
        }
    }

    /** Keys that are remembered, or under way, of all streams. */
    int keys() {
        return slots.keys();
    }

    /** Lanes of keys that are held, of all streams. */
    int lanes() {
        return slots.lanes();
    }

    /** The bound of {@link #keys}. */
    int mostKeys() {
        return slots.mostKeys();
    }

    /** Takes no more rows, and waits until what was taken is stored: some were told so already. */
    @Override
    public void close() {
        List<PushSlot> ending;
        synchronized (running) {
            closed = true;
            ending = List.copyOf(running);
        }
        ending.forEach(PushSlot::end);
        long deadline = System.nanoTime() + END_PATIENCE.toNanos();
        try {
            slots.end(END_PATIENCE.toMillis());
            for (PushSlot slot : ending) {
                slot.awaitEnd(TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        slots.close();
    }
}
