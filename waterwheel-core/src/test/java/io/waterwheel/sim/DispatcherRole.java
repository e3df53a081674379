package io.waterwheel.sim;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.BodyPool;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.block.ChannelHeartbeats;
import io.waterwheel.ingest.dispatch.DispatcherEffects;
import io.waterwheel.ingest.dispatch.HeartbeatRound;
import io.waterwheel.ingest.dispatch.PartitionDispatcher;
import io.waterwheel.ingest.dispatch.RefusedRow;
import io.waterwheel.ingest.dispatch.Segmenter;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.protocol.PartitionTrouble;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LostRange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One life of a partition's dispatcher, with the calls that it has others make. Zombies as with {@link HostRole}. */
final class DispatcherRole implements DispatcherEffects {
    /** What a channel has been allowed and sent, as the messages say that came here: what rule 6 is checked with. */
    private static final class Account {
        ChannelEpoch epoch;
        long sent;
        long granted;

        Account(Control.Subscribe subscribe) {
            this.epoch = subscribe.epoch();
            this.sent = subscribe.consumed();
            this.granted = subscribe.granted();
        }
    }

    private final World world;
    private final int partition;
    private final SimCatalog.Client client;
    private final StreamCatalog catalog;
    private final PartitionDispatcher core;
    private final HeartbeatRound heartbeats;
    private final Map<Integer, Account> accounts = new HashMap<>();
    /** Turns that others have had since it waits for one. */
    private int passedBy;

    boolean dead;
    long pausedUntil;

    private DispatcherRole(World world, int partition, SimCatalog.Client client) {
        this.world = world;
        this.partition = partition;
        this.client = client;
        this.catalog = new StreamCatalog(client, world.stream);
        PartitionRoute route = catalog.route(partition).route();
        RoutingTable table = catalog.table(route.firstVersion());
        this.core = new PartitionDispatcher(
                world.stream.id(),
                partition,
                route,
                table,
                new Segmenter(
                        world.topic.schema,
                        RecordFormat.BLOCK,
                        new BodyPool(world.topic.layout, 16),
                        world.settings.blockBytes()),
                world.settings.dispatcher(),
                world.catchUps,
                this,
                world.now);
        this.heartbeats = new HeartbeatRound(
                world.settings.dispatcher().heartbeatNanos(),
                world.hosts.length,
                indexer -> indexer % world.hosts.length,
                world.now,
                this::send);
    }

    /** A new one, or null while the catalog is away. */
    static @Nullable DispatcherRole start(World world, int partition) {
        try {
            SimCatalog.Client client = world.catalog.client();
            if (world.faulty() && world.random.nextInt(10) == 0) {
                client.loseSession(1 + world.random.nextInt(3));
            }
            return new DispatcherRole(world, partition, client);
        } catch (WaterwheelException e) {
            world.requireTemporary(e);
            return null;
        }
    }

    int partition() {
        return partition;
    }

    /** It dies: what it held, and its turn, are others'. */
    void end() {
        dead = true;
        core.close();
    }

    /** The next calls of the catalog fail. */
    void loseSession(int calls) {
        client.loseSession(calls);
    }

    boolean paused() {
        return world.now < pausedUntil;
    }

    void onLive(LiveBatch batch) {
        core.onLive(batch, world.now);
        checkMemory();
    }

    void onSubscribe(Control.Subscribe subscribe) {
        Account account = accounts.get(subscribe.indexer());
        if (account == null || subscribe.epoch().compareTo(account.epoch) > 0) {
            accounts.put(subscribe.indexer(), new Account(subscribe));
        } else if (subscribe.epoch().equals(account.epoch)) {
            account.granted = Math.max(account.granted, subscribe.granted());
        }
        core.onSubscribe(subscribe, world.now);
    }

    void onCredit(Control.Credit credit) {
        Account account = accounts.get(credit.indexer());
        if (account != null && credit.epoch().equals(account.epoch)) {
            account.granted = Math.max(account.granted, credit.granted());
        }
        core.onCredit(credit, world.now);
    }

    void onTick() {
        core.onTick(world.now);
        heartbeats.onTick(List.of(core), world.now);
    }

    private void send(int host, ChannelHeartbeats message) {
        world.network.send("p" + partition + ">host " + host, () -> {
            HostRole target = world.hostNumbered(host);
            if (target.paused()) {
                return false;
            }
            target.onHeartbeats(message);
            return true;
        });
    }

    private void checkMemory() {
        Oracle.check(
                core.pendingBytes() <= world.settings.dispatcher().pendingBytes() + Topic.BATCH_BYTES,
                "dispatcher %d: memory: %d bytes pending",
                partition,
                core.pendingBytes());
        Oracle.check(
                core.ringBytes()
                        <= world.settings.dispatcher().ringBytes() + world.maxBlockBytes() + Topic.REFUSED_BYTES,
                "dispatcher %d: memory: %d bytes in the ring",
                partition,
                core.ringBytes());
    }

