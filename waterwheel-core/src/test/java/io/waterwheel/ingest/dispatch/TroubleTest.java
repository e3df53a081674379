package io.waterwheel.ingest.dispatch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.PartitionRoute.VersionSince;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.ingest.QuietDispatcherEffects;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.BodyPool;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.OffsetRanges;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.protocol.Control.LogProblem;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.LogLoss;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LostRange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Bad records and lost logs, on a partition's dispatcher alone. */
final class TroubleTest {
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");
    private static final StreamPolicy HALT =
            StreamPolicy.DEFAULT.withBadRecords(BadRecords.HALT).withLogLoss(LogLoss.FAIL);

    private final Effects effects = new Effects();
    private long now = 1;
    private long sent;
    private PartitionDispatcher dispatcher =
            dispatcher(new PartitionRoute(100, List.of(new VersionSince(1, 0)), LogIdentity.first("a"), List.of()));

    /** Keeps what is wanted. */
    private static final class Effects extends QuietDispatcherEffects {
        final List<Long> tuples = new ArrayList<>();
        long sentTo;
        int sentVersion;
        final List<Object> tokens = new ArrayList<>();
        final List<Long> stored = new ArrayList<>();
        final List<LostRange> givenUp = new ArrayList<>();
        long steered = -1;
        String trouble = "";
        long taken = -1;

        @Override
        public void send(ChannelBlock block) {
            if (block.indexer() != 0) {
                // Of one that joined; only what the first gets is looked at.
                assertThat(block.body()).isNull();
                return;
            }
            assertThat(block.from()).as("blocks follow each other").isEqualTo(sentTo);
            sentTo = block.to();
            sentVersion = block.version();
            BlockBody body = block.body();
            if (body != null) {
                for (int row = 0; row < body.tuples().size(); row++) {
                    tuples.add(body.offsetOf(row));
                }
                body.release();
            }
        }

        @Override
        public void giveUp(LostRange range) {
            givenUp.add(range);
        }

        @Override
        public void storeDeadLetters(Object token, List<RefusedRow> letters) {
            tokens.add(token);
            letters.forEach(letter -> stored.add(letter.offset()));
        }

        @Override
        public void steer(Control.ReadFrom live) {
            if (live.position() >= 0) {
                steered = live.position();
            }
        }

        @Override
        public void sample(Control.KeySample sample) {
            // Nobody balances here.
        }

        @Override
        public void report(Control.PartitionReport report) {
            trouble = report.trouble().sentence("s");
            taken = report.positions().taken();
        }
    }

    private PartitionDispatcher dispatcher(PartitionRoute route) {
        PartitionDispatcher created = new PartitionDispatcher(
                1,
                0,
                route,
                RoutingTable.even(1, KeyInterval.ALL, 1),
                new Segmenter(SCHEMA, RecordFormat.CSV, new BodyPool(RowLayout.of(SCHEMA), 4), 1 << 16),
                new DispatcherSettings(1 << 20, 1 << 20, 100_000_000),
                CatchUpBudget.ofRing(1 << 20),
                effects,
                now);
        created.onSubscribe(new Control.Subscribe(1, 0, 0, new ChannelEpoch(1, 1), effects.sentTo, 0, 1 << 20), now);
        return created;
    }

    private void live(RecordBatch batch, long at) {
        sent += batch.bytes();
        dispatcher.onLive(new LiveBatch(batch, 1, sent, sent, sent), at);
    }

    private static RecordBatch batch(long from, String... lines) {
        ByteBuffer[] values = new ByteBuffer[lines.length];
        long[] offsets = new long[lines.length];
        for (int i = 0; i < lines.length; i++) {
            offsets[i] = from + i;
            values[i] = ByteBuffer.wrap(lines[i].getBytes(UTF_8));
        }
        return new RecordBatch(1, 0, from, from + lines.length, lines.length, offsets, values);
    }

    private void seconds(int count) {
        for (int i = 0; i < count * 20; i++) {
            now += 50_000_000;
            dispatcher.onTick(now);
        }
    }

    private void logIs(long start, long end) {
        dispatcher.onLogState(new Control.LogState(1, 0, LogIdentity.ANY.since(), start, end, LogProblem.NONE), now);
    }

