package io.waterwheel.topology.coordinator;

import io.waterwheel.catalog.maintenance.ChunkAudit;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.chunk.ChunkCheck;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.topology.worker.TimedJobs;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads all chunks again and again, slowly, so that a damaged one is known while there is a copy to restore it from.
 * Each once a round, in the same order: so the next is always the one that was not looked at for longest. The first
 * round begins anywhere, or those at the end would never be read where workers do not live long. What is damaged is
 * looked at first in each round, and told of until it is found well or belongs to no stream. A job of the worker; one
 * task of the topology has it.
 */
final class ChunkScrub implements AutoCloseable {
    /** Chunks in a row that cannot be read before the store is taken to be away. */
    private static final int MOST_UNREADABLE = 4;

    private static final Logger LOG = LoggerFactory.getLogger(ChunkScrub.class);
    /** Between rounds: with few chunks they would follow each other at once. */
    private static final Duration ROUND = Duration.ofMinutes(10);

    /** Before the first: a worker that starts has other things to do. */
    private static final Duration START = Duration.ofMinutes(1);
    /** Remembered; beyond them they are logged only. */
    private static final int MOST_KEPT = 10_000;

    private record Damage(StreamInfo stream, ChunkDescriptor chunk, String what, Instant when) {
        private static final String MET = " (the scrub met it at ";

        String sentence() {
            return what + MET + when + ")";
        }

        /** What such a sentence is about; of one that was cut, all of it. */
        static String what(String sentence) {
            int end = sentence.lastIndexOf(MET);
            return end < 0 ? sentence : sentence.substring(0, end);
        }
    }

    private final ChunkStore store;
    private final Supplier<Collection<StreamInfo>> streams;
    private final Function<StreamInfo, StreamSnapshot> latest;
    private final ChunkCheck.Pace pace;
    private final InstantSource clock;
    private final Random random;
    private final ScrubFindings findings;
    private TimedJobs.@Nullable Line jobs;
    /** By file. Only touched by its rounds, as all below. */
    private final Map<String, Damage> damages = new LinkedHashMap<>();

    private boolean first = true;

    /** By stream id what a predecessor found: told of until a whole round has looked. */
    private Map<Integer, List<String>> earlier = Map.of();

    /**
     * One that does not run yet.
     *
     * @param latest a stream as the catalog has it now; blocks
     * @param findings where all coordinators read what was found
     */
    ChunkScrub(
            ChunkStore store,
            Supplier<Collection<StreamInfo>> streams,
            Function<StreamInfo, StreamSnapshot> latest,
            ChunkCheck.Pace pace,
            InstantSource clock,
            Random random,
            ScrubFindings findings) {
        this.store = store;
        this.streams = streams;
        this.latest = latest;
        this.pace = pace;
        this.clock = clock;
        this.random = random;
        this.findings = findings;
    }

    /**
     * Starts one. Null, and nothing is told of any longer, when chunks are not to be read: what was found before would
     * stay for ever.
     *
     * @param bytesPerSecond that it reads at most; 0: none is started
     */
    static @Nullable ChunkScrub start(
            ChunkStore store,
            Supplier<Collection<StreamInfo>> streams,
            Function<StreamInfo, StreamSnapshot> latest,
            long bytesPerSecond,
            ScrubFindings findings,
            TimedJobs jobs) {
        if (bytesPerSecond == 0) {
            try {
                findings.publish(Map.of());
            } catch (WaterwheelException e) {
                LOG.warn("[scrub] what was found before stays in the status until the next start", e);
            }
            return null;
        }
        ChunkScrub scrub = new ChunkScrub(
                store, streams, latest, paced(bytesPerSecond), InstantSource.system(), new Random(), findings);
        scrub.jobs = jobs.line("chunk-scrub").every(START, ROUND, scrub::roundOrLater);
        return scrub;
    }

    /** Each read waits until those before it have taken their time. */
    private static ChunkCheck.Pace paced(long bytesPerSecond) {
        long[] nextNanos = {System.nanoTime()};
        return bytes -> {
            long now = System.nanoTime();
            long wait = nextNanos[0] - now;
            if (wait > 0) {
                TimeUnit.NANOSECONDS.sleep(wait);
            }
            double seconds = (double) bytes / bytesPerSecond;
            nextNanos[0] = Math.max(now, nextNanos[0]) + (long) (seconds * 1e9);
        };
    }

    private void roundOrLater() throws InterruptedException {
        try {
            round();
        } catch (IOException | RuntimeException e) {
            LOG.warn("[scrub] chunks cannot be read now; trying again in {} s", ROUND.toSeconds(), e);
        }
    }

