package io.waterwheel.topology.kafka;

import io.waterwheel.ingest.source.LogSource;
import io.waterwheel.schema.text.KafkaFields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Live reading where several streams may have one topic. A consumer has one position in a partition, and each stream
 * has its own: so there are as many consumers as the largest number of streams here that share a partition, one where
 * none do. The first fetches up to 16 MiB of a broker at once, each other 2 MiB. Used by one thread.
 */
public final class KafkaSources implements LogSource {
    /** A source that reads nothing is kept so long: it may be wanted again at the next look at the topics. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final IntFunction<KafkaSource> make;
    private final long idleNanos;
    private final List<KafkaSource> sources = new ArrayList<>();
    /** What was read and not returned: a poll of one that is interrupted loses no news of another. */
    private final List<PollEvent> held = new ArrayList<>();
    /** Whose turn it is to wait for news. */
    private int turn;

    private int made;
    /** When the last of several sources was seen to read something. */
    private long idleSince = System.nanoTime();

    /**
     * One source to begin with.
     *
     * @param make connects lazily; gets 0 for the first source, and a higher number each time
     */
    public KafkaSources(IntFunction<KafkaSource> make) {
        this(make, IDLE_NANOS);
    }

    KafkaSources(IntFunction<KafkaSource> make, long idleNanos) {
        this.make = make;
        this.idleNanos = idleNanos;
        sources.add(make.apply(made++));
    }

    @Override
    public void assign(int streamId, String topic, int partition, long from, long base, KafkaFields wanted) {
        KafkaSource free = null;
        for (KafkaSource source : sources) {
            if (source.reads(streamId, partition)) {
                throw new IllegalArgumentException(
                        "topic " + topic + ", partition " + partition + " for stream " + streamId + ": already read");
            }
            if (free == null && !source.reads(topic, partition)) {
                free = source;
            }
        }
        if (free == null) {
            free = make.apply(made++);
            sources.add(free);
        }
        free.assign(streamId, topic, partition, from, base, wanted);
    }

    @Override
    public void remove(int streamId, int partition) {
        for (KafkaSource source : sources) {
            source.remove(streamId, partition);
        }
    }

    /** The last ones, when they have been idle for long; the first stays. Nothing of it waits for a broker. */
    private void closeIdle() {
        long now = System.nanoTime();
        boolean busy = sources.size() == 1 || !sources.get(sources.size() - 1).isIdle();
        if (busy) {
            idleSince = now;
        } else if (now - idleSince >= idleNanos) {
            sources.remove(sources.size() - 1).closeAtOnce();
        }
    }

    @Override
    public void seek(int streamId, int partition, long offset) {
        of(streamId, partition).seek(streamId, partition, offset);
    }

    @Override
    public void pause(int streamId, int partition) {
        of(streamId, partition).pause(streamId, partition);
    }

    @Override
    public void resume(int streamId, int partition) {
        of(streamId, partition).resume(streamId, partition);
    }

    @Override
    public long position(int streamId, int partition) {
        return of(streamId, partition).position(streamId, partition);
    }

    /** The first says what is wrong where none reads it. */
    private KafkaSource of(int streamId, int partition) {
        for (KafkaSource source : sources) {
            if (source.reads(streamId, partition)) {
                return source;
            }
        }
        return sources.get(0);
    }

    @Override
    public List<PollEvent> poll(Duration atMost) {
        if (sources.size() == 1 && held.isEmpty()) {
            return sources.get(0).poll(atMost);
        }
        for (KafkaSource source : sources) {
            held.addAll(source.poll(Duration.ZERO));
        }
        if (held.isEmpty()) {
            // One waits while others may have news: not longer than asked for, and each in turn.
            turn = (turn + 1) % sources.size();
            KafkaSource next = sources.get(turn);
            held.addAll((next.isIdle() ? busy(next) : next).poll(atMost));
        }
        closeIdle();
        List<PollEvent> news = List.copyOf(held);
        held.clear();
        return news;
    }

    /** One that reads something, and so waits; this one where none does. */
    private KafkaSource busy(KafkaSource otherwise) {
        for (KafkaSource source : sources) {
            if (!source.isIdle()) {
                return source;
            }
        }
        return otherwise;
    }

    @Override
    public void close() {
        RuntimeException first = null;
        for (KafkaSource source : sources) {
            try {
                source.close();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