    @Test
    void tablesThatItsRouteDropsAreForgotten() {
        long limit = 100;
        for (int version = 2; version < 50; version++) {
            List<VersionSince> versions =
                    List.of(new VersionSince(version - 1, limit), new VersionSince(version, limit + 100));
            limit += 100;
            dispatcher.onRoute(new PartitionRoute(limit + 100, versions, LogIdentity.first("a"), List.of()), now);
            dispatcher.onTable(RoutingTable.even(version, KeyInterval.ALL, 1), SCHEMA, now);
            assertThat(dispatcher.tables()).isLessThanOrEqualTo(2);
        }
    }

    @Test
    void aDispatcherThatIsFullSaysWhatItTook() {
        String line = "1".repeat(1 << 16);
        String[] lines = new String[20];
        Arrays.fill(lines, line);
        // Nothing may be routed yet: what comes waits, and what comes when there is no room is dropped.
        dispatcher = dispatcher(new PartitionRoute(0, List.of(new VersionSince(1, 0))));
        live(batch(0, lines), now);
        live(batch(20, lines), now);
        seconds(2);
        assertThat(effects.taken).isEqualTo(20);
    }

    @Test
    void aBadRecordIsStoredBeforeWhatFollowsIsSeenAndNotAgain() {
        live(batch(0, "1", "bad", "2"), now);
        assertThat(effects.sentTo).isZero();
        assertThat(effects.stored).containsExactly(1L);
        // It fails: whether it is stored nobody knows, and it does no harm to store it again.
        dispatcher.onDeadLetters(effects.tokens.get(0), false, now);
        assertThat(effects.sentTo).isZero();
        seconds(2);
        assertThat(effects.stored).containsExactly(1L, 1L);
        assertThat(effects.sentTo).isZero();
        dispatcher.onDeadLetters(effects.tokens.get(1), true, now);
        assertThat(effects.tuples).containsExactly(0L, 2L);
        assertThat(effects.sentTo).isEqualTo(3);
    }

    @Test
    void aHaltStopsBeforeTheRecordUntilThePolicyChanges() {
        dispatcher.onPolicy(HALT, now);
        live(batch(0, "1", "bad", "2"), now);
        seconds(2);
        assertThat(effects.tuples).containsExactly(0L);
        assertThat(effects.sentTo).isEqualTo(1);
        assertThat(effects.stored).isEmpty();
        assertThat(effects.trouble).contains("halted before offset 1").contains("stream set");
        dispatcher.onPolicy(StreamPolicy.DEFAULT, now);
        dispatcher.onDeadLetters(effects.tokens.get(0), true, now);
        assertThat(effects.tuples).containsExactly(0L, 2L);
        seconds(2);
        assertThat(effects.trouble).isEmpty();
    }

    @Test
    void whatAnIndexerHasPassedIsNotHaltedAt() {
        dispatcher.onPolicy(HALT, now);
        live(batch(0, "1", "bad"), now);
        assertThat(effects.tuples).containsExactly(0L);
        assertThat(effects.stored).isEmpty();
        // Another one comes, further on: it was decided before.
        effects.sentTo = 2;
        dispatcher.onSubscribe(new Control.Subscribe(1, 0, 0, new ChannelEpoch(2, 1), 2, 0, 1 << 20), now);
        assertThat(effects.stored).as("again, for whoever lags").containsExactly(1L);
        dispatcher.onDeadLetters(effects.tokens.get(0), true, now);
        live(batch(2, "2", "bad"), now);
        seconds(2);
        assertThat(effects.tuples).containsExactly(0L, 2L);
        assertThat(effects.trouble).contains("halted before offset 3");
    }