    /** Looks at every chunk once. */
    void round() throws IOException, InterruptedException {
        if (first) {
            earlier = new TreeMap<>(findings.read());
            // What had no room is counted anew.
            earlier.replaceAll((stream, sentences) -> sentences.stream()
                    .filter(sentence -> !ScrubFindings.isRest(sentence))
                    .toList());
        }
        List<Damage> known = new ArrayList<>(damages.values());
        for (Damage damage : known) {
            try {
                look(damage.stream(), damage.chunk());
            } catch (IOException e) {
                LOG.debug("[{}/scrub] still cannot be read", damage.stream().name(), e);
            }
        }
        List<StreamInfo> all = new ArrayList<>(streams.get());
        all.sort(Comparator.comparingInt(StreamInfo::id));
        boolean anywhere = first && !all.isEmpty();
        first = false;
        if (anywhere) {
            Collections.rotate(all, random.nextInt(all.size()));
        }
        List<Damage> unreadable = new ArrayList<>();
        long looked = 0;
        for (StreamInfo stream : all) {
            List<ChunkDescriptor> chunks;
            try {
                chunks = ChunkAudit.inOrder(latest.apply(stream));
            } catch (WaterwheelException e) {
                LOG.warn(
                        "[{}/scrub] its chunks are not known now; they are looked at in the next round",
                        stream.name(),
                        e);
                continue;
            }
            if (anywhere && !chunks.isEmpty()) {
                Collections.rotate(chunks, random.nextInt(chunks.size()));
            }
            for (ChunkDescriptor chunk : chunks) {
                lookAgainstFailures(stream, chunk, unreadable);
                looked++;
            }
        }
        LOG.debug("[scrub] looked at {} chunks of {} streams", looked, all.size());
        // What a predecessor found and is damaged still, was found again.
        earlier = Map.of();
        publish();
    }

    /** Lets all coordinators know; what cannot be written now is at the end of the round. */
    private void publish() {
        Map<Integer, List<String>> byStream = new TreeMap<>();
        Set<String> found = new HashSet<>();
        for (Damage damage : damages.values()) {
            found.add(damage.what());
            byStream.computeIfAbsent(damage.stream().id(), stream -> new ArrayList<>())
                    .add(damage.sentence());
        }
        earlier.forEach((stream, sentences) -> {
            for (String sentence : sentences) {
                if (!found.contains(Damage.what(sentence))) {
                    byStream.computeIfAbsent(stream, id -> new ArrayList<>()).add(sentence);
                }
            }
        });
        try {
            findings.publish(byStream);
        } catch (WaterwheelException e) {
            LOG.warn("[scrub] what was found cannot be written to the catalog now; trying again with the next", e);
        }
    }

    /**
     * Looks at a chunk; one that cannot be read is damaged when the next can: a bad sector, blocks that are lost. When
     * several cannot, the store is away.
     *
     * @param unreadable those before it, since one could be read
     */
    private void lookAgainstFailures(StreamInfo stream, ChunkDescriptor chunk, List<Damage> unreadable)
            throws IOException, InterruptedException {
        try {
            look(stream, chunk);
        } catch (IOException e) {
            String what = "chunk " + chunk.file() + " cannot be read: " + e;
            unreadable.add(new Damage(stream, chunk, what, clock.instant()));
            if (unreadable.size() > MOST_UNREADABLE) {
                throw e;
            }
            return;
        }
        for (Damage damage : unreadable) {
            if (isNamed(damage.stream(), damage.chunk())) {
                found(damage);
            }
        }
        unreadable.clear();
    }

    private void look(StreamInfo stream, ChunkDescriptor chunk) throws IOException, InterruptedException {
        try {
            ChunkAudit.check(store, chunk, stream.schema(), pace);
            forget(chunk);
        } catch (CorruptChunkException e) {
            if (isNamed(stream, chunk)) {
                found(new Damage(stream, chunk, String.valueOf(e.getMessage()), clock.instant()));
            } else {
                // It has expired, or its stream was dropped, since the round began.
                forget(chunk);
            }
        }
    }

    private boolean isNamed(StreamInfo stream, ChunkDescriptor chunk) {
        return streams.get().stream().anyMatch(now -> now.id() == stream.id())
                && ChunkAudit.isNamed(latest.apply(stream), chunk);
    }

    private void found(Damage damage) {
        String file = damage.chunk().file();
        Damage before = damages.get(file);
        if (before != null || damages.size() < MOST_KEPT) {
            damages.put(file, damage);
        }
        if (before == null || !before.what().equals(damage.what())) {
            LOG.error("[{}/scrub] {}", damage.stream().name(), damage.what());
            publish();
        }
    }

    private void forget(ChunkDescriptor chunk) {
        // Names are made when they are asked for.
        Damage before = damages.isEmpty() ? null : damages.remove(chunk.file());
        if (before != null) {
            LOG.info("[{}/scrub] chunk {} is well, or gone", before.stream().name(), chunk.file());
            publish();
        }
    }

    @Override
    public void close() {
        if (jobs != null) {
            jobs.close();
        }
    }
}
