package io.waterwheel.sim;

import io.waterwheel.catalog.EditRecord;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.ingest.dispatch.CatchUpBudget;
import io.waterwheel.query.scan.QueryClock;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Everything there is in one run: time, the log, the catalog, the files, the network, the roles and their zombies. */
final class World {
    /** One run in so many has a retention: what is gone cannot show what else is wrong. */
    private static final int EXPIRING = 5;

    private static final int MAX_ZOMBIES = 3;
    private static final int MAX_INTERLEAVED = 4;
    private static final int MAX_DEPTH = 3;

    final Random random;
    final Settings settings;
    final Trace trace = new Trace();
    long now = 1_000_000_000;

    final SimCatalog catalog;
    final SimFiles files;
    final Network network;
    final Topic topic;
    final StreamInfo stream;
    /** The stream's catalog as it is, for the oracle. */
    final StreamCatalog truth;

    /** Every edit that was ever committed. */
    final EditRecord edits;

    final Oracle oracle;
    final ChunkWriter writer = new ChunkWriter();

    final HostRole[] hosts;
    final List<HostRole> zombieHosts = new ArrayList<>();
    final @Nullable DispatcherRole[] dispatchers;
    final List<DispatcherRole> zombieDispatchers = new ArrayList<>();
    /** As if one task had all partitions. */
    final CatchUpBudget catchUps;

    final SpoutRole[] spouts;
    final CoordinatorRole[] coordinators;
    CollectorRole collector;
    /** So many tries of rolling up there were. */
    int attempts;

    /** Two at once: the second is a predecessor that is not dead. */
    final CompactionRole[] rollers;

    final MergerRole merger;
    /** Two at once, on clocks of their own; none in runs where nothing expires. */
    final List<ExpirerRole> expirers = new ArrayList<>();

    final SimCatalog.Client[] balancers;

    final FinisherRole finisher;

    private long lives;

    /**
     * Whether coordinators read what the cache has on the query's own thread, where nothing comes between. In small
     * worlds they do not: there it is the calls that find mistakes.
     */
    final boolean readsCached;

    private boolean faulty = true;
    private @Nullable Events events;
    /** Calls in the middle of which others happen. */
    private int depth;

    /** Time as the shipped query classes see it: what they sleep, the world lives. */
    final QueryClock clock = new QueryClock() {
        @Override
        public long nanos() {
            return now;
        }

        @Override
        public void sleep(long nanos) {
            long until = now + nanos;
            Events going = events;
            while (going != null && faulty && now < until) {
                oracle.watch(going::step);
            }
            now = Math.max(now, until);
        }
    };

    World(long seed) {
        this(seed, false);
    }

    /** @param wide whether there are many partitions and indexers, or as few as show most */
    World(long seed, boolean wide) {
        this(seed, wide, Topic.SCHEMA);
    }

    /** @param schema of the topic's tuples */
    World(long seed, boolean wide, Schema schema) {
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
        Settings drawn = Settings.draw(random);
        this.settings = wide ? drawn.wide() : drawn;
        this.readsCached = wide;
        this.catchUps =
                new CatchUpBudget((long) settings.catchUps() * Settings.CATCH_UP_BYTES, Settings.CATCH_UP_BYTES);
        this.catalog = new SimCatalog(random, settings.unknown());
        this.stream = new Namespace(catalog.truth())
                .create("s", schema, RecordFormat.BLOCK, "t", new long[settings.partitions()], settings.indexers());
        this.truth = new StreamCatalog(catalog.truth(), stream);
        this.edits = new EditRecord(stream);
        catalog.onCreate(this::created);
        this.topic = new Topic(random, stream.id(), settings.partitions(), schema);
        this.oracle = new Oracle(this);
        this.files = new SimFiles(random, settings.diskFaults(), oracle::beforeDelete);
        this.network = new Network(this, settings.loss(), settings.repeats(), settings.reorder());
        this.hosts = new HostRole[settings.hosts()];
        for (int h = 0; h < hosts.length; h++) {
            hosts[h] = new HostRole(this, h);
        }
        this.dispatchers = new DispatcherRole[settings.partitions()];
        this.spouts = new SpoutRole[settings.partitions()];
        for (int p = 0; p < spouts.length; p++) {
            spouts[p] = new SpoutRole(this, p);
        }
        this.coordinators = new CoordinatorRole[] {new CoordinatorRole(this, 0), new CoordinatorRole(this, 1)};
        this.collector = new CollectorRole(this);
        this.rollers = new CompactionRole[] {new CompactionRole(this, 0), new CompactionRole(this, 1)};
        this.merger = new MergerRole(this);
        this.balancers = new SimCatalog.Client[] {catalog.client(), catalog.client()};
        this.finisher = new FinisherRole(this);
        if (seed % EXPIRING == 0) {
            expirers.add(new ExpirerRole(this, 0));
            expirers.add(new ExpirerRole(this, 1));
        }
    }

