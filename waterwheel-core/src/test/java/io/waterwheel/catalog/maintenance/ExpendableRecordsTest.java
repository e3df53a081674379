package io.waterwheel.catalog.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.catalog.MadeTopic.Mark;
import io.waterwheel.catalog.maintenance.ExpendableRecords.Reader;
import io.waterwheel.catalog.maintenance.ExpendableRecords.Topic;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.PartitionRoute.VersionSince;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Which records of a topic are deleted, over the lives of its streams: rows come into chunks, streams are created and
 * dropped, a log is cut, partitions are added, the process ends and the clock is set back. Beside it stands what each
 * stream needs, in offsets.
 */
final class ExpendableRecordsTest {
    private static final String TOPIC = "one";
    private static final long DELAY = 1_000;

    /** The choice as it is, or with a fault in it. */
    private interface Choice {
        /** By partition the offset below which records are deleted, and the marks that are remembered. */
        Chosen choose(List<Mark> marks, Topic topic, List<Reader> readers, long now);
    }

    @SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
    private record Chosen(List<Mark> marks, long[] before) {}

    private static Chosen right(List<Mark> marks, Topic topic, List<Reader> readers, long now, long delay) {
        Mark mark = ExpendableRecords.now(topic, readers, now);
        List<Mark> remembered = ExpendableRecords.remembered(marks, mark, delay);
        return new Chosen(remembered, ExpendableRecords.before(remembered, mark, delay));
    }

    private static final Choice RIGHT = (marks, topic, readers, now) -> right(marks, topic, readers, now, DELAY);

    /**
     * A stream of the topic: what it needs, in offsets of the log that is there now, and what the catalog has of it.
     */
    private static final class Stream {
        final int id;
        final long[] needs;
        final LogIdentity[] logs;
        /** Positions. */
        final long[] covered;
        /** Where its log was cut, and it has not followed; -1: it was not. */
        final long[] cutAt;
        /** When it was cut: those who read it know so a tenth of the delay later. */
        final long[] cutSince;

        Stream(int id, long[] starts) {
            this.id = id;
            needs = starts.clone();
            logs = new LogIdentity[starts.length];
            Arrays.fill(logs, LogIdentity.first(TOPIC));
            covered = starts.clone();
            cutAt = new long[starts.length];
            Arrays.fill(cutAt, -1);
            cutSince = new long[starts.length];
        }

        void follow(int p) {
            PartitionRoute route =
                    new PartitionRoute(covered[p] + 1, List.of(new VersionSince(1, 0)), logs[p], List.of());
            logs[p] = LogIdentity.after(route, TOPIC, cutAt[p]);
            cutAt[p] = -1;
        }

        Reader reader(long clock) {
            List<PartitionRoute> routes = new ArrayList<>();
            boolean[] sound = new boolean[logs.length];
            for (int p = 0; p < logs.length; p++) {
                routes.add(new PartitionRoute(Long.MAX_VALUE / 2, List.of(new VersionSince(1, 0)), logs[p], List.of()));
                sound[p] = cutAt[p] < 0 || clock - cutSince[p] < DELAY / 10;
            }
            return new Reader(id, covered.clone(), routes, sound);
        }
    }

