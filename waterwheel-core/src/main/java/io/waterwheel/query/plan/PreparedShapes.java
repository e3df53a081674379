package io.waterwheel.query.plan;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Scheduler;
import io.waterwheel.geo.Polygon;
import io.waterwheel.geo.Shape;
import io.waterwheel.key.Allowance;
import io.waterwheel.key.Area;
import io.waterwheel.key.PositionIndex;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.tuple.KeyInterval;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Shapes made ready for asking. To check a polygon of many corners and to find its keys takes up to a second, and every
 * plan of a query and every subquery needs it: the last few are kept for the process, until a minute after their last
 * use or until queries need the memory. One thread makes a shape ready; others that need it wait, each as long as its
 * own query may. Thread-safe.
 */
public final class PreparedShapes {
    /** Most that those kept may take; the largest polygon takes some 12 MB. */
    private static final long KEPT_BYTES = 32 << 20;

    /** Below that it costs no more to prepare one than to look it up. */
    private static final int FEWEST_CHARACTERS = 1 << 10;

    private static final Duration KEPT = Duration.ofMinutes(1);
    /** How often one who waits for another looks whether it may go on. */
    private static final long LOOK_MILLIS = 20;

    /**
     * Most intervals that cover a shape: enough that the exact test on positions throws away little, few enough to be
     * tested on every row.
     */
    private static final int INTERVALS = 64;

    /** Those kept, each within what is reserved for them. */
    private final Cache<Asked, Prepared> kept;

    private final long keptBytes;

    private final ConcurrentMap<Asked, CompletableFuture<Prepared>> underWay = new ConcurrentHashMap<>();
    private final Reservation keeping;
    private final ShapeTurns turns;

    /**
     * None yet. As many large ones are made ready at a time as half the processors can, at least one.
     *
     * @param memory of the process's queries; what is kept is reserved from it, and given back when they need it
     */
    public PreparedShapes(QueryMemory memory) {
        this(memory, KEPT_BYTES, Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
    }

    /**
     * None yet.
     *
     * @param keptBytes most that those kept may take
     * @param atOnce large shapes that are made ready at a time
     */
    PreparedShapes(QueryMemory memory, long keptBytes, int atOnce) {
        this.keptBytes = keptBytes;
        turns = new ShapeTurns(atOnce);
        kept = Caffeine.newBuilder()
                .maximumWeight(keptBytes)
                .weigher((Asked asked, Prepared prepared) -> (int) Math.min(Integer.MAX_VALUE, prepared.bytes()))
                .expireAfterAccess(KEPT)
                .executor(Runnable::run)
                // Without it, what is old stays reserved until the next shape is asked for.
                .scheduler(Scheduler.systemScheduler())
                .<Asked, Prepared>removalListener((asked, prepared, cause) -> {
                    if (prepared != null) {
                        release(prepared.bytes());
                    }
                })
                .build();
        keeping = memory.openKept(this::giveWay);
    }

    /** Reserves and keeps in one step: what gives way meanwhile must find all that is reserved. */
    private synchronized void keep(Asked asked, Prepared made) {
        if (made.bytes() <= keptBytes && keeping.tryReserve(made.bytes())) {
            kept.put(asked, made);
        }
    }

    /** They go by the cache's order of eviction. */
    private synchronized long giveWay(long bytes) {
        long before = keeping.held();
        for (Asked asked : coldest()) {
            if (before - keeping.held() >= bytes) {
                break;
            }
            kept.invalidate(asked);
        }
        return before - keeping.held();
    }

    private Set<Asked> coldest() {
        return kept.policy().eviction().orElseThrow().coldest(Integer.MAX_VALUE).keySet();
    }

    private record Asked(Shape shape, PositionIndex positions) {}

    /**
     * A shape, ready.
     *
     * @param keys sorted and disjoint; hold the key of every position in the shape
     * @param bytes about what it takes of the heap, with the text of its shape
     */
    record Prepared(Area area, List<KeyInterval> keys, long bytes) {}

    private void release(long bytes) {
        keeping.release(bytes);
    }

    /**
     * Makes a shape ready, or finds it. What is found is the caller's to reserve.
     *
     * @param positions of the stream
     * @throws IllegalArgumentException when a polygon's text is no valid polygon; the message says where
     * @throws io.waterwheel.error.WaterwheelException when the query may not go on, or has not the memory
     */
    Prepared of(Shape shape, PositionIndex positions, Planning planning) {
        Asked asked = new Asked(shape, positions);
        if (!(shape instanceof Polygon polygon) || polygon.wkt().length() < FEWEST_CHARACTERS) {
            return make(asked, planning);
        }
        while (true) {
            Prepared found = kept.getIfPresent(asked);
            if (found != null) {
                return found;
            }
            CompletableFuture<Prepared> own = new CompletableFuture<>();
            CompletableFuture<Prepared> others = underWay.putIfAbsent(asked, own);
            if (others == null) {
                return make(asked, polygon.wkt().length(), planning, own);
            }
            Prepared made = await(others, planning);
            if (made != null) {
                return made;
            }
        }
    }

    private Prepared make(Asked asked, int size, Planning planning, CompletableFuture<Prepared> told) {
        try {
            Prepared made = makeInTurn(asked, size, planning);
            keep(asked, made);
            told.complete(made);
            return made;
        } catch (IllegalArgumentException e) {
            // So it is for all that ask for it.
            told.completeExceptionally(e);
            throw e;
        } finally {
            underWay.remove(asked, told);
            // When this query could not go on, another that waits makes it ready.
            told.cancel(false);
        }
    }

    private Prepared makeInTurn(Asked asked, int size, Planning planning) {
        turns.take(size, planning);
        try {
            return make(asked, planning);
        } finally {
            turns.giveBack();
        }
    }

    private static Prepared make(Asked asked, Planning planning) {
        try (Planning.Making making = planning.making()) {
            return make(asked, making);
        }
    }

    private static Prepared make(Asked asked, Allowance allowance) {
        Area area = Area.of(asked.shape(), allowance);
        List<KeyInterval> keys = asked.positions().intervals(area, INTERVALS, allowance::work);
        int text = asked.shape() instanceof Polygon polygon ? polygon.wkt().length() : 0;
        return new Prepared(area, keys, area.bytes() + 40L * keys.size() + text + 500);
    }

    /** What another thread makes, or null when it gave up. */
    private static @Nullable Prepared await(CompletableFuture<Prepared> others, Planning planning) {
        while (true) {
            try {
                return others.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException stillAtIt) {
                planning.check();
            } catch (CancellationException e) {
                return null;
            } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                throw new IllegalArgumentException(cause == null ? "shape: it is not valid" : cause.getMessage(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                planning.check();
            }
        }
    }
}
