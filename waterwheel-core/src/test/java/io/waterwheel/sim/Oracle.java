package io.waterwheel.sim;

import io.waterwheel.catalog.EditRecord;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Retention;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What must hold whatever happens: the promises of docs/exactness.md, each as a comparison with what was produced. */
final class Oracle {
    private static final Region EVERYWHERE = new Region(KeyInterval.ALL, TimeInterval.ALL);

    private final World world;
    private @Nullable AssertionError broken;
    /** When a merge that replaces the file, or a horizon behind it, was committed, at the earliest. */
    private final Map<String, Long> replacedAt = new HashMap<>();

    Oracle(World world) {
        this.world = world;
    }

    static void check(boolean holds, String format, Object... args) {
        if (!holds) {
            throw new AssertionError(String.format(Locale.ROOT, format, args));
        }
    }

    /** The first thing that did not hold, though what ran then took it for an error of its own. */
    @Nullable
    AssertionError broken() {
        return broken;
    }

    /** Runs something in the middle of shipped code, which may swallow what it throws. */
    void watch(Runnable run) {
        try {
            run.run();
        } catch (AssertionError e) {
            if (broken == null) {
                broken = e;
            }
            throw e;
        }
    }

    /** The catalog as it is. */
    StreamSnapshot truth() {
        return world.edits.last();
    }

    /** What was read, by whatever way, is what the edits make. */
    void checkSnapshot(String who, StreamSnapshot snapshot) {
        if (snapshot.edit() > 0) {
            String difference = world.edits.difference(snapshot);
            check(difference.isEmpty(), "%s: %s", who, difference);
        }
    }

    Set<String> namedFiles() {
        Set<String> named = new TreeSet<>();
        truth().chunks(EVERYWHERE, chunk -> named.add(chunk.file()));
        named.addAll(EditRecord.manifestFiles(world.catalog.truth(), world.stream));
        return named;
    }

    /** A referenced file never goes. */
    void beforeDelete(String file) {
        check(!namedFiles().contains(file), "file %s is collected while the catalog names it", file);
        Long at = replacedAt.get(file);
        check(
                at == null || world.now - at >= Settings.GRACE_NANOS,
                "file %s is collected while a query may still read it",
                file);
    }

    /** A merge is committed, at this time or later. */
    void merged(List<ChunkDescriptor> inputs, long at) {
        inputs.forEach(input -> replacedAt.put(input.file(), at));
    }

    /** An edit that moves the horizon is about to be committed: the policy of this moment must allow it. */
    void expired(long horizon) {
        Retention retention = new Namespace(world.catalog.truth())
                .find(world.stream.name())
                .orElseThrow()
                .policy()
                .retention();
        long newest = truth().times().map(TimeInterval::to).orElse(Long.MIN_VALUE);
        // Whatever the time is: clocks may be wrong.
        check(
                !retention.isOff() && horizon <= newest - retention.millis(),
                "the horizon moves to %d, retention %s, newest tuple %d",
                horizon,
                retention,
                newest);
        truth().chunks(EVERYWHERE, chunk -> {
            if (chunk.region().times().to() < horizon) {
                replacedAt.putIfAbsent(chunk.file(), world.now);
            }
        });
    }

    /** Tuples that any answer at an edit or a later one may have. */
    long kept(long edit) {
        long horizon = world.edits.horizonAt(edit);
        return world.topic.produced().values().stream()
                .filter(tuple -> tuple.time() >= horizon)
                .count();
    }

    /** What is committed is there. */
    void checkFiles() {
        namedFiles()
                .forEach(file -> check(world.files.holds(file), "the catalog names file %s, which is not there", file));
    }

    /** An indexer to which nothing was brought for over a second says so. */
    void checkStale(HostRole.Instance instance, IndexerHeader header) {
        if (header.outcome() == IndexerHeader.Outcome.ANSWER) {
            for (int p = 0; p < instance.broughtAt.length; p++) {
                check(
                        world.now - instance.broughtAt[p] <= Settings.STALE_NANOS
                                || header.stale().contains(p),
                        "%s has heard nothing of partition %d and does not say that it is stale",
                        instance.name(),
                        p);
            }
        }
    }

    /** A query gives back all the memory that it reserved, however it ended. */
    void checkMemory(Query query, long left) {
        check(left == 0, "%s left %d bytes reserved", query, left);
    }

