package io.waterwheel.ingest.indexer;

import io.waterwheel.index.PagePool;

/**
 * The two bounds on what an indexer task lets dispatchers send, over all its streams (protocol rule 6): under way
 * (granted and not consumed) about a window, so that a query never waits behind much data; used and under way together
 * at most the memory pool, whenever anything is granted, and in general at most seven eighths of it. Owner: the indexer
 * task's thread.
 *
 * <p>Where several indexers share the pool, one of these eighths is theirs in even parts: each is granted its part
 * whatever the others hold. What an indexer holds whose flushes fail is nowhere else and cannot be given back; if all
 * but one fail at the same moment, with all that could be granted to them, that one still goes on.
 *
 * <p>Memory that is in no indexer's part may bring the sum of the parts beyond their eighth: parts that were larger
 * while there were fewer indexers, committed trees that readers hold, a tree whose indexer has stopped while it is
 * being written. So an indexer's own part ends too where the pool does.
 *
 * <p>About a window: each active channel is granted an even share of it, and what was granted is never taken back.
 * While n channels become active one after another, the first holds a whole window, the second a half, and so on: at
 * most window * (1 + 1/2 + ... + 1/n), 3.4 windows for 16 channels. Each comes down to its even share as it consumes;
 * one that falls idle keeps what it has until it subscribes again.
 *
 * <p>What was granted is always taken, and it may open pages. So at every moment the tuples in memory, those that only
 * readers still hold included, and what is under way stay within the bound above, but for one block a channel; and used
 * memory exceeds its tuples by the pages' heads, one page not full in each leaf and one slab not full in each tree with
 * variable columns. The last eighth is for these: while they fit into it, used memory stays within the pool. (A tree
 * that is rebuilt holds its tuples twice for a while, if the pool has the room.)
 *
 * <p>A channel on which nothing flows holds one byte of credit, with which it may send one block: so a thousand idle
 * channels cost nothing, and none has to ask before its first tuple.
 */
public final class CreditWindow {
    /**
     * The pool divided by this is never granted: tuples are counted, but pages are taken, and a block that is spread
     * over many leaves opens one in each.
     */
    private static final int HEADROOM_SHARE = 8;

    /** The pool divided by this is what indexers have of their own, together. */
    private static final int OWN_SHARE = 8;

    private final PagePool pool;
    private final long windowBytes;
    private final long poolBytes;
    private final long grantableBytes;
    private long underWay;
    private int activeChannels;
    /** Bytes used and under way from which on only indexers' own parts are granted. */
    private long sharedBytes;
    /** What each indexer has of its own. */
    private long ownBytes;

    /**
     * @param pool what the trees of the task use
     * @param windowBytes bound of what is under way
     * @param poolBytes memory of the trees
     */
    public CreditWindow(PagePool pool, long windowBytes, long poolBytes) {
        this.pool = pool;
        this.windowBytes = windowBytes;
        this.poolBytes = poolBytes;
        this.grantableBytes = poolBytes - poolBytes / HEADROOM_SHARE;
        this.sharedBytes = grantableBytes;
    }

    /** Sets how many indexers share the pool; one alone may be granted all. */
    void shareAmong(int indexers) {
        long own = indexers <= 1 ? 0 : poolBytes / OWN_SHARE;
        sharedBytes = grantableBytes - own;
        ownBytes = own / Math.max(1, indexers);
    }

    /** What each indexer has of its own, bytes: it may hold that much, whatever the others do. */
    long ownBytes() {
        return ownBytes;
    }

    /**
     * Credit that a channel should have beyond what it has consumed.
     *
     * @param ownLeft bytes that its indexer has left of its own
     */
    long share(boolean active, long ownLeft) {
        long taken = pool.usedBytes() + underWay;
        long free = Math.max(sharedBytes - taken, Math.min(ownLeft, poolBytes - taken));
        if (free <= 0) {
            return 0;
        }
        return active ? Math.min(free, Math.max(1, windowBytes / Math.max(1, activeChannels))) : 1;
    }

    /** Whether the pool is used up: no more than its own can be granted to any indexer until a tree is flushed. */
    boolean exhausted() {
        return pool.usedBytes() + underWay >= sharedBytes;
    }

    void underWayChanged(long bytes) {
        underWay += bytes;
    }

    void activeChanged(int channels) {
        activeChannels += channels;
    }

    /** Memory of the trees. */
    long poolBytes() {
        return poolBytes;
    }

    /** Bytes granted and not consumed, over all channels. */
    public long underWay() {
        return underWay;
    }
}