    /** What is wrong with a choice over one history; empty when nothing is. */
    private static String fault(Choice choice, Random random) {
        int partitions = 1 + random.nextInt(3);
        long[] ends = new long[partitions];
        long[] starts = new long[partitions];
        int[] epochs = new int[partitions];
        List<Stream> streams = new ArrayList<>();
        int ids = 0;
        streams.add(new Stream(++ids, starts));
        List<Mark> marks = List.of();
        // Of each moment at which something changed, what each stream needed then.
        List<Map<Integer, long[]>> needed = new ArrayList<>();
        List<Long> times = new ArrayList<>();
        long clock = 1_000_000;
        for (int i = 0; i < 300; i++) {
            int p = random.nextInt(partitions);
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> ends[p] += random.nextInt(50);
                case 3, 4, 5, 6 -> {
                    Stream some = streams.get(random.nextInt(streams.size()));
                    if (some.cutAt[p] < 0 && ends[p] > some.needs[p]) {
                        some.needs[p] += random.nextLong(ends[p] - some.needs[p]) + 1;
                        some.covered[p] = Math.max(some.covered[p], some.needs[p] + some.logs[p].base());
                    }
                }
                case 7 -> {
                    if (streams.size() < 4) {
                        streams.add(new Stream(++ids, starts));
                    }
                }
                case 8 -> {
                    if (streams.size() > 1 && random.nextInt(4) == 0) {
                        streams.remove(1 + random.nextInt(streams.size() - 1));
                    }
                }
                case 9 -> {
                    if (random.nextInt(6) == 0 && ends[p] > starts[p]) {
                        // Cut below what some have read, and perhaps filled up at once.
                        ends[p] = starts[p] + random.nextLong(ends[p] - starts[p]);
                        epochs[p]++;
                        for (Stream stream : streams) {
                            if (stream.needs[p] > ends[p]) {
                                stream.needs[p] = ends[p];
                                stream.cutAt[p] = ends[p];
                                stream.cutSince[p] = clock;
                            }
                        }
                        ends[p] += random.nextInt(200);
                    } else {
                        // Somebody decides: one that stood still follows from where the log was cut, or behind its
                        // start.
                        Stream some = streams.get(random.nextInt(streams.size()));
                        if (some.cutAt[p] >= 0) {
                            some.cutAt[p] = Math.max(some.cutAt[p], starts[p]);
                            some.follow(p);
                        }
                    }
                }
                case 10 -> clock += random.nextInt((int) DELAY);
                default -> {
                    long now = clock;
                    Chosen chosen = choice.choose(
                            marks,
                            new Topic(TOPIC, ends.clone(), epochs.clone()),
                            streams.stream().map(stream -> stream.reader(now)).toList(),
                            clock);
                    for (int q = 0; q < partitions; q++) {
                        long least = Long.MAX_VALUE;
                        for (Stream stream : streams) {
                            least = Math.min(least, stream.needs[q]);
                        }
                        if (chosen.before()[q] > least) {
                            return "partition " + q + ": deletes below " + chosen.before()[q] + ", a stream needs "
                                    + least;
                        }
                        for (Stream stream : streams) {
                            for (int t = needed.size() - 1; t >= 0 && times.get(t) > clock - DELAY; t--) {
                                long[] then = needed.get(t).get(stream.id);
                                if (then != null && chosen.before()[q] > then[q]) {
                                    return "partition " + q + ": deletes below " + chosen.before()[q]
                                            + ", of which a stream" + " needed " + then[q] + " on "
                                            + (clock - times.get(t)) + " ms ago";
                                }
                            }
                        }
                        starts[q] = Math.max(starts[q], chosen.before()[q]);
                    }
                    if (chosen.marks().size() > 6) {
                        return chosen.marks().size() + " marks";
                    }
                    // A process that ends here has remembered them, or not.
                    marks = random.nextInt(5) == 0 ? marks : chosen.marks();
                }
            }
            Map<Integer, long[]> present = new HashMap<>();
            streams.forEach(stream -> present.put(stream.id, stream.needs.clone()));
            needed.add(present);
            times.add(clock);
        }
        return "";
    }

    @Test
    void nothingIsDeletedThatAStreamNeedsOrThatCameIntoChunksJustNow() {
        long seed = Long.getLong("seed", System.nanoTime());
        for (int i = 0; i < Rounds.of(2_000, 200_000); i++) {
            assertThat(fault(RIGHT, new Random(seed + i)))
                    .as("./waterwheel test ExpendableRecordsTest -Dseed=%s -Dseeds=1", seed + i)
                    .isEmpty();
        }
    }

    @Test
    void aStreamThatIsDroppedDoesNotHideThatAnotherFollowsALog() {
        // Two are cut at the same offset; one follows and is dropped, the other follows after it.
        assertThat(fault(RIGHT, new Random(35933482091672L))).isEmpty();
    }

    @Test
    void eachFaultIsFound() {
        found(
                "of several streams the last one counts",
                (marks, topic, readers, now) ->
                        RIGHT.choose(marks, topic, readers.subList(readers.size() - 1, readers.size()), now));
        found(
                "positions are taken for offsets",
                (marks, topic, readers, now) -> RIGHT.choose(
                        marks,
                        topic,
                        readers.stream()
                                .map(reader -> on(reader, Long.MIN_VALUE, 0))
                                .toList(),
                        now));
        found("nothing stays for a while", (marks, topic, readers, now) -> right(marks, topic, readers, now, 0));
        found(
                "a log that was cut and filled up is that of the checkpoints",
                (marks, topic, readers, now) -> RIGHT.choose(
                        marks,
                        topic,
                        readers.stream().map(ExpendableRecordsTest::sound).toList(),
                        now));
        found(
                "a mark outlives a change of the leader",
                (marks, topic, readers, now) -> RIGHT.choose(
                        marks, new Topic(TOPIC, topic.ends(), new int[topic.ends().length]), readers, now));
        found("a mark counts for streams that it does not know", (marks, topic, readers, now) -> {
            int[] present = readers.stream().mapToInt(Reader::stream).sorted().toArray();
            return RIGHT.choose(
                    marks.stream()
                            .map(mark -> new Mark(mark.millis(), present, mark.offsets(), mark.epochs(), mark.bases()))
                            .toList(),
                    topic,
                    readers,
                    now);
        });
        found("what was in chunks then counts, whoever came since", (marks, topic, readers, now) -> {
            Chosen chosen = RIGHT.choose(marks, topic, readers, now);
            return new Chosen(chosen.marks(), chosen.marks().get(0).offsets());
        });
    }

    private static Reader sound(Reader reader) {
        boolean[] all = new boolean[reader.sound().length];
        Arrays.fill(all, true);
        return new Reader(reader.stream(), reader.covered(), reader.routes(), all);
    }

    private static Reader on(Reader reader, long since, long base) {
        return new Reader(
                reader.stream(),
                reader.covered(),
                reader.routes().stream()
                        .map(route -> new PartitionRoute(
                                route.limit(), route.versions(), new LogIdentity(TOPIC, base, since), List.of()))
                        .toList(),
                reader.sound());
    }

    private static void found(String what, Choice faulty) {
        for (int seed = 0; seed < 5_000; seed++) {
            if (!fault(faulty, new Random(seed)).isEmpty()) {
                return;
            }
        }
        throw new AssertionError("not found: " + what);
    }

    private static long[] inChunks(String id, long[] ends, int epoch, Reader... readers) {
        int[] epochs = new int[ends.length];
        Arrays.fill(epochs, epoch);
        return ExpendableRecords.now(new Topic(id, ends, epochs), List.of(readers), 0)
                .offsets();
    }

    @Test
    void whatIsNotKnownIsNeeded() {
        Reader known = new Stream(1, new long[] {100, 100}).reader(0);
        long[] ends = {200, 200};
        assertThat(inChunks(TOPIC, ends, 1)).containsExactly(0, 0);
        assertThat(inChunks(TOPIC, ends, 1, known)).containsExactly(100, 100);
        assertThat(inChunks("another", ends, 1, known)).containsExactly(0, 0);
        assertThat(inChunks(TOPIC, ends, -1, known))
                .as("the leader is not known")
                .containsExactly(0, 0);
        assertThat(inChunks(TOPIC, new long[] {200, 99}, 1, known)).as("cut").containsExactly(100, 0);
        assertThat(inChunks(TOPIC, new long[] {200, 200, 200}, 1, known))
                .as("of a partition that was added")
                .containsExactly(100, 100, 0);
        assertThat(inChunks(
                        TOPIC, ends, 1, new Reader(1, new long[] {Long.MIN_VALUE, 7}, known.routes(), new boolean[] {
                            true, true
                        })))
                .as("an indexer stands at the beginning")
                .containsExactly(0, 7);
        assertThat(inChunks(TOPIC, ends, 1, on(known, Long.MIN_VALUE, 40))).containsExactly(60, 60);
        assertThat(inChunks(
                        TOPIC, ends, 1, new Reader(1, known.covered(), known.routes(), new boolean[] {true, false})))
                .as("its reader is in trouble")
                .containsExactly(100, 0);
        Reader old = new Reader(
                2,
                known.covered(),
                known.routes().stream()
                        .map(route -> new PartitionRoute(route.limit(), route.versions()))
                        .toList(),
                known.sound());
        assertThat(inChunks(TOPIC, ends, 1, known, old))
                .as("of a release that knew of no logs")
                .containsExactly(0, 0);
    }

    @Test
    void marksAreFewAndAClockThatGoesBackDeletesLater() {
        List<Mark> marks = List.of();
        Reader[] reader = {null};
        for (long now = 0; now < 20_000; now += 10) {
            reader[0] = new Stream(1, new long[] {now + 1}).reader(0);
            Chosen chosen =
                    RIGHT.choose(marks, new Topic(TOPIC, new long[] {100_000}, new int[] {1}), List.of(reader[0]), now);
            marks = chosen.marks();
            assertThat(marks.size()).isLessThanOrEqualTo(6);
            assertThat(chosen.before()[0]).isLessThanOrEqualTo(Math.max(0, now - DELAY + 1));
            assertThat(chosen.before()[0]).isGreaterThanOrEqualTo(now < 2 * DELAY ? 0 : now - 2 * DELAY);
        }
        Topic topic = new Topic(TOPIC, new long[] {100_000}, new int[] {1});
        assertThat(RIGHT.choose(marks, topic, List.of(reader[0]), 5_000).before())
                .containsExactly(0);
        long last = marks.get(marks.size() - 1).offsets()[0];
        Reader idle = new Stream(1, new long[] {last}).reader(0);
        Chosen later = RIGHT.choose(marks, topic, List.of(idle), 90_000);
        assertThat(later.before()).containsExactly(last);
        assertThat(RIGHT.choose(later.marks(), topic, List.of(idle), 95_000).marks())
                .as("an idle topic writes nothing")
                .isEqualTo(later.marks());
    }
}
