package io.waterwheel.query.memory;

import io.waterwheel.error.WaterwheelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The part of a {@link QueryMemory} that one step of a query holds; closing it gives all of it back. One thread at a
 * time; memory that is added after the close is given back at once.
 */
public final class Reservation implements AutoCloseable {
    private static final QueryMemory UNLIMITED = QueryMemory.unlimited();
    /** In place of a counter object for each: a look-up opens several reservations. */
    private static final AtomicLongFieldUpdater<Reservation> HELD =
            AtomicLongFieldUpdater.newUpdater(Reservation.class, "held");

    /** Something that ends with a reservation. */
    @FunctionalInterface
    public interface Attached {
        /** Ends it; may be called again. Fails with nothing. */
        void close();
    }

    private final QueryMemory.Account account;
    /** The first one of its account, of which the others are parts. */
    private final boolean first;

    /** Changed by {@link #HELD} once others may see it. */
    private volatile long held;

    private volatile boolean closed;
    /** Of what is held, bytes that no one has asked for yet. */
    private long spare;
    /** Whether what is given back is kept. */
    private boolean keeps;
    /** What ends with it, where there is such; guarded by this. */
    private @Nullable List<Attached> attached;

    private Reservation(QueryMemory.Account account, boolean first) {
        this.account = account;
        this.first = first;
    }

    /** The first one of an account. */
    static Reservation first(QueryMemory.Account account) {
        account.opened();
        return new Reservation(account, true);
    }

    /** One that is never refused anything. */
    public static Reservation unlimited() {
        return UNLIMITED.open();
    }

    /** Another one of the same query; closed apart from this one. */
    public Reservation part() {
        return new Reservation(account, false);
    }

    /** Another one of the same query, which is closed with this one at the latest. */
    public Reservation attached() {
        Reservation part = part();
        closeWith(part::close);
        return part;
    }

    /** Closes something when this is closed; at once when it is closed already. */
    public void closeWith(Attached what) {
        synchronized (this) {
            if (!closed) {
                if (attached == null) {
                    attached = new ArrayList<>(2);
                }
                attached.add(what);
                return;
            }
        }
        what.close();
    }

    /** The disk for what does not fit into memory; null when there is none. */
    public @Nullable SpillDisk disk() {
        return account.disk();
    }

    /** Another one of the same query, which has all that this one held; this one holds nothing then. */
    public Reservation moved() {
        Reservation to = part();
        to.held = HELD.getAndSet(this, 0);
        return to;
    }

    /**
     * Takes bytes that are about to be allocated, or were.
     *
     * @throws io.waterwheel.error.WaterwheelException of kind USER, code {@code QUERY_MEMORY}, when there are none left
     */
    public void reserve(long bytes) {
        long own = Math.min(spare, bytes);
        QueryMemory.Taken taken = own == bytes ? QueryMemory.Taken.YES : take(bytes - own);
        if (taken != QueryMemory.Taken.YES) {
            throw account.refused(bytes - own, taken);
        }
        spare(-own);
    }

    /**
     * Takes bytes for what will be asked for later, so that there are at least these then; {@link #reserve} asks for
     * them first, and {@link #release} adds to them.
     *
     * @return false, and nothing is taken, when there are not that many
     */
    public boolean tryKeep(long bytes) {
        long more = bytes - spare;
        if (more > 0) {
            if (take(more) != QueryMemory.Taken.YES) {
                return false;
            }
            spare(more);
        }
        keeps = true;
        return true;
    }

    /** Gives back what is kept and was not asked for. */
    public void releaseKept() {
        long kept = spare;
        spare(-kept);
        keeps = false;
        release(kept);
    }

    private void spare(long more) {
        spare += more;
        account.keep(more);
    }

    /** Bytes that were asked for and not given back. */
    public long used() {
        return held - spare;
    }

    /** Most bytes of one query. */
    public long most() {
        return account.most();
    }

    /** Bytes that could be taken now; others may take them before. */
    public long left() {
        return account.left();
    }

    /** Takes bytes, if there are that many. */
    public boolean tryReserve(long bytes) {
        return take(bytes) == QueryMemory.Taken.YES;
    }

    private QueryMemory.Taken take(long bytes) {
        QueryMemory.Taken taken = account.take(bytes);
        if (taken == QueryMemory.Taken.YES) {
            HELD.addAndGet(this, bytes);
            if (closed) {
                account.giveBack(HELD.getAndSet(this, 0));
            }
        }
        return taken;
    }

    /** Gives bytes back that are no longer held. */
    public void release(long bytes) {
        if (closed) {
            return;
        } else if (keeps) {
            spare(bytes);
            return;
        }
        HELD.addAndGet(this, -bytes);
        account.giveBack(bytes);
    }

    /** Reserves what something takes now in place of what it took before. */
    public void replace(long before, long now) {
        if (now > before) {
            reserve(now - before);
        } else {
            release(before - now);
        }
    }

    /**
     * The query's client takes nothing of its answer, until {@link #endUnread}: all that the query holds counts among
     * what such answers may hold together.
     *
     * @param makeWay ends the wait; called at most once, on any thread, when others need the memory
     */
    public void beginUnread(Runnable makeWay) {
        account.beginUnread(makeWay);
    }

    /**
     * The client takes some again, or the answer has ended.
     *
     * @return why the answer is to end, or null: it was to make way, though that may not have been called yet
     */
    public @Nullable WaterwheelException endUnread() {
        return account.endUnread() ? null : account.clientSlow();
    }

    /** Bytes that it holds. */
    public long held() {
        return held;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            account.keep(-spare);
            // Who adds to it after this look sees that it is closed.
            if (held != 0) {
                account.giveBack(HELD.getAndSet(this, 0));
            }
            if (first) {
                account.closed();
            }
            List<Attached> ending;
            synchronized (this) {
                ending = attached;
                attached = null;
            }
            if (ending != null) {
                ending.forEach(Attached::close);
            }
        }
    }
}