    /** It joins at the limit, which is ahead of what was read: nothing below was decided. */
    @Test
    void anIndexerThatJoinsLetsNoHaltPass() {
        dispatcher.onPolicy(HALT, now);
        live(batch(0, "1", "bad", "2"), now);
        seconds(2);
        assertThat(effects.trouble).contains("halted before offset 1");
        List<VersionSince> versions = List.of(new VersionSince(1, 0), new VersionSince(2, 100));
        dispatcher.onRoute(new PartitionRoute(200, versions, LogIdentity.first("a"), List.of()), now);
        dispatcher.onTable(new RoutingTable(2, new long[] {0}, new int[] {0, 1}), SCHEMA, now);
        dispatcher.onSubscribe(new Control.Subscribe(1, 0, 1, new ChannelEpoch(1, 1), 100, 0, 1 << 20), now);
        seconds(2);
        assertThat(effects.tuples).containsExactly(0L);
        assertThat(effects.stored).isEmpty();
        assertThat(effects.trouble).contains("halted before offset 1");
    }

    @Test
    void aRateHaltsAtTheFirstThatIsTooMany() {
        dispatcher.onPolicy(
                StreamPolicy.DEFAULT
                        .withBadRecords(BadRecords.parse("halt above 200 per million"))
                        .withLogLoss(LogLoss.FAIL),
                now);
        live(batch(0, "bad", "1", "bad", "2", "bad", "3"), now);
        // Of the least number of records that says something, 10,000, two are allowed.
        dispatcher.onDeadLetters(effects.tokens.get(0), true, now);
        seconds(2);
        assertThat(effects.sentTo).isEqualTo(4);
        assertThat(effects.trouble).contains("halted before offset 4").contains("halt above 200 per million");
    }

    @Test
    void whatIsGivenUpByHandIsPassedUnderTheVersionThatCameWithIt() {
        dispatcher.onPolicy(HALT, now);
        live(batch(0, "1", "bad", "2"), now);
        PartitionRoute route = new PartitionRoute(
                        100, List.of(new VersionSince(1, 0)), LogIdentity.first("a"), List.of())
                .withLost(new LostRange(0, 1, 2, "by hand"))
                .withVersion(2);
        dispatcher.onRoute(route, now);
        assertThat(effects.tuples).containsExactly(0L, 2L);
        assertThat(effects.sentTo).isEqualTo(3);
    }

    @Test
    void aGapStopsOrIsGivenUpBeforeItIsPassed() {
        live(batch(0, "1"), now);
        logIs(5, 9);
        seconds(2);
        assertThat(effects.trouble).contains("offset 1 is needed, and the log begins at 5");
        assertThat(effects.givenUp).isEmpty();
        dispatcher.onPolicy(StreamPolicy.DEFAULT.withBadRecords(BadRecords.SKIP).withLogLoss(LogLoss.SKIP), now);
        assertThat(effects.givenUp).containsExactly(new LostRange(0, 1, 5, "gone from the log"));
        assertThat(effects.sentTo).as("not before it is recorded").isEqualTo(1);
        dispatcher.onRoute(
                new PartitionRoute(100, List.of(new VersionSince(1, 0)), LogIdentity.first("a"), List.of())
                        .withLost(effects.givenUp.get(0))
                        .withVersion(2),
                now);
        assertThat(effects.sentTo).isEqualTo(5);
        assertThat(effects.sentVersion).isEqualTo(2);
        live(RecordBatch.heartbeat(1, 0, 1), now + 100_000_000);
        assertThat(effects.steered).isEqualTo(5);
        live(batch(5, "6", "7"), now);
        assertThat(effects.tuples).containsExactly(0L, 5L, 6L);
    }

    @Test
    void nothingOfAnotherLogIsTakenForThisOne() {
        live(batch(0, "1"), now);
        dispatcher.onLogState(new Control.LogState(1, 0, LogIdentity.ANY.since(), 0, 3, LogProblem.RECREATED), now);
        live(batch(1, "2"), now);
        seconds(2);
        assertThat(effects.tuples).containsExactly(0L);
        assertThat(effects.trouble).contains("made anew");
        long since = 1_000_000_000_000L;
        dispatcher.onRoute(
                new PartitionRoute(
                        since,
                        List.of(new VersionSince(1, 0)),
                        new LogIdentity("b", since, since),
                        List.of(new LostRange(0, 1, since, "set by hand"))),
                now);
        assertThat(effects.sentTo).isEqualTo(since);
        // A batch of the old log that was under way.
        live(batch(1, "2"), now);
        assertThat(effects.tuples).containsExactly(0L);
    }

