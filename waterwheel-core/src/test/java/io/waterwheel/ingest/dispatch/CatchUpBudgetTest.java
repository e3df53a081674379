package io.waterwheel.ingest.dispatch;

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
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Partitions of a task that read the log again, in turn, within one budget. */
final class CatchUpBudgetTest {
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");
    private static final int RECORD_BYTES = 13 + RecordBatch.RECORD_BYTES;
    private static final int BLOCK_BYTES = 16 << 10;
    private static final long HEARTBEAT_NANOS = 100_000_000;

    private final List<Partition> partitions = new ArrayList<>();
    private final ArrayDeque<Runnable> answers = new ArrayDeque<>();
    private CatchUpBudget budget = CatchUpBudget.ofRing(32 << 20);
    private long now = 1;
    private long mostUsed;
    private long mostHeld;
    private long raw;
    private long mostRaw;
    private int mostTurns;

    /** One that was read to its end, and whose only channel begins at 0. */
    private final class Partition extends QuietDispatcherEffects {
        final int number;
        final long end;
        final PartitionDispatcher dispatcher;
        long sentTo;
        long sent;
        int reads;
        /** How long its log takes to answer; 0: until the next round. */
        long answersAfterNanos;

        private @Nullable Runnable answer;
        private long answersAtNanos;
        int takenBack;

        Partition(int number, long end) {
            this.number = number;
            this.end = end;
            this.dispatcher = new PartitionDispatcher(
                    1,
                    number,
                    new PartitionRoute(end + 100, List.of(new VersionSince(1, 0)), LogIdentity.first("a"), List.of()),
                    RoutingTable.even(1, KeyInterval.ALL, 1),
                    new Segmenter(SCHEMA, RecordFormat.CSV, new BodyPool(RowLayout.of(SCHEMA), 4), BLOCK_BYTES),
                    new DispatcherSettings(1 << 16, 1 << 16, HEARTBEAT_NANOS),
                    budget,
                    this,
                    now);
            dispatcher.onLive(new LiveBatch(RecordBatch.heartbeat(1, number, end), 1, 0, 0, 0), now);
        }

        void subscribe(long credit) {
            dispatcher.onSubscribe(new Control.Subscribe(1, number, 0, new ChannelEpoch(1, 1), 0, 0, credit), now);
        }

        void credit(long more) {
            dispatcher.onCredit(new Control.Credit(1, number, 0, new ChannelEpoch(1, 1), sent + more), now);
        }

        @Override
        public void readLog(long from, int maxBytes) {
            reads++;
            assertThat(maxBytes).isLessThanOrEqualTo(budget.turnBytes());
            int count = (int) Math.min(end - from, Math.max(1, maxBytes / RECORD_BYTES));
            long[] offsets = new long[count];
            ByteBuffer[] values = new ByteBuffer[count];
            for (int i = 0; i < count; i++) {
                offsets[i] = from + i;
                values[i] = ByteBuffer.wrap("1500000000000".getBytes(StandardCharsets.US_ASCII));
            }
            RecordBatch batch = new RecordBatch(1, number, from, from + count, count, offsets, values);
            raw += batch.bytes();
            mostRaw = Math.max(mostRaw, raw);
            answersAtNanos = now + answersAfterNanos;
            answer = () -> {
                dispatcher.onCatchUp(batch, now);
                raw -= batch.bytes();
            };
            if (answersAfterNanos == 0) {
                answers.add(this::answer);
            }
        }

        @Override
        public void takeBackRead() {
            takenBack++;
            answer = () -> dispatcher.onCatchUp(null, now);
            answers.add(this::answer);
        }

        private void answer() {
            Runnable due = answer;
            answer = null;
            if (due != null) {
                due.run();
            }
        }

        @Override
        public void send(ChannelBlock block) {
            assertThat(block.from()).isEqualTo(sentTo);
            sentTo = block.to();
            BlockBody body = block.body();
            if (body != null) {
                sent += body.bytes();
                body.release();
            }
        }
    }

    private void look() {
        long held = 0;
        int turns = 0;
        for (Partition partition : partitions) {
            held += partition.dispatcher.catchUpBytes();
            turns += partition.dispatcher.isCatchingUp() ? 1 : 0;
        }
        mostHeld = Math.max(mostHeld, held);
        mostTurns = Math.max(mostTurns, turns);
        mostUsed = Math.max(mostUsed, budget.used());
    }

    /** Answers what was asked, in the order it was; then 25 ms pass. */
    private void round() {
        for (int n = answers.size(); n > 0; n--) {
            answers.remove().run();
            look();
        }
        now += 25_000_000;
        for (Partition partition : partitions) {
            if (partition.answersAfterNanos > 0 && now >= partition.answersAtNanos) {
                partition.answer();
            }
        }
        partitions.forEach(partition -> partition.dispatcher.onTick(now));
        look();
    }

