package io.waterwheel.sim;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.index.PagePool;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.block.ChannelHeartbeats;
import io.waterwheel.ingest.dispatch.CatchUpBudget;
import io.waterwheel.ingest.dispatch.DispatcherSettings;
import io.waterwheel.ingest.dispatch.HeartbeatRound;
import io.waterwheel.ingest.dispatch.PartitionDispatcher;
import io.waterwheel.ingest.indexer.CreditWindow;
import io.waterwheel.ingest.indexer.IndexerSettings;
import io.waterwheel.ingest.indexer.IndexerTask;
import io.waterwheel.ingest.source.ReadAhead;
import io.waterwheel.schema.RecordFormat;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * One run of up to {@value #MOST} streams that share a spout task, a dispatcher task, an indexer task and its memory,
 * under one seed, on the shipped classes. First messages are lost, tasks die and streams fall sick for a while. Then
 * some streams are sick and stay so, each in its own way, while all go on producing: the others must not notice; under
 * one seed in {@value #PASSING_SEEDS}, streams that cannot be flushed come and are dropped meanwhile. In the end all
 * are well, and everything is in chunks once.
 *
 * <p>What happens within one stream is {@link Simulation}'s matter; here it is what they share.
 */
final class StreamsSimulation {
    static final int MOST = 50;

    static final long BLOCK_BYTES = 300;

    /** Credit is used to the end of the last block. */
    private static final long SLACK_BYTES = BLOCK_BYTES + Topic.RECORD_BYTES;

    private static final long ROUND_NANOS = 20_000_000;
    private static final int ROUGH_ROUNDS = 40;
    private static final int SICK_ROUNDS = 300;
    private static final int PRODUCING_ROUNDS = 100;
    private static final int CALM_ROUNDS = 6_000;
    /** One that is sick alone produces so many times as much; of few streams, now and then all that are sick do. */
    private static final int FLOOD = 6;

    private static final int FEW = 12;

    /**
     * A stream that is well, and has something to do, gets on within this time, whatever ails the others; and for each
     * stream this much more, in which two trees are written in turn.
     */
    private static final long PATIENCE_NANOS = 4_000_000_000L;

    private static final long TURN_NANOS = 3 * ROUND_NANOS;

    private static final int PASSING_SEEDS = 5;
    /** One comes every so many rounds, and is dropped after half of them. */
    private static final int PASSING_ROUNDS = 20;

    /** Of the pool, what unsealed trees may hold together where they are sealed by size. */
    private static final double MOST_UNSEALED = 0.4;

    final Random random;
    private final Trace trace = new Trace();
    final ChunkWriter writer = new ChunkWriter();
    final DispatcherSettings dispatcherSettings = new DispatcherSettings(2_000, 2_000, 100_000_000);
    final IndexerSettings indexerSettings;
    private final SimCatalog catalog;
    private final List<SharedStream> streams = new ArrayList<>();
    private final Namespace namespace;
    private final boolean passing;
    private @Nullable PassingStream passer;
    private final ArrayDeque<Runnable> messages = new ArrayDeque<>();
    private final long poolBytes;
    /** Whether trees are sealed when the pool is used up, not before. */
    private final boolean sealsByMemory;
    /** What ails most that are sick. */
    private final SharedStream.Sickness usual;

    private final long windowBytes;

    final PagePool pool;
    CreditWindow window;
    IndexerTask indexers;
    ReadAhead ahead;
    CatchUpBudget catchUps;
    private final long aheadBytes;
    private HeartbeatRound heartbeats;
    long now = 1_000_000_000;
    long lives;
    private boolean rough = true;
    /** What indexers that are set aside held when the last one was, or came to hold less. */
    private long asideBytes;

    private int aside;

    private StreamsSimulation(long seed) {
        this.random = new Random(seed * 0x9E3779B97F4A7C15L + 3);
        this.catalog = new SimCatalog(random, 0);
        this.namespace = new Namespace(catalog.truth());
        this.passing = seed % PASSING_SEEDS == PASSING_SEEDS - 1;
        // Few show most, many what comes with number.
        int count = 2 + random.nextInt(1 + random.nextInt(MOST - 1));
        this.poolBytes = Settings.PAGE_BYTES * count * (2L << random.nextInt(2));
        this.sealsByMemory = random.nextInt(2) == 0;
        this.usual = List.of(
                        SharedStream.Sickness.CHUNKS,
                        SharedStream.Sickness.LETTERS,
                        SharedStream.Sickness.READING_AGAIN)
                .get(random.nextInt(3));
        this.windowBytes = new long[] {400, 2_000, 100_000}[random.nextInt(3)];
        this.aheadBytes = random.nextInt(3) == 0 ? 1_000_000 : 2_500 + 80L * count;
        this.indexerSettings = new IndexerSettings(
                sealsByMemory ? poolBytes : (long) (MOST_UNSEALED * poolBytes / count),
                60_000_000_000L,
                random.nextInt(2) * 500_000_000L,
                300_000_000L,
                Settings.STALE_NANOS,
                200_000_000L,
                100_000,
                100_000);
        this.pool = new PagePool(poolBytes);
        this.window = new CreditWindow(pool, windowBytes, poolBytes);
        this.indexers = new IndexerTask(window);
        this.ahead = new ReadAhead(aheadBytes);
        this.heartbeats = newRound();
        for (int s = 0; s < count; s++) {
            StreamInfo info = namespace.create("s" + s, Topic.SCHEMA, RecordFormat.BLOCK, "t" + s, new long[1], 1);
            streams.add(new SharedStream(this, info, new StreamCatalog(catalog.truth(), info)));
        }
        this.catchUps = newCatchUps();
        streams.forEach(SharedStream::startDispatcher);
        streams.forEach(SharedStream::startIndexer);
    }

    /** What failed under a seed, with the last events; empty when nothing did. */
    static String run(long seed) {
        StreamsSimulation run = new StreamsSimulation(seed);
        try {
            run.live();
            return "";
        } catch (IOException | RuntimeException | AssertionError e) {
            return String.format(
                    Locale.ROOT,
                    "seed %d of %d streams, after 0 steps: %s%n  %s%n  last events: %s",
                    seed,
                    run.streams.size(),
                    e,
                    List.of(e.getStackTrace()).subList(0, Math.min(6, e.getStackTrace().length)),
                    run.trace);
        }
    }

    void note(String who, String what, Object... args) {
        trace.note(now, who, what, args);
    }

    /** Sends what may be lost. */
    void send(Runnable message) {
        if (!rough || random.nextInt(20) != 0) {
            messages.add(message);
        }
    }

    /** Takes time, and arrives. */
    void answer(Runnable message) {
        messages.add(message);
    }

    void onBlock(ChannelBlock block) {
        indexers.onBlock(block, now, now / 1_000_000);
    }

    /** Fewer read again at once than there are. */
    private CatchUpBudget newCatchUps() {
        int turns = 2 + random.nextInt(4) + streams.size() / 6;
        return new CatchUpBudget((long) turns * Settings.CATCH_UP_BYTES, Settings.CATCH_UP_BYTES);
    }

    private HeartbeatRound newRound() {
        return new HeartbeatRound(dispatcherSettings.heartbeatNanos(), 1, indexer -> 0, now, this::sendHeartbeats);
    }

    private void sendHeartbeats(int task, ChannelHeartbeats message) {
        send(() -> indexers.onHeartbeats(message, now));
    }

    private void live() throws IOException {
        for (int round = 0; round < ROUGH_ROUNDS; round++) {
            trouble();
            round(round, true);
        }
        rough = false;
        fallSick();
        for (int round = 0; round < SICK_ROUNDS + 4 * streams.size(); round++) {
            round(round, round < PRODUCING_ROUNDS);
            if (passing) {
                pass(round);
            }
            checkOthersGoOn();
        }
        leave();
        for (SharedStream stream : streams) {
            heal(stream);
        }
        note("all", "are well again");
        for (int round = 0; !allVisible(); round++) {
            Oracle.check(round < CALM_ROUNDS, "it does not end: %s", standing());
            round(round, false);
        }
        streams.forEach(SharedStream::seal);
        for (int round = 0; streams.stream().anyMatch(SharedStream::isFlushing); round++) {
            Oracle.check(round < CALM_ROUNDS, "flushes do not end");
            round(round, false);
        }
        for (SharedStream stream : streams) {
            SimCatalog.Client client = catalog.truth();
            stream.checkWhole(new SnapshotReader(client, stream.files(), stream.info).latest());
        }
        for (SharedStream stream : streams) {
            indexers.remove(stream.info.id());
        }
        Oracle.check(pool.usedBytes() == 0, "%d bytes of the pool are never given back", pool.usedBytes());
    }

    private void trouble() {
        int action = random.nextInt(30);
        SharedStream one = streams.get(random.nextInt(streams.size()));
        if (action == 0) {
            note("spout", "dies");
            ahead = new ReadAhead(aheadBytes);
            streams.forEach(SharedStream::restartReading);
        } else if (action == 1) {
            note("dispatchers", "die");
            heartbeats = newRound();
            catchUps = newCatchUps();
            streams.forEach(SharedStream::startDispatcher);
        } else if (action == 2) {
            note("indexers", "die");
            streams.forEach(SharedStream::startIndexer);
        } else if (action < 8) {
            sicken(one);
        } else if (action < 12) {
            heal(one);
        }
    }

    private void sicken(SharedStream stream) {
        SharedStream.Sickness[] all = SharedStream.Sickness.values();
        stream.sickness = random.nextInt(4) != 0 ? usual : all[1 + random.nextInt(all.length - 1)];
        note(stream.name(), "falls sick: %s", stream.sickness);
    }

    private void heal(SharedStream stream) {
        stream.sickness = SharedStream.Sickness.NONE;
        stream.movedNanos = now;
    }

    /** All but one at most, at the same moment, whatever their trees have grown to before it is known of them. */
    private void fallSick() {
        List<SharedStream> some = new ArrayList<>(streams);
        Collections.shuffle(some, random);
        int sick = random.nextInt(streams.size());
        boolean flood = sick == 1 || (streams.size() <= FEW && random.nextBoolean());
        for (int s = 0; s < some.size(); s++) {
            heal(some.get(s));
            if (s < sick) {
                sicken(some.get(s));
                some.get(s).busy *= flood ? FLOOD : 1;
            }
        }
    }

    /** Streams come, take what they are given, and are dropped while their chunks cannot be written. */
    private void pass(int round) {
        if (round % PASSING_ROUNDS == 0) {
            passer = new PassingStream(this, namespace, catalog.truth(), "passing" + round);
        } else if (round % PASSING_ROUNDS == PASSING_ROUNDS / 2) {
            leave();
        }
        if (passer != null) {
            passer.goOn();
        }
    }

    private void leave() {
        if (passer != null) {
            indexers.remove(passer.id());
            passer.flushStep();
            Oracle.check(!passer.holdsTrees(), "memory: trees of a dropped stream wait for a chunk store");
            passer = null;
        }
    }

    private void round(int number, boolean producing) {
        now += ROUND_NANOS;
        List<SharedStream> order = new ArrayList<>(streams);
        Collections.shuffle(order, random);
        for (SharedStream stream : order) {
            for (int n = producing ? random.nextInt(stream.busy) : 0; n > 0; n--) {
                stream.topic.produce(0, now / 1_000_000);
            }
            stream.read();
            stream.read();
            if (number % 4 == 0) {
                stream.beat();
            }
        }
        for (int n = messages.size(); n > 0; n--) {
            messages.remove().run();
        }
        checkAside();
        order.forEach(SharedStream::flushStep);
        checkAside();
        if (number % 3 == 0) {
            List<PartitionDispatcher> dispatchers = new ArrayList<>();
            for (SharedStream stream : streams) {
                PartitionDispatcher dispatcher = stream.dispatcher();
                if (dispatcher != null) {
                    dispatcher.onTick(now);
                    dispatchers.add(dispatcher);
                }
            }
            heartbeats.onTick(dispatchers, now);
            indexers.onTick(now);
            checkAside();
        }
        Oracle.check(
                ahead.bytes() <= aheadBytes + streams.size() * Topic.BATCH_BYTES,
                "spout: memory: %d bytes read ahead",
                ahead.bytes());
    }

    /**
     * No indexer takes more than half of the pool; those that are set aside are given no more while they have that
     * together, and others are not set aside.
     */
    private void checkAside() {
        long bytes = 0;
        int count = 0;
        long all = passer == null ? 0 : passer.takenBytes();
        for (SharedStream stream : streams) {
            long taken = stream.takenBytes();
            all += taken;
            if (stream.isSetAside()) {
                bytes += taken;
                count++;
            }
            Oracle.check(
                    taken <= poolBytes / 2 + SLACK_BYTES,
                    "memory: %s holds %d bytes of %d",
                    stream.name(),
                    taken,
                    poolBytes);
        }
        Oracle.check(
                all <= poolBytes + (streams.size() + 1) * SLACK_BYTES,
                "memory: all hold %d bytes of %d",
                all,
                poolBytes);
        if (count != aside || bytes < asideBytes) {
            asideBytes = bytes;
            aside = count;
        }
        long share = count == streams.size() ? poolBytes : poolBytes / 2;
        Oracle.check(
                bytes <= Math.max(asideBytes, share) + count * SLACK_BYTES,
                "memory: %d indexers that are set aside hold %d bytes of %d, and held %d",
                count,
                bytes,
                poolBytes,
                asideBytes);
    }

    private void checkOthersGoOn() {
        for (SharedStream stream : streams) {
            stream.noteProgress();
            Oracle.check(
                    stream.sickness != SharedStream.Sickness.NONE
                            || now - stream.movedNanos < PATIENCE_NANOS + streams.size() * TURN_NANOS,
                    "%s is well and stands still at %d of %d: %s",
                    stream.name(),
                    stream.visible(),
                    stream.topic.end(0),
                    standing());
        }
    }

    private boolean allVisible() {
        return streams.stream().allMatch(stream -> stream.visible() >= stream.topic.end(0));
    }

    private String standing() {
        return String.format(
                Locale.ROOT,
                "%s; pool %d of %d, under way %d, read ahead %d of %d, %d set aside with %d bytes",
                streams.stream()
                        .filter(stream -> stream.visible() < stream.topic.end(0))
                        .map(SharedStream::standing)
                        .limit(3)
                        .toList(),
                pool.usedBytes(),
                poolBytes,
                window.underWay(),
                ahead.bytes(),
                aheadBytes,
                aside,
                asideBytes);
    }
}
