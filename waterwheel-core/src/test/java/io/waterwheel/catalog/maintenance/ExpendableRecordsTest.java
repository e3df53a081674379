package io.waterwheel.catalog.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.catalog.MadeTopic.Mark;
import io.waterwheel.catalog.maintenance.ExpendableRecords.Reader;
import io.waterwheel.catalog.maintenance.ExpendableRecords.Step;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.PartitionRoute.VersionSince;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
        Step step(List<Mark> marks, String topicId, int partitions, List<Reader> readers, long now);
    }

    private static final Choice RIGHT = (marks, topic, partitions, readers, now) ->
            ExpendableRecords.step(marks, ExpendableRecords.inChunks(topic, partitions, readers), now, DELAY);

    /**
     * A stream of the topic: what it needs, in offsets of the log that is there now, and what the catalog has of it.
     */
    private static final class Stream {
        final long[] needs;
        /** By partition the log that it knows; null: an earlier one than that is there. */
        final LogIdentity[] logs;
        /** Positions. */
        final long[] covered;

        Stream(long[] starts) {
            needs = starts.clone();
            logs = new LogIdentity[starts.length];
            Arrays.fill(logs, LogIdentity.first(TOPIC));
            covered = starts.clone();
        }

        Reader reader() {
            List<PartitionRoute> routes = new ArrayList<>();
            for (LogIdentity log : logs) {
                routes.add(new PartitionRoute(Long.MAX_VALUE / 2, List.of(new VersionSince(1, 0)), log, List.of()));
            }
            return new Reader(covered.clone(), routes);
        }
    }

    /** What is wrong with a choice over one history; empty when nothing is. */
    private static String fault(Choice choice, Random random) {
        int partitions = 1 + random.nextInt(3);
        long[] ends = new long[partitions];
        long[] starts = new long[partitions];
        List<Stream> streams = new ArrayList<>();
        streams.add(new Stream(starts));
        List<Mark> marks = List.of();
        List<long[]> past = new ArrayList<>();
        List<Long> times = new ArrayList<>();
        long clock = 1_000_000;
        for (int i = 0; i < 200; i++) {
            int p = random.nextInt(partitions);
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> ends[p] += random.nextInt(50);
                case 3, 4, 5, 6 -> {
                    Stream some = streams.get(random.nextInt(streams.size()));
                    long taken = some.needs[p]
                            + (ends[p] > some.needs[p] ? random.nextLong(ends[p] - some.needs[p]) + 1 : 0);
                    // Where the log was cut, the stream goes on at positions of its own.
                    some.needs[p] = taken;
                    some.covered[p] = Math.max(some.covered[p], taken + some.logs[p].base());
                }
                case 7 -> {
                    if (streams.size() < 4) {
                        streams.add(new Stream(starts));
                    }
                }
                case 8 -> {
                    if (streams.size() > 1 && random.nextInt(4) == 0) {
                        streams.remove(1 + random.nextInt(streams.size() - 1));
                    }
                }
                case 9 -> {
                    if (random.nextInt(10) == 0 && ends[p] > starts[p]) {
                        // Cut below what some have read: each follows at new positions, one of them a little later.
                        ends[p] = starts[p] + random.nextLong(ends[p] - starts[p]);
                        for (Stream stream : streams) {
                            if (stream.needs[p] > ends[p]) {
                                stream.needs[p] = ends[p];
                                PartitionRoute route = new PartitionRoute(
                                        stream.covered[p] + 1,
                                        List.of(new VersionSince(1, 0)),
                                        stream.logs[p],
                                        List.of());
                                stream.logs[p] = LogIdentity.after(route, TOPIC, ends[p]);
                            }
                        }
                        marks = List.of();
                    }
                }
                case 10 -> clock += random.nextInt((int) DELAY);
                default -> {
                    Step step = choice.step(
                            marks,
                            TOPIC,
                            partitions,
                            streams.stream().map(Stream::reader).toList(),
                            clock);
                    long[] least = new long[partitions];
                    Arrays.fill(least, Long.MAX_VALUE);
                    for (Stream stream : streams) {
                        for (int q = 0; q < partitions; q++) {
                            least[q] = Math.min(least[q], stream.needs[q]);
                        }
                    }
                    past.add(least);
                    times.add(clock);
                    for (int q = 0; q < partitions; q++) {
                        if (step.before()[q] > least[q]) {
                            return "partition " + q + ": deletes below " + step.before()[q] + ", a stream needs "
                                    + least[q];
                        }
                        long then = 0;
                        for (int t = 0; t < past.size() && times.get(t) <= clock - DELAY; t++) {
                            then = Math.max(then, past.get(t)[q]);
                        }
                        if (step.before()[q] > then) {
                            return "partition " + q + ": deletes below " + step.before()[q] + ", of which " + then
                                    + " was in chunks " + DELAY + " ms ago";
                        }
                        starts[q] = Math.max(starts[q], step.before()[q]);
                    }
                    if (step.marks().size() > 6) {
                        return step.marks().size() + " marks";
                    }
                    // A process that ends here has remembered them, or not.
                    marks = random.nextInt(5) == 0 ? marks : step.marks();
                }
            }
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
    void eachFaultIsFound() {
        found(
                "of several streams the last one counts",
                (marks, topic, partitions, readers, now) ->
                        RIGHT.step(marks, topic, partitions, readers.subList(readers.size() - 1, readers.size()), now));
        found(
                "positions are taken for offsets",
                (marks, topic, partitions, readers, now) -> RIGHT.step(
                        marks,
                        topic,
                        partitions,
                        readers.stream()
                                .map(reader -> on(reader, Long.MIN_VALUE, 0))
                                .toList(),
                        now));
        found(
                "positions of the log before are taken for those of this one",
                (marks, topic, partitions, readers, now) -> ExpendableRecords.step(
                        marks,
                        ExpendableRecords.inChunks(
                                topic,
                                partitions,
                                readers.stream()
                                        .map(ExpendableRecordsTest::asOffsetsOfTheLogBefore)
                                        .toList()),
                        now,
                        DELAY));
        found(
                "nothing stays for a while",
                (marks, topic, partitions, readers, now) ->
                        ExpendableRecords.step(marks, ExpendableRecords.inChunks(topic, partitions, readers), now, 0));
        found("what was in chunks then counts, whoever came since", (marks, topic, partitions, readers, now) -> {
            long[] all = new long[partitions];
            Arrays.fill(all, Long.MAX_VALUE);
            Step later = ExpendableRecords.step(marks, all, now, DELAY);
            Step right = RIGHT.step(marks, topic, partitions, readers, now);
            return new Step(later.before(), right.marks());
        });
        found("the newest mark counts", (marks, topic, partitions, readers, now) -> {
            Step right = RIGHT.step(marks, topic, partitions, readers, now);
            return new Step(right.marks().get(right.marks().size() - 1).offsets(), right.marks());
        });
    }

    private static Reader on(Reader reader, long since, long base) {
        return new Reader(
                reader.covered(),
                reader.routes().stream()
                        .map(route -> new PartitionRoute(
                                route.limit(), route.versions(), new LogIdentity(TOPIC, base, since), List.of()))
                        .toList());
    }

    /** As if an old position counted from this log's base, whichever log it is of. */
    private static Reader asOffsetsOfTheLogBefore(Reader reader) {
        long[] covered = reader.covered().clone();
        for (int p = 0; p < covered.length; p++) {
            LogIdentity log = reader.routes().get(p).log();
            covered[p] = covered[p] < log.since() ? covered[p] % 1_000_000_000_000L : covered[p] - log.base();
        }
        return on(new Reader(covered, reader.routes()), Long.MIN_VALUE, 0);
    }

    private static void found(String what, Choice faulty) {
        for (int seed = 0; seed < 5_000; seed++) {
            if (!fault(faulty, new Random(seed)).isEmpty()) {
                return;
            }
        }
        throw new AssertionError("not found: " + what);
    }

    @Test
    void whatIsNotKnownIsNeeded() {
        Reader known = new Stream(new long[] {100, 100}).reader();
        assertThat(ExpendableRecords.inChunks(TOPIC, 2, List.of())).containsExactly(0, 0);
        assertThat(ExpendableRecords.inChunks(TOPIC, 2, List.of(known))).containsExactly(100, 100);
        assertThat(ExpendableRecords.inChunks("another", 2, List.of(known))).containsExactly(0, 0);
        assertThat(ExpendableRecords.inChunks(TOPIC, 3, List.of(known)))
                .as("of a partition that was added")
                .containsExactly(100, 100, 0);
        assertThat(ExpendableRecords.inChunks(
                        TOPIC, 2, List.of(new Reader(new long[] {Long.MIN_VALUE, 7}, known.routes()))))
                .as("an indexer stands at the beginning")
                .containsExactly(0, 7);
        assertThat(ExpendableRecords.inChunks(TOPIC, 2, List.of(on(known, Long.MIN_VALUE, 40))))
                .containsExactly(60, 60);
        Reader old = new Reader(
                known.covered(),
                known.routes().stream()
                        .map(route -> new PartitionRoute(route.limit(), route.versions()))
                        .toList());
        assertThat(ExpendableRecords.inChunks(TOPIC, 2, List.of(known, old)))
                .as("of a release that knew of no logs")
                .containsExactly(0, 0);
    }

    @Test
    void marksAreFewAndAClockThatGoesBackDeletesLater() {
        List<Mark> marks = List.of();
        for (long now = 0; now < 20_000; now += 10) {
            Step step = ExpendableRecords.step(marks, new long[] {now + 1}, now, DELAY);
            marks = step.marks();
            assertThat(marks.size()).isLessThanOrEqualTo(6);
            assertThat(step.before()[0]).isLessThanOrEqualTo(Math.max(0, now - DELAY + 1));
            assertThat(step.before()[0]).isGreaterThanOrEqualTo(now < 2 * DELAY ? 0 : now - 2 * DELAY);
        }
        assertThat(ExpendableRecords.step(marks, new long[] {90_000}, 5_000, DELAY)
                        .before())
                .containsExactly(0);
        List<Mark> idle = marks;
        long last = idle.get(idle.size() - 1).offsets()[0];
        Step later = ExpendableRecords.step(idle, new long[] {last}, 90_000, DELAY);
        assertThat(later.before()).containsExactly(last);
        assertThat(ExpendableRecords.step(later.marks(), new long[] {last}, 95_000, DELAY)
                        .marks())
                .as("an idle topic writes nothing")
                .isEqualTo(later.marks());
    }
}