    @Test
    void fiveHundredPartitionsReadAgainInOneBudget() {
        int records = 6_000;
        for (int p = 0; p < 500; p++) {
            partitions.add(new Partition(p, records));
        }
        partitions.forEach(partition -> partition.subscribe(BLOCK_BYTES));
        int rounds = 0;
        while (partitions.stream().anyMatch(partition -> partition.sentTo < records)) {
            assertThat(rounds++).as("rounds").isLessThan(5_000);
            round();
            partitions.forEach(partition -> partition.credit(BLOCK_BYTES));
        }
        System.out.printf(
                "500 partitions that read %d records each again: at most %d turns, %d KiB reserved, %d KiB read and %d KiB decoded held, %d reads%n",
                records,
                mostTurns,
                mostUsed >> 10,
                mostRaw >> 10,
                mostHeld >> 10,
                partitions.stream().mapToInt(partition -> partition.reads).sum());
        assertThat(mostTurns).isEqualTo(8);
        assertThat(mostUsed).isLessThanOrEqualTo(8 << 20);
        assertThat(mostRaw + mostHeld).isLessThanOrEqualTo(2 * (8 << 20));
        assertThat(budget.used()).as("given back").isZero();
    }

    @Test
    void aPartitionThatCannotSendWhatItReadLetsOthersRead() {
        budget = new CatchUpBudget(1 << 16, 1 << 16);
        Partition stuck = new Partition(0, 10_000);
        Partition other = new Partition(1, 10_000);
        partitions.add(stuck);
        partitions.add(other);
        stuck.subscribe(1);
        other.subscribe(Long.MAX_VALUE);
        int rounds = 0;
        while (other.sentTo < 10_000) {
            assertThat(rounds++).as("rounds").isLessThan(200);
            round();
        }
        assertThat(stuck.sentTo).isPositive().isLessThan(10_000);
        assertThat(stuck.dispatcher.catchUpBytes()).isZero();
        stuck.dispatcher.close();
        assertThat(budget.used()).isZero();
    }

    /** More partitions than there are turns have a log that does not answer: the others go on soon, and stay quick. */
    @Test
    void partitionsWhoseLogDoesNotAnswerDoNotHoldUpOthers() {
        for (int p = 0; p < 40; p++) {
            Partition partition = new Partition(p, 4_000);
            partition.answersAfterNanos = p < 30 ? 30_000_000_000L : 0;
            partitions.add(partition);
            partition.subscribe(Long.MAX_VALUE);
        }
        List<Partition> well = partitions.subList(30, 40);
        int rounds = 0;
        for (; well.stream().anyMatch(partition -> partition.sentTo < 4_000); rounds++) {
            assertThat(rounds).as("rounds of 25 ms").isLessThan(200);
            round();
        }
        assertThat(partitions.subList(0, 30)).allMatch(partition -> partition.sentTo == 0);
        // Those that are known to be slow have half of the turns from now on.
        Partition late = new Partition(40, 4_000);
        partitions.add(late);
        late.subscribe(Long.MAX_VALUE);
        for (rounds = 0; late.sentTo < 4_000; rounds++) {
            assertThat(rounds).as("rounds of 25 ms").isLessThan(10);
            round();
        }
        assertThat(mostUsed).isLessThanOrEqualTo(8 << 20);
    }

    @Test
    void aLogThatIsSlowIsReadWithMorePatienceEachTime() {
        budget = new CatchUpBudget(2 << 16, 1 << 16);
        for (int p = 0; p < 6; p++) {
            Partition partition = new Partition(p, 1_000);
            partition.answersAfterNanos = p < 3 ? 3_000_000_000L : 0;
            partitions.add(partition);
            partition.subscribe(Long.MAX_VALUE);
        }
        for (int rounds = 0; partitions.stream().anyMatch(partition -> partition.sentTo < 1_000); rounds++) {
            assertThat(rounds).as("rounds of 25 ms").isLessThan(4_000);
            round();
        }
        assertThat(partitions.subList(0, 3)).allMatch(partition -> partition.takenBack <= 5);
        assertThat(budget.used()).as("given back").isZero();
    }

    @Test
    void whatBecomesLargerIsReadLessAtATime() {
        budget = new CatchUpBudget(1 << 14, 1 << 14);
        Partition partition = new Partition(0, 20_000);
        partitions.add(partition);
        partition.subscribe(Long.MAX_VALUE);
        for (int rounds = 0; partition.sentTo < 20_000; rounds++) {
            assertThat(rounds).isLessThan(1_000);
            round();
            assertThat(mostHeld).isLessThanOrEqualTo(budget.turnBytes() + BLOCK_BYTES + 100);
        }
    }

    @Test
    void turnsComeInOrderAndPassOverThoseThatLeave() {
        CatchUpBudget two = new CatchUpBudget(200, 100);
        List<Integer> order = new ArrayList<>();
        CatchUpBudget.Turn[] turns = new CatchUpBudget.Turn[6];
        for (int i = 0; i < turns.length; i++) {
            int number = i;
            turns[i] = new CatchUpBudget.Turn(() -> {
                order.add(number);
                if (number == 4) {
                    // Has no use for it.
                    two.give(turns[number]);
                }
            });
            assertThat(two.take(turns[i])).isEqualTo(i < 2);
        }
        two.charge(turns[0], 250);
        assertThat(two.used()).isEqualTo(350);
        two.give(turns[1]);
        assertThat(order).as("no room yet").isEmpty();
        two.leave(turns[2]);
        assertThat(two.take(turns[1])).as("others wait").isFalse();
        two.give(turns[0]);
        assertThat(order).containsExactly(3, 4, 5);
        two.give(turns[3]);
        assertThat(turns[1].isHeld()).isTrue();
    }
}