    private void created(String path, byte[] data) {
        edits.horizonOf(path, data).ifPresent(horizon -> oracle.expired(horizon));
        edits.created(path, data);
    }

    /** Lets time that queries sleep be lived by these events. */
    void live(Events going) {
        events = going;
        catalog.between(this::interleave);
    }

    void note(String who, String what, Object... args) {
        trace.note(now, who, what, args);
    }

    /** Whether things still go wrong. */
    boolean faulty() {
        return faulty;
    }

    /** From now on, or no longer, nothing goes wrong. */
    void calm(boolean calm) {
        faulty = !calm;
        network.calm(calm);
        catalog.calm(calm);
        files.calm(calm);
    }

    /** Rows of one block may exceed its bound by a record's. */
    long maxBlockBytes() {
        return settings.blockBytes() + Topic.RECORD_BYTES;
    }

    /** A number that no spout had before. */
    long nextLife() {
        return ++lives;
    }

    void requireTemporary(WaterwheelException e) {
        if (e.kind() != WaterwheelException.Kind.TEMPORARY) {
            throw e;
        }
    }

    /** Every logical indexer that there is. */
    List<Integer> indexerIds() {
        return oracle.truth().checkpoints().keySet().stream().sorted().toList();
    }

    /** Who takes what is sent to an indexer: the task that hosts it, sometimes a zombie of that task. */
    HostRole hostOf(int indexer) {
        return hostNumbered(indexer % hosts.length);
    }

    /** The task of a number, sometimes a zombie of it. */
    HostRole hostNumbered(int number) {
        if (faulty && !zombieHosts.isEmpty() && random.nextInt(4) == 0) {
            HostRole zombie = zombieHosts.get(random.nextInt(zombieHosts.size()));
            if (zombie.number == number) {
                return zombie;
            }
        }
        return hosts[number];
    }

    /** Hands something to the dispatcher of a partition, which starts if need be; false while it pauses. */
    boolean toDispatcher(int partition, Consumer<DispatcherRole> event) {
        DispatcherRole target = dispatchers[partition];
        if (faulty && !zombieDispatchers.isEmpty() && random.nextInt(4) == 0) {
            DispatcherRole zombie = zombieDispatchers.get(random.nextInt(zombieDispatchers.size()));
            if (zombie.partition() == partition) {
                target = zombie;
            }
        }
        if (target == null) {
            target = DispatcherRole.start(this, partition);
            if (dispatchers[partition] != null) {
                // One that was started while this one asked the catalog: it has a successor.
                crashDispatcher(partition, false);
            }
            dispatchers[partition] = target;
            if (target == null) {
                return true;
            }
            note("dispatcher " + partition, "starts");
        }
        if (target.paused()) {
            return false;
        }
        event.accept(target);
        return true;
    }

    /** Every dispatcher that lives, zombies too. */
    List<DispatcherRole> livingDispatchers() {
        List<DispatcherRole> living = new ArrayList<>(zombieDispatchers);
        for (DispatcherRole dispatcher : dispatchers) {
            if (dispatcher != null) {
                living.add(dispatcher);
            }
        }
        return living;
    }

    /** An indexer task dies, or its successor is started while it lives on. */
    void crashHost(int number, boolean zombie) {
        HostRole old = hosts[number];
        if (zombie) {
            old.stuck = random.nextBoolean();
            zombieHosts.add(old);
            if (zombieHosts.size() > MAX_ZOMBIES) {
                zombieHosts.remove(0).dead = true;
            }
        } else {
            old.dead = true;
        }
        note("host " + number, zombie ? "becomes a zombie" : "dies");
        hosts[number] = new HostRole(this, number);
        hosts[number].launch();
    }

    void crashDispatcher(int partition, boolean zombie) {
        DispatcherRole old = dispatchers[partition];
        // First: the turn of one that ends is another's at once.
        dispatchers[partition] = null;
        if (old != null) {
            if (zombie) {
                zombieDispatchers.add(old);
                if (zombieDispatchers.size() > MAX_ZOMBIES) {
                    zombieDispatchers.remove(0).end();
                }
            } else {
                old.end();
            }
            note("dispatcher " + partition, zombie ? "becomes a zombie" : "dies");
        }
    }

    /** Zombies end; what is under way to them arrives at nobody. */
    void endZombies() {
        zombieHosts.forEach(host -> host.dead = true);
        zombieHosts.clear();
        zombieDispatchers.forEach(DispatcherRole::end);
        zombieDispatchers.clear();
    }

    /** Lets other things happen in the middle of a call. */
    void interleave() {
        Events going = events;
        if (!faulty || going == null || depth >= MAX_DEPTH) {
            return;
        }
        depth++;
        try {
            for (int n = random.nextInt(MAX_INTERLEAVED); n > 0; n--) {
                oracle.watch(random.nextInt(4) == 0 ? going::rival : going::step);
            }
        } finally {
            depth--;
        }
    }
}
