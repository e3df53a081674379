package io.waterwheel.query.memory;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The heap that queries and subqueries of a process may take: together, and each. Memory that grows with the data or
 * with the query is reserved before it is allocated, or in steps of a block or a leaf. A reservation of more than there
 * is fails. No query waits for memory, because it would hold some while it waits. Answers whose clients take nothing
 * hold at most half of it: of several, the one that holds most makes way. The last eighth is for queries that hold
 * little: a look-up is answered while many large answers begin at once. Thread-safe.
 */
public final class QueryMemory {
    /** Least bytes for one query: fewer do not hold an answer on its way beside a page of rows that is read. */
    public static final long LEAST_OF_A_QUERY = 4 << 20;

    /** Most bytes of a query that holds little. A look-up of a few rows takes half of it. */
    static final long LITTLE = 1 << 20;

    /** A batch of a MiB takes a third of it at 100 Mbit/s. */
    private static final Duration LEAST_WAIT = Duration.ofMillis(250);

    private final long total;
    private final long perQuery;
    /** Most bytes of all queries together where one asks that holds more than little. */
    private final long mostForLarge;

    private final AtomicLong reserved = new AtomicLong();
    private final AtomicInteger queries = new AtomicInteger();
    /** Null when there is none. */
    private final @Nullable SpillDisk disk;

    private final List<Kept> givingWay = new CopyOnWriteArrayList<>();
    private final UnreadAnswers unread;

    /**
     * A budget.
     *
     * @param total most bytes of all queries
     * @param perQuery most bytes of one query, at most the total
     */
    public QueryMemory(long total, long perQuery) {
        this(total, perQuery, LEAST_WAIT, null);
    }

    /**
     * A budget.
     *
     * @param disk for what does not fit
     */
    public QueryMemory(long total, long perQuery, SpillDisk disk) {
        this(total, perQuery, LEAST_WAIT, disk);
    }

    /**
     * A budget.
     *
     * @param leastWait how long a client takes nothing of its answer before the answer may have to make way
     */
    public QueryMemory(long total, long perQuery, Duration leastWait) {
        this(total, perQuery, leastWait, null);
    }

    private QueryMemory(long total, long perQuery, Duration leastWait, @Nullable SpillDisk disk) {
        this.disk = disk;
        if (perQuery < 1 || total < perQuery) {
            throw new IllegalArgumentException(
                    "query memory: expected 1 to " + total + " bytes for one query, got " + perQuery);
        }
        this.total = total;
        this.perQuery = perQuery;
        this.mostForLarge = total - Math.min(total / 8, total - perQuery);
        this.unread = new UnreadAnswers(total / 2, leastWait, System::nanoTime);
    }