    @Override
    public void send(ChannelBlock block) {
        Account account = accounts.get(block.indexer());
        Oracle.check(
                account != null && account.epoch.equals(block.epoch()),
                "dispatcher %d sends under subscription %s that nobody made",
                partition,
                block.epoch());
        if (account != null && block.bytes() > 0) {
            Oracle.check(
                    account.sent < account.granted,
                    "dispatcher %d sends indexer %d %d bytes: credit: %d sent, %d granted",
                    partition,
                    block.indexer(),
                    block.bytes(),
                    account.sent,
                    account.granted);
            account.sent += block.bytes();
        }
        // This holder never lets go of the body: it may be delivered twice, or never.
        world.network.send("p" + partition + ">indexer " + block.indexer(), () -> {
            HostRole target = world.hostOf(block.indexer());
            if (target.paused()) {
                return false;
            }
            BlockBody body = block.body();
            if (body != null) {
                body.retain();
            }
            target.onBlock(block);
            return true;
        });
    }

    /** Hands the answer of a call over later, if this dispatcher still lives. */
    private void later(Consumer<PartitionDispatcher> answer) {
        world.network.answer("p" + partition, () -> {
            if (!dead) {
                answer.accept(core);
            }
            return true;
        });
    }

    private void call(Runnable call) {
        world.network.answer("p" + partition, () -> {
            try {
                call.run();
            } catch (WaterwheelException e) {
                // The state machine asks again.
                world.requireTemporary(e);
                world.note("dispatcher " + partition, "cannot ask the catalog: %s", e.getMessage());
            }
            return true;
        });
    }

    /**
     * What is read again by all is bounded, and whoever waits for a turn has one when those before it had theirs. Those
     * whose log was slow wait for each other, however many turns the others have meanwhile, see {@link SharedStream}.
     */
    private void checkTurns() {
        passedBy = 0;
        List<DispatcherRole> living = world.livingDispatchers();
        int reading = 0;
        long held = 0;
        for (DispatcherRole each : living) {
            held += each.core.catchUpBytes();
            reading += each.core.isCatchingUp() ? 1 : 0;
            if (!each.core.waitsToCatchUp()) {
                each.passedBy = 0;
            } else if (each != this) {
                each.passedBy++;
            }
            Oracle.check(
                    each.passedBy <= 2 * living.size() + world.settings.catchUps(),
                    "dispatcher %d: memory: it waits to read again, and others have had %d turns",
                    each.partition,
                    each.passedBy);
        }
        Oracle.check(
                reading <= world.settings.catchUps(),
                "memory: %d read again at once, %s",
                reading,
                world.settings.catchUps());
        Oracle.check(
                held
                        <= world.settings.catchUps()
                                * (Settings.CATCH_UP_BYTES + world.maxBlockBytes() + Topic.REFUSED_BYTES),
                "memory: %d bytes are read again, for %d turns",
                held,
                world.settings.catchUps());
    }

    @Override
    public void readLog(long from, int maxBytes) {
        checkTurns();
        Oracle.check(maxBytes <= Settings.CATCH_UP_BYTES, "memory: %d bytes are read again at once", maxBytes);
        boolean failed = world.faulty() && world.random.nextInt(10) == 0;
        RecordBatch batch =
                failed ? null : world.topic.read(partition, from, 1 + world.random.nextInt(Topic.BATCH_RECORDS));
        later(dispatcher -> dispatcher.onCatchUp(batch, world.now));
    }

    /** What is read again is answered soon here; where it is not, see {@link SharedStream}. */
    @Override
    public void takeBackRead() {}

    @Override
    public void raiseLimit(long limit, LogIdentity log) {
        call(() -> {
            PartitionRoute route = catalog.raiseLimit(partition, limit, log).route();
            later(dispatcher -> dispatcher.onRoute(route, world.now));
        });
    }

    @Override
    public void giveUp(LostRange range) {
        world.oracle.watch(() -> Oracle.check(false, "nothing is lost here, and yet is given up: %s", range));
    }

    @Override
    public void sample(Control.KeySample sample) {
        // Who balances here decides at random: that is harder than what a balancer would propose.
    }

    @Override
    public void report(Control.PartitionReport report) {
        // Letters that cannot be stored are told of, and tried again; that this ends is checked at the end.
        boolean letters = report.trouble().kind() == PartitionTrouble.Kind.LETTERS_NOT_STORED;
        Oracle.check(
                report.trouble().isNone() || letters, "partition %d stands still: %s", partition, report.trouble());
    }

    @Override
    public void fetchTable(int version) {
        call(() -> {
            Optional<RoutingTable> table = catalog.findTable(version);
            if (table.isPresent()) {
                Schema schema = catalog.scaled(table.get().scales()).schema();
                later(dispatcher -> dispatcher.onTable(table.get(), schema, world.now));
            } else {
                catalog.sync();
                PartitionRoute route = catalog.route(partition).route();
                later(dispatcher -> dispatcher.onRoute(route, world.now));
            }
        });
    }

    @Override
    public void storeDeadLetters(Object token, List<RefusedRow> letters) {
        // Stored, in part or whole, and its answer lost, or not stored: the dispatcher hears the same.
        boolean confirmed = !world.faulty() || world.random.nextInt(3) != 0;
        int reached = confirmed ? letters.size() : world.random.nextInt(letters.size() + 1);
        List<RefusedRow> sent = List.copyOf(letters.subList(0, reached));
        world.network.answer("letters", () -> {
            world.topic.letters(partition).store(sent);
            later(dispatcher -> dispatcher.onDeadLetters(token, confirmed, world.now));
            return true;
        });
    }

    @Override
    public void steer(Control.ReadFrom live) {
        world.network.send("p" + partition + ">spout", () -> {
            world.spouts[partition].steer(live);
            return true;
        });
    }
}
