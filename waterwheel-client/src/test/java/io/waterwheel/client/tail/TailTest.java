package io.waterwheel.client.tail;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.kafka.TopicLog;
import io.waterwheel.decode.RecordFacts;
import io.waterwheel.decode.registry.RegistryAccess;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.LostRange;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A tail on a log and a server that do what a random number says, against all that was ever produced. */
final class TailTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("v", FieldType.INT, true),
                    new Field("t", FieldType.STRING, true)),
            new KeySpec.Ordered("id"),
            "at");
    private static final int PARTITIONS = 3;
    private static final int STREAM = 7;

    /** A record of the log; those without a text are marks of transactions. */
    private record Produced(
            long id,
            long at,
            @Nullable Integer value,
            @Nullable String text) {}

    /** The topic and the server of it. */
    private static final class World implements Tail.Server {
        private final Random random;
        private final List<List<Produced>> logs = new ArrayList<>();
        private final long[] begins = new long[PARTITIONS];
        private final long[] visible = new long[PARTITIONS];
        private final List<LostRange> lost = new ArrayList<>();
        private long horizon = Retention.NO_HORIZON;
        private long nextId;
        private boolean calm;

        World(long seed) {
            random = new Random(seed);
            for (int p = 0; p < PARTITIONS; p++) {
                logs.add(new ArrayList<>());
            }
        }

        /** Something happens. */
        void step() {
            int p = random.nextInt(PARTITIONS);
            List<Produced> log = logs.get(p);
            int what = random.nextInt(100);
            if (what < 60) {
                for (int n = random.nextInt(20); n >= 0; n--) {
                    long id = nextId++;
                    long at = random.nextInt(1_000);
                    Integer value = random.nextInt(5) == 0 ? null : (Integer) random.nextInt(1_000);
                    log.add(new Produced(
                            id,
                            at,
                            value,
                            switch (random.nextInt(20)) {
                                case 0 -> null;
                                case 1 -> "no,row";
                                default -> id + "," + at + "," + (value == null ? "" : value) + ",text of " + id;
                            }));
                }
            } else if (what < 92) {
                visible[p] += random.nextInt((int) (log.size() - visible[p] + 1));
            } else if (what < 95) {
                begins[p] += random.nextInt((int) (log.size() - begins[p] + 1));
                if (begins[p] > visible[p]) {
                    lost.add(new LostRange(p, visible[p], begins[p], "retention"));
                    visible[p] = begins[p];
                }
            } else if (what < 97) {
                horizon = Math.max(horizon, random.nextInt(200));
            }
        }

        boolean isLost(int partition, long position) {
            return lost.stream().anyMatch(range -> range.partition() == partition && range.contains(position));
        }

        @Override
        public StreamDetails describe(String stream) {
            return new StreamDetails(
                    STREAM,
                    new StreamDefinition(stream, stream, RecordFormat.CSV, PARTITIONS, SCHEMA),
                    new StreamDetails.Topic("nowhere", false));
        }

        @Override
        public Verdict ask(Query query) {
            if (!calm && random.nextInt(10) == 0) {
                throw new WaterwheelException(ErrorCode.SERVER_UNREACHABLE, "away");
            }
            if (!calm && random.nextInt(3) == 0) {
                step();
            }
            Map<Integer, Long> positions = new HashMap<>();
            for (int p = 0; p < PARTITIONS; p++) {
                positions.put(p, visible[p]);
            }
            query.atLeast().forEach((p, position) -> {
                if (position > visible[p]
                        || lost.stream().anyMatch(range -> range.partition() == p && range.from() < position)) {
                    throw new WaterwheelException(ErrorCode.INCOMPLETE, "not in time");
                }
            });
            return new Verdict(
                    Verdict.Completeness.WHOLE,
                    new SessionPositions(STREAM, positions),
                    new Verdict.Gone(lost, horizon),
                    1,
                    0,
                    new Verdict.Effort(0, 0, Statistics.NONE));
        }

        TopicLog log() {
            return new MemoryLog(this);
        }
    }

    private static final class MemoryLog implements TopicLog {
        private final World world;
        private final Map<Integer, Long> next = new TreeMap<>();
        private boolean closed;

        MemoryLog(World world) {
            this.world = world;
        }

        @Override
        public long beginning(int partition) {
            return world.begins[partition];
        }

        @Override
        public long end(int partition) {
            return world.logs.get(partition).size();
        }

        @Override
        public void seek(int partition, long offset) {
            next.put(partition, offset);
        }

        @Override
        public void drop(int partition) {
            next.remove(partition);
        }

        @Override
        public Set<Integer> poll(Duration patience, Take take) {
            assertThat(closed).isFalse();
            if (!world.calm && world.random.nextInt(4) == 0) {
                world.step();
            }
            Set<Integer> without = new HashSet<>();
            next.forEach((p, offset) -> {
                if (offset < world.begins[p]) {
                    without.add(p);
                }
            });
            if (!without.isEmpty()) {
                return without;
            }
            next.replaceAll((p, offset) -> {
                List<Produced> log = world.logs.get(p);
                long end = Math.min(log.size(), offset + world.random.nextInt(8));
                for (long at = offset; at < end; at++) {
                    String text = log.get((int) at).text();
                    if (text != null) {
                        take.record(ByteBuffer.wrap(text.getBytes(UTF_8)), new At(p, at));
                    }
                }
                return end;
            });
            return without;
        }

        private record At(int partition, long offset) implements RecordFacts {
            @Override
            public long timestamp() {
                return -1;
            }

            @Override
            public @Nullable ByteBuffer key() {
                return null;
            }

            @Override
            public @Nullable ByteBuffer header(String name) {
                return null;
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static Tail open(World world, TailSettings settings) {
        for (int attempt = 0; ; attempt++) {
            try {
                return new Tail(world, details -> world.log(), RegistryAccess.NONE, "s", settings, Duration.ZERO);
            } catch (WaterwheelException e) {
                if (!e.is(ErrorCode.SERVER_UNREACHABLE) || attempt == 100) {
                    throw e;
                }
            }
        }
    }

    @Test
    void everyRowComesOnceOrIsSaidToBeMissed() {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(300, 20_000); seed++) {
            follow(seed);
        }
    }

    /** What one run of a tail, closed and opened again now and then, has handed over. */
    private static final class Follower {
        private final World world;
        private final TailSettings settings;
        private final String what;
        private final Map<Integer, Long> begin;
        private Map<Integer, Long> reached;
        private Tail tail;
        /** By partition and position, how often its row came. */
        private final Map<List<Long>, Integer> came = new HashMap<>();

        private final List<LostRange> missed = new ArrayList<>();

        Follower(World world, TailSettings settings, String what) {
            this.world = world;
            this.settings = settings;
            this.what = what;
            this.tail = open(world, settings);
            this.begin = tail.positions();
            this.reached = begin;
        }

        void reopen() {
            tail.close();
            tail = open(world, settings.from(reached));
        }

        /** Whether something came. */
        boolean poll() {
            TailBatch batch = tail.poll(Duration.ofNanos(1));
            if (batch == null) {
                return false;
            }
            for (int row = 0; row < batch.size(); row++) {
                int p = batch.partition(row);
                long position = batch.position(row);
                assertThat(position)
                        .as("%s, partition %s is seen so far", what, p)
                        .isLessThan(world.visible[p]);
                Produced record = world.logs.get(p).get((int) position);
                assertThat(batch.value(row, "id")).as(what).isEqualTo(record.id());
                assertThat(batch.value(row, 1)).as(what).isEqualTo(record.at());
                assertThat(batch.value(row, "v")).as(what).isEqualTo(record.value());
                assertThat(batch.value(row, "t")).as(what).isEqualTo("text of " + record.id());
                came.merge(List.of((long) p, position), 1, Integer::sum);
            }
            missed.addAll(batch.missed());
            reached = batch.positions();
            return true;
        }
    }

    private static void follow(long seed) {
        World world = new World(seed);
        for (int i = world.random.nextInt(50); i > 0; i--) {
            world.step();
        }
        long above = world.random.nextBoolean() ? -1 : world.random.nextInt(500);
        TailSettings settings = world.random.nextBoolean() ? TailSettings.NOW : TailSettings.NOW.fromEarliest();
        Follower follower = new Follower(world, above < 0 ? settings : settings.where("v >= " + above), "seed " + seed);
        for (int i = world.random.nextInt(100); i > 0; i--) {
            world.step();
            if (world.random.nextInt(10) == 0) {
                follower.reopen();
            }
            follower.poll();
        }
        world.calm = true;
        for (int p = 0; p < PARTITIONS; p++) {
            world.visible[p] = world.logs.get(p).size();
        }
        for (int quiet = 0; quiet < 10; ) {
            quiet = follower.poll() ? 0 : quiet + 1;
        }
        follower.tail.close();
        for (int p = 0; p < PARTITIONS; p++) {
            for (long at = 0; at < world.logs.get(p).size(); at++) {
                check(follower, p, at, above);
            }
        }
    }

    private static void check(Follower follower, int p, long at, long above) {
        World world = follower.world;
        Produced record = world.logs.get(p).get((int) at);
        boolean matches = above < 0 || (record.value() != null && record.value() >= above);
        boolean row = record.text() != null && !record.text().equals("no,row") && matches;
        int times = follower.came.getOrDefault(List.of((long) p, at), 0);
        long said = follower.missed.stream()
                .filter(range -> range.partition() == p && range.contains(at))
                .count();
        String what = follower.what + ": " + record + " at " + p + ":" + at;
        boolean inside = at >= follower.begin.getOrDefault(p, 0L);
        assertThat(said).as("%s is said to be missed", what).isLessThanOrEqualTo(inside ? 1 : 0);
        if (!row || !inside || said > 0) {
            assertThat(times).as(what).isZero();
        } else if (record.at() >= world.horizon) {
            assertThat(times).as(what).isEqualTo(1);
        } else {
            assertThat(times).as(what).isLessThanOrEqualTo(1);
        }
        if (said > 0) {
            assertThat(at < world.begins[p] || world.isLost(p, at)).as(what).isTrue();
        }
    }

    /** A partition that stands, as one that halts at a bad record, keeps nothing back but what is behind that. */
    @Test
    void aPartitionThatStandsHoldsUpNoOther() {
        World world = new World(1);
        world.calm = true;
        for (int p = 0; p < PARTITIONS; p++) {
            for (int id = 0; id < 100; id++) {
                world.logs.get(p).add(new Produced(id, 1, 7, id + ",1,7,text of " + id));
            }
        }
        Tail tail = open(world, TailSettings.NOW.fromEarliest());
        world.visible[0] = 10;
        world.visible[1] = 100;
        Map<Integer, Integer> came = new TreeMap<>();
        for (int i = 0; i < 2_000; i++) {
            if (i == 1_000) {
                assertThat(came).isEqualTo(Map.of(0, 10, 1, 100));
                assertThat(tail.positions()).isEqualTo(Map.of(0, 10L, 1, 100L, 2, 0L));
                world.visible[0] = 100;
                world.visible[2] = 50;
            }
            TailBatch batch = tail.poll(Duration.ofNanos(1));
            for (int row = 0; batch != null && row < batch.size(); row++) {
                came.merge(batch.partition(row), 1, Integer::sum);
            }
        }
        assertThat(came).isEqualTo(Map.of(0, 100, 1, 100, 2, 50));
    }

    /** Rows of a partition that was added while no tail was open were handed over by none. */
    @Test
    void aPartitionWithoutAPositionBehindTheLastBeginsAtItsFirst() {
        World world = new World(1);
        world.calm = true;
        world.visible[0] = 0;
        for (int p = 0; p < PARTITIONS; p++) {
            world.logs.get(p).add(new Produced(1, 1, 7, "1,1,7,text of 1"));
            world.visible[p] = 1;
        }
        Tail tail = open(world, TailSettings.NOW.from("7@0:1,1:1"));
        assertThat(tail.positions()).isEqualTo(Map.of(0, 1L, 1, 1L, 2, 0L));
        assertThat(open(world, TailSettings.NOW.from("1:1")).positions()).isEqualTo(Map.of(0, 1L, 1, 1L, 2, 0L));
        assertThat(TailSettings.text(tail.streamId(), tail.positions())).isEqualTo("7@0:1,1:1,2:0");
    }

    /** A position within a record, as a tail that ends after some rows has it. */
    @Test
    void aTailBeginsBehindTheFirstRowsOfARecord() {
        World world = new World(1);
        world.calm = true;
        for (int id = 1; id <= 3; id++) {
            world.logs.get(0).add(new Produced(id, id, 7, id + "," + id + ",7,text of " + id));
        }
        world.logs.get(1).add(new Produced(9, 9, 7, "9,9,7,text of 9"));
        world.visible[0] = 1;
        world.visible[1] = 1;
        TailSettings within = TailSettings.NOW.from("7@0:1.1,1:0,2:0");
        assertThat(TailSettings.text(7, within.from(), within.within())).isEqualTo("7@0:1.1,1:0,2:0");
        Tail tail = open(world, within);
        assertThat(idsUpTo(tail, Map.of(0, 1L, 1, 1L, 2, 0L))).isEqualTo(List.of("9"));
        assertThat(tail.within())
                .as("until it has passed the record, a tail from its positions needs it too")
                .isEqualTo(Map.of(0, 1));
        world.visible[0] = 3;
        assertThat(idsUpTo(tail, Map.of(0, 3L, 1, 1L, 2, 0L))).isEqualTo(List.of("3"));
        assertThat(tail.within()).isEmpty();
        assertThatThrownBy(() -> TailSettings.NOW.from("0:1.")).hasMessageContaining("expected now, earliest, or");
    }

    /** The ids of the rows up to some positions. */
    private static List<String> idsUpTo(Tail tail, Map<Integer, Long> upTo) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 1_000 && !tail.positions().equals(upTo); i++) {
            TailBatch batch = poll(tail);
            for (int row = 0; batch != null && row < batch.size(); row++) {
                ids.add(String.valueOf(batch.value(row, "id")));
                assertThat(batch.index(row)).isZero();
            }
            assertThat(batch == null ? tail.within() : batch.within()).isEqualTo(tail.within());
        }
        assertThat(tail.positions()).isEqualTo(upTo);
        return ids;
    }

    /** Positions of a stream say nothing of another one of its name. */
    @Test
    void positionsOfAnotherStreamAreRefused() {
        World world = new World(1);
        world.calm = true;
        assertThatThrownBy(() -> open(world, TailSettings.NOW.from("8@0:0,1:0,2:0")))
                .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.is(ErrorCode.STREAM_CHANGED))
                        .isTrue());
        assertThatThrownBy(() -> TailSettings.NOW.from("8@now")).hasMessageContaining("expected now, earliest, or");
    }

    /** What could not be computed is not passed over: the tail is over, and another begins where it stood. */
    @Test
    void aTailThatFailedHandsOverNoMore() {
        World world = new World(1);
        world.calm = true;
        world.logs.get(0).add(new Produced(1, 1, 7, "1,1,7,text of 1"));
        world.logs.get(0).add(new Produced(2, 2, 8, "2,2,8,text of 2"));
        Tail tail = open(world, TailSettings.NOW.where("id * 9223372036854775807 > v"));
        world.visible[0] = 2;
        assertThatThrownBy(() -> poll(tail))
                .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.is(ErrorCode.INTEGER_OVERFLOW))
                        .isTrue())
                .hasMessageEndingWith("; in the record at 0:1");
        assertThatThrownBy(() -> poll(tail)).isInstanceOf(IllegalStateException.class);
        assertThat(tail.positions()).containsEntry(0, 0L);
        Tail again = open(world, TailSettings.NOW.from(tail.positions()));
        int rows = 0;
        for (int i = 0; i < 10 && rows < 2; i++) {
            TailBatch batch = poll(again);
            rows += batch == null ? 0 : batch.size();
        }
        assertThat(rows).isEqualTo(2);
    }

    private static @Nullable TailBatch poll(Tail tail) {
        TailBatch batch = null;
        for (int i = 0; i < 100 && batch == null; i++) {
            batch = tail.poll(Duration.ofNanos(1));
        }
        return batch;
    }

    @Test
    void wrongBeginningsAreRefused() {
        World world = new World(1);
        world.calm = true;
        assertThatThrownBy(() -> open(world, TailSettings.NOW.from(Map.of(PARTITIONS, 0L))))
                .hasMessageContaining("from 3:0: stream s has the partitions 0 to 2");
        assertThatThrownBy(() -> open(world, TailSettings.NOW.from(Map.of(0, 5L))))
                .hasMessageContaining("from 0:5: the log of stream s ends at 0");
        assertThatThrownBy(() -> open(world, TailSettings.NOW.where("id + 1"))).isInstanceOf(WaterwheelException.class);
        assertThatThrownBy(() -> open(world, TailSettings.NOW.where("no_such > 1")))
                .hasMessageContaining("no_such");
    }
}