    /** An answer that claims to be complete holds every tuple that it should, once; any answer, none twice. */
    void check(Answer answer) {
        Verdict verdict = answer.verdict;
        if (verdict == null) {
            return;
        }
        Query query = answer.query;
        // By the edits alone, not by what the coordinator made of them.
        long horizon = world.edits.horizonAt(verdict.edit());
        check(verdict.horizon() == horizon, "an answer's horizon is not %d: %s", horizon, verdict);
        Set<Long> distinct = new HashSet<>(answer.ids);
        check(
                distinct.size() == answer.ids.size(),
                "%d tuples are twice in an answer of %d: %s",
                answer.ids.size() - distinct.size(),
                answer.ids.size(),
                verdict);
        for (long id : answer.ids) {
            Topic.Produced tuple = world.topic.produced().get(id);
            check(tuple != null && answer.matches(tuple), "tuple %d does not belong into the answer: %s", id, tuple);
            check(tuple.time() >= horizon, "%s has expired and is in an answer, horizon %d", tuple, horizon);
        }
        if (!verdict.complete()) {
            return;
        }
        Map<Integer, Long> seen = verdict.positions();
        for (Topic.Produced tuple : world.topic.produced().values()) {
            if (tuple.offset() < seen.getOrDefault(tuple.partition(), 0L)
                    && answer.matches(tuple)
                    && tuple.time() >= horizon) {
                check(
                        distinct.contains(tuple.id()),
                        "%s is missing, positions %s, edit %d",
                        tuple,
                        seen,
                        verdict.edit());
            }
        }
        requireReached(seen, query.atLeast());
        requireReached(seen, query.seen().positions());
        check(
                verdict.edit() >= query.seen().edit(),
                "an answer is of edit %d, the session has seen %d",
                verdict.edit(),
                query.seen().edit());
        Map<Integer, Long> shown = verdict.seen().shown();
        for (long id : distinct) {
            Topic.Produced tuple = Objects.requireNonNull(world.topic.produced().get(id));
            check(
                    tuple.offset() < shown.getOrDefault(tuple.partition(), Long.MAX_VALUE),
                    "%s is in an answer that shows nothing from %s on",
                    tuple,
                    shown);
        }
        checkRecovery(answer);
        checkLetters(seen);
    }

    private static void requireReached(Map<Integer, Long> positions, Map<Integer, Long> demanded) {
        demanded.forEach((partition, offset) -> check(
                positions.getOrDefault(partition, Long.MAX_VALUE) >= offset,
                "an answer is behind what was demanded in partition %d: %s, demanded %d",
                partition,
                positions,
                offset));
    }

    /**
     * What a session was shown it is shown again, by any coordinator, also above the positions; by the same one when it
     * demands positions alone. Unless the answer says itself that it is old.
     *
     * @param shown before; what the answer has is added
     */
    void checkShown(Answer answer, Set<Long> shown) {
        Verdict verdict = Objects.requireNonNull(answer.verdict);
        if (verdict.stale().isEmpty()) {
            Set<Long> now = new HashSet<>(answer.ids);
            for (long id : shown) {
                Topic.Produced tuple =
                        Objects.requireNonNull(world.topic.produced().get(id));
                check(
                        now.contains(id) || !answer.matches(tuple) || tuple.time() < verdict.horizon(),
                        "%s was in an answer before, and is missing in one at %s, edit %d",
                        tuple,
                        verdict.positions(),
                        verdict.edit());
            }
        }
        shown.addAll(answer.ids);
    }

    /** What answers may have shown before an instance began, a complete answer with it shows again. */
    private static void checkRecovery(Answer answer) {
        for (Answer.Part part : answer.parts) {
            for (int p = 0; p < part.instance().trueTargets.length; p++) {
                check(
                        part.header().watermarks()[p] >= part.instance().trueTargets[p],
                        "a complete answer has a part of %s, which is recovering: partition %d at %d, target %d",
                        part.instance().name(),
                        p,
                        part.header().watermarks()[p],
                        part.instance().trueTargets[p]);
            }
        }
    }

    /** What was refused is stored before anything after it is visible. */
    private void checkLetters(Map<Integer, Long> seen) {
        seen.forEach((partition, position) -> {
            for (long offset : world.topic.bad(partition)) {
                check(
                        offset >= position
                                || world.topic.letters(partition).offsets().contains(offset),
                        "partition %d: offset %d is passed and its dead letter is not stored",
                        partition,
                        offset);
            }
        });
    }
}
