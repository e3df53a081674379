package io.waterwheel.ingest.indexer;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.index.FreshView;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.ingest.QuietDispatcherEffects;
import io.waterwheel.ingest.block.BodyPool;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.block.ChannelHeartbeats;
import io.waterwheel.ingest.dispatch.CatchUpBudget;
import io.waterwheel.ingest.dispatch.DispatcherSettings;
import io.waterwheel.ingest.dispatch.HeartbeatRound;
import io.waterwheel.ingest.dispatch.PartitionDispatcher;
import io.waterwheel.ingest.dispatch.Segmenter;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said, and done, about channels on which nothing flows. */
final class HeartbeatTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");
    private static final StreamInfo STREAM = new StreamInfo("s", 1, SCHEMA, RecordFormat.BLOCK, "s", 1, 1);

    private final List<Control.Subscribe> subscribed = new ArrayList<>();
    private final List<Control.Credit> credited = new ArrayList<>();
    private final List<Control.Report> reported = new ArrayList<>();
    private final PagePool pool = new PagePool(1 << 20);
    private final CreditWindow window = new CreditWindow(pool, 1 << 16, 1 << 20);
    private final IndexerTask task = new IndexerTask(window);
    private final IndexerCore core = new IndexerCore(
            STREAM,
            0,
            new IndexerCheckpoint(3, 0, new long[] {50}, 0),
            new long[] {50},
            pool,
            window,
            IndexerSettings.DEFAULT,
            new IndexerEffects() {
                @Override
                public void subscribe(Control.Subscribe subscribe) {
                    subscribed.add(subscribe);
                }

                @Override
                public void credit(Control.Credit credit) {
                    credited.add(credit);
                }

                @Override
                public void report(Control.Report report) {
                    reported.add(report);
                }

                @Override
                public void flush(SealedTree sealed) {}

                @Override
                public void rebuilt(TemplateTree.Rebuilt rebuilt) {}

                @Override
                public void publish(FreshView view) {}
            },
            0);

    private Control.Subscribe last() {
        return subscribed.get(subscribed.size() - 1);
    }

    /** The dispatcher says this of the channel. */
    private void heartbeat(ChannelEpoch epoch, long position, long sent, long granted, long now) {
        ChannelHeartbeats heartbeats = new ChannelHeartbeats(0);
        heartbeats.add(2, 0, 0, epoch, 1_000, 0, 0);
        heartbeats.add(1, 0, 0, epoch, position, sent, granted);
        task.onHeartbeats(heartbeats, now);
    }

    @Test
    void anIndexerAsksAgainForWhatTheDispatcherSaysIsDifferent() {
        task.add(core);
        ChannelEpoch first = last().epoch();
        long granted = last().granted();
        heartbeat(first, 50, 0, granted, 100 * MILLI);
        task.onTick(200 * MILLI);
        assertThat(subscribed).as("all is well").hasSize(1);
        assertThat(credited).isEmpty();

        heartbeat(first, 50, 0, granted - 1, 300 * MILLI);
        assertThat(credited).as("credit is lost").hasSize(1);
        assertThat(credited.get(0).granted()).isEqualTo(granted);
        heartbeat(first, 50, 0, granted, 310 * MILLI);
        assertThat(credited).as("and has come").hasSize(1);

        heartbeat(first, 51, 0, granted, 400 * MILLI);
        assertThat(subscribed).as("a block is lost").hasSize(2);
        ChannelEpoch second = last().epoch();
        assertThat(second.attempt()).isEqualTo(first.attempt() + 1);
        heartbeat(first, 60, 0, 0, 500 * MILLI);
        assertThat(subscribed).as("said of the attempt before").hasSize(2);

        heartbeat(second, 50, 7, granted, 600 * MILLI);
        task.onTick(610 * MILLI);
        assertThat(subscribed).as("the dispatcher has sent what never comes").hasSize(3);
        heartbeat(last().epoch(), 49, 0, granted, 700 * MILLI);
        task.onTick(710 * MILLI);
        assertThat(subscribed).as("the dispatcher serves an old subscription").hasSize(4);
    }

    @Test
    void aChannelWhoseHeartbeatsComeIsNotAskedForAndOneThatIsSilentIs() {
        task.add(core);
        for (long now = 100 * MILLI; now <= SECOND; now += 100 * MILLI) {
            heartbeat(last().epoch(), 50, 0, last().granted(), now);
            task.onTick(now);
        }
        long heard = SECOND;
        for (; heard < 8 * SECOND; heard += 400 * MILLI) {
            heartbeat(last().epoch(), 50, 0, last().granted(), heard);
            task.onTick(heard + 399 * MILLI);
        }
        assertThat(subscribed).hasSize(1);
        task.onTick(heard + 450 * MILLI);
        assertThat(subscribed).as("one heartbeat is missing").hasSize(1);
        task.onTick(heard + 550 * MILLI);
        assertThat(subscribed).as("the same again").hasSize(2).allMatch(first -> first.equals(last()));
        assertThat(credited).isEmpty();
    }

    @Test
    void whatIsNotNewIsReportedOftenEnoughToBeFresh() {
        task.add(core);
        task.onTick(1);
        reported.clear();
        List<Long> times = new ArrayList<>();
        for (long now = 25 * MILLI; now <= 4 * SECOND; now += 25 * MILLI) {
            heartbeat(last().epoch(), 50, 0, last().granted(), now);
            int before = reported.size();
            task.onTick(now);
            if (reported.size() > before) {
                times.add(now / MILLI);
            }
        }
        assertThat(times).containsExactly(800L, 1600L, 2400L, 3200L, 4000L);
        task.onBlock(new ChannelBlock(1, 0, 0, last().epoch(), 50, 60, 1, null), 4 * SECOND + 10 * MILLI, 0);
        task.onTick(4 * SECOND + 200 * MILLI);
        assertThat(reported.get(reported.size() - 1).watermarks())
                .as("news is not kept waiting")
                .containsExactly(60);
    }

    @Test
    void aDispatcherSaysOneThingForAPairOfTasksAndSeldomWhatIsIdle() {
        List<PartitionDispatcher> partitions = new ArrayList<>();
        for (int p = 0; p < 3; p++) {
            partitions.add(dispatcher(p));
            for (int indexer = 0; indexer < 4; indexer++) {
                partitions.get(p).onSubscribe(new Control.Subscribe(1, p, indexer, new ChannelEpoch(1, 1), 0, 0, 1), 0);
            }
        }
        List<Integer> tasks = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        HeartbeatRound round = new HeartbeatRound(100 * MILLI, 2, indexer -> indexer % 2, 0, (to, heartbeats) -> {
            tasks.add(to);
            sizes.add(heartbeats.size());
        });
        for (long now = 25 * MILLI; now < SECOND; now += 25 * MILLI) {
            round.onTick(partitions, now);
        }
        assertThat(tasks).as("nine beats in the first second").hasSize(9 * 2).contains(0, 1);
        assertThat(sizes).containsOnly(6);
        tasks.clear();
        for (long now = SECOND; now < 5 * SECOND; now += 25 * MILLI) {
            round.onTick(partitions, now);
        }
        assertThat(tasks).as("ten in four seconds").hasSize(10 * 2);
    }

    private static PartitionDispatcher dispatcher(int partition) {
        return new PartitionDispatcher(
                1,
                partition,
                new PartitionRoute(
                        1L << 40, List.of(new PartitionRoute.VersionSince(1, 0)), LogIdentity.first("a"), List.of()),
                RoutingTable.even(1, KeyInterval.ALL, 4),
                new Segmenter(SCHEMA, RecordFormat.BLOCK, new BodyPool(RowLayout.of(SCHEMA), 16), 128 << 10),
                DispatcherSettings.DEFAULT,
                CatchUpBudget.ofRing(4 << 20),
                new QuietDispatcherEffects(),
                0);
    }
}