    @Test
    void rangesAreTheSetOfWhatWasAdded() {
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            OffsetRanges ranges = new OffsetRanges();
            boolean[] twin = new boolean[60];
            for (int step = 0; step < 20; step++) {
                int from = random.nextInt(50);
                int to = from + random.nextInt(10);
                ranges.add(from, to);
                java.util.Arrays.fill(twin, from, to, true);
                int runs = 0;
                for (int offset = 0; offset < twin.length; offset++) {
                    assertThat(ranges.contains(offset))
                            .as("seed %s step %s offset %s", seed, step, offset)
                            .isEqualTo(twin[offset]);
                    runs += twin[offset] && (offset == 0 || !twin[offset - 1]) ? 1 : 0;
                }
                assertThat(ranges.size()).as("seed %s step %s", seed, step).isEqualTo(runs);
            }
        }
    }

    @Test
    void readingGoesOnAtTheLogsBeginningWhenNobodyLacksWhatIsGone() {
        // It and the spout are new: the checkpoint is 50, the indexer lives and has 200.
        effects.sentTo = 200;
        dispatcher = dispatcher(
                new PartitionRoute(1000, List.of(new VersionSince(1, 0)), LogIdentity.first("a"), List.of()));
        live(RecordBatch.heartbeat(1, 0, 50), now);
        logIs(100, 201);
        assertThat(effects.steered).isEqualTo(100);
        live(RecordBatch.heartbeat(1, 0, 100), now);
        String[] lines = new String[100];
        java.util.Arrays.fill(lines, "1");
        live(batch(100, lines), now);
        live(batch(200, "1"), now);
        assertThat(effects.tuples).containsExactly(200L);
        assertThat(effects.givenUp).isEmpty();
        // Whoever comes from below lacks something.
        effects.sentTo = 60;
        dispatcher.onSubscribe(new Control.Subscribe(1, 0, 0, new ChannelEpoch(2, 1), 60, 0, 0), now);
        seconds(2);
        assertThat(effects.trouble).contains("offset 60 is needed, and the log begins at 100");
    }

    @Test
    void aTopicThatCannotBeLookedAtStopsNothingAndIsNamed() {
        dispatcher.onLogState(new Control.LogState(1, 0, LogIdentity.ANY.since(), -1, -1, LogProblem.UNKNOWN), now);
        live(batch(0, "1"), now);
        seconds(2);
        assertThat(effects.tuples).containsExactly(0L);
        assertThat(effects.trouble).contains("cannot be looked at");
        logIs(0, 1);
        seconds(2);
        assertThat(effects.trouble).isEmpty();
    }

    @Test
    void aLogThatCannotBeReadIsNamedAndItsEndKnown() {
        dispatcher.onLogState(new Control.LogState(1, 0, LogIdentity.ANY.since(), 0, 9, LogProblem.UNREADABLE), now);
        seconds(2);
        assertThat(effects.trouble).contains("cannot be read");
        assertThat(effects.givenUp).isEmpty();
        logIs(0, 9);
        seconds(2);
        assertThat(effects.trouble).isEmpty();
    }

    @Test
    void aCompactedTopicIsNotReadUntilItIsNot() {
        live(batch(0, "1"), now);
        dispatcher.onLogState(new Control.LogState(1, 0, LogIdentity.ANY.since(), 0, 9, LogProblem.COMPACTED), now);
        live(batch(1, "2"), now);
        seconds(2);
        assertThat(effects.trouble).contains("compacted");
        assertThat(effects.tuples).containsExactly(0L);
        logIs(0, 9);
        live(batch(1, "2"), now);
        seconds(2);
        assertThat(effects.tuples).containsExactly(0L, 1L);
        assertThat(effects.trouble).isEmpty();
        assertThat(effects.givenUp).isEmpty();
    }

    @Test
    void aDeadLetterTopicThatTakesNothingIsNamed() {
        live(batch(0, "1", "bad", "2"), now);
        dispatcher.onDeadLetters(effects.tokens.get(0), false, now);
        seconds(2);
        assertThat(effects.trouble).contains("dead-letter topic");
        dispatcher.onDeadLetters(effects.tokens.get(1), true, now);
        seconds(2);
        assertThat(effects.trouble).isEmpty();
    }
}