    /** One that refuses nothing, for programs that bound themselves. */
    public static QueryMemory unlimited() {
        return new QueryMemory(Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** Opens the account of a query, or of a subquery whose query is another process's. Closed by its end. */
    public Reservation open() {
        unread.bound();
        return Reservation.first(new Account(true));
    }

    /** Most bytes of all queries. */
    public long total() {
        return total;
    }

    /** Bytes that queries hold on disk. */
    public long spilled() {
        return disk == null ? 0 : disk.held();
    }

    /** The account alone, for tests. */
    Account account() {
        return new Account(true);
    }

    /** Something that is kept for queries to come, and gives way to those that need its memory. Thread-safe. */
    public interface GivesWay {
        /**
         * Gives back at least this number of bytes, or all that is kept. Called, on any thread, before a query is
         * refused for others' sake, and only where what is kept is enough for it.
         *
         * @return bytes that were given back
         */
        long giveWay(long bytes);
    }

    private record Kept(Reservation reservation, GivesWay givesWay) {}

    /** Opens the account of what is kept for queries to come. */
    public Reservation openKept(GivesWay givesWay) {
        Reservation reservation = Reservation.first(new Account(false));
        givingWay.add(new Kept(reservation, givesWay));
        return reservation;
    }

    /**
     * Makes room for bytes below a bound by what is kept; false when that did not do. Nothing is given back when all of
     * it is not enough from the beginning.
     */
    private boolean madeWay(long bytes, long most) {
        long missing = bytes - (most - reserved.get());
        long held = 0;
        for (Kept kept : givingWay) {
            held += kept.reservation().held();
        }
        if (held < missing) {
            return false;
        }
        long given = 0;
        for (Kept kept : givingWay) {
            if (given < missing) {
                given += kept.givesWay().giveWay(missing - given);
            }
        }
        return given >= missing;
    }

    /** Bytes reserved now. */
    public long reserved() {
        return reserved.get();
    }

    /** Whether bytes were taken, or which limit refused them. */
    enum Taken {
        YES,
        BEYOND_QUERY,
        BEYOND_PROCESS
    }

    /** What one query has of it, in all its reservations. */
    final class Account {
        private final AtomicLong used = new AtomicLong();
        /** Of these, bytes that were taken for later. A query that uses little of them holds little. */
        private final AtomicLong keptForLater = new AtomicLong();
        /** Not of what is kept for queries. */
        private final boolean ofQuery;
        /** Whether the query's client takes nothing at present. */
        private volatile boolean isUnread;

        private Account(boolean ofQuery) {
            this.ofQuery = ofQuery;
        }

        void opened() {
            if (ofQuery) {
                queries.incrementAndGet();
            }
        }

        /** The query has ended. A reader that hangs may hold a part of its memory a moment longer. */
        void closed() {
            if (ofQuery) {
                queries.decrementAndGet();
            }
        }

        long used() {
            return used.get();
        }

        long most() {
            return perQuery;
        }

        void keep(long bytes) {
            if (bytes != 0) {
                keptForLater.addAndGet(bytes);
            }
        }

        @Nullable
        SpillDisk disk() {
            return disk;
        }

        long left() {
            return Math.max(0, Math.min(perQuery - used.get(), mostForLarge - reserved.get()));
        }

        void beginUnread(Runnable makeWay) {
            isUnread = true;
            unread.begin(this, makeWay);
        }

        boolean endUnread() {
            isUnread = false;
            return unread.end(this);
        }

        WaterwheelException clientSlow() {
            return new WaterwheelException(
                    ErrorCode.CLIENT_SLOW,
                    "the client has taken nothing of the answer for a while, and what the answer holds is needed: answers"
                            + " whose clients take nothing may hold " + mebibytes(unread.most())
                            + " together. Read without pauses, or ask for less");
        }

        Taken take(long bytes) {
            Taken taken = takeIfThere(bytes);
            if (isUnread && taken == Taken.YES) {
                unread.bound();
            }
            return taken;
        }

        private Taken takeIfThere(long bytes) {
            if (!addIfItFits(used, bytes, perQuery)) {
                return Taken.BEYOND_QUERY;
            }
            long most = ofQuery && used.get() - keptForLater.get() <= LITTLE ? total : mostForLarge;
            do {
                if (addIfItFits(reserved, bytes, most)) {
                    return Taken.YES;
                }
                // Once more when others took what was given back: each turn ends with less that is kept.
            } while (ofQuery && madeWay(bytes, most));
            // What was kept may have given way to another query, and left room for both.
            if (addIfItFits(reserved, bytes, most)) {
                return Taken.YES;
            }
            used.addAndGet(-bytes);
            return Taken.BEYOND_PROCESS;
        }

        /** In one step: what is asked for in vain must not stand in the way of what would fit. */
        private static boolean addIfItFits(AtomicLong sum, long bytes, long most) {
            while (true) {
                long now = sum.get();
                if (bytes > most - now) {
                    return false;
                }
                if (sum.compareAndSet(now, now + bytes)) {
                    return true;
                }
            }
        }

        void giveBack(long bytes) {
            if (bytes == 0) {
                return;
            }
            reserved.addAndGet(-bytes);
            used.addAndGet(-bytes);
        }

        /** Of kind USER: to ask again would meet it again, and take the memory of others meanwhile. */
        WaterwheelException refused(long bytes, Taken why) {
            return new WaterwheelException(
                    ErrorCode.QUERY_MEMORY,
                    "query: it holds " + mebibytes(used.get()) + " of memory and needs " + mebibytes(bytes) + " more; "
                            + (why == Taken.BEYOND_QUERY
                                    ? "one query may take " + mebibytes(perQuery)
                                    : "all queries of a process may take " + mebibytes(total) + ", and " + queries.get()
                                            + " are answered now")
                            + ". Ask for fewer fields, groups or rows at a time, or give queries more"
                            + " (query.memory, query.memory-share)");
        }
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1 << 20));
    }
}
