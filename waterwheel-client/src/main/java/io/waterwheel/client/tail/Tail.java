package io.waterwheel.client.tail;

import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.kafka.TopicLog;
import io.waterwheel.decode.RecordFacts;
import io.waterwheel.decode.registry.RegistryAccess;
import io.waterwheel.decode.registry.SchemaRegistry;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.tail.TailRows;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.TimeInterval;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Follows a stream: hands over each row once, when queries see it, from a position on. Rows of one partition come in
 * the order of its log. One thread.
 *
 * <pre>{@code
 * try (Tail tail = client.tail("flights", TailSettings.NOW.fromEarliest().where("altitude_ft > 3000"))) {
 *     int rows = 0;
 *     while (rows < 10) {
 *         TailBatch batch = tail.poll(Duration.ofSeconds(10)); // null when there is nothing yet
 *         for (int row = 0; batch != null && row < batch.size(); row++) {
 *             System.out.println(batch.instant(row, "time_ms") + " " + batch.value(row, "callsign"));
 *             rows++;
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>A program that keeps {@link TailBatch#positions} with what it made of the rows, and begins there after a crash,
 * gets each row once. A slow one gets everything later: the topic keeps it. What the topic keeps no longer is named by
 * {@link TailBatch#missed}. A partition that stands holds up no other. Restarts of the server are waited for, and of
 * brokers once it has begun. It holds a batch of about a megabyte, what Kafka's client has read ahead, and a few
 * records of whatever length the topic allows.
 */
public final class Tail implements AutoCloseable {
    /*
     * Why each row comes once. A row is its record's position and its place in the record. Records are read in order,
     * each once, from a position on; a batch ends between two records, and the positions behind it are handed over with
     * it. So neither flushes nor other indexers nor restarts of the server matter: the log is the same. The server is
     * asked one thing, how far queries see, by the positions of a verdict; that of a query for no rows, which demands
     * what was read. A verdict also names the ranges that the stream has given up, and from when on it has expired:
     * what queries will never find is not handed over.
     */

    /** What a tail asks of the server. */
    public interface Server {
        /** The stream as it is now. */
        StreamDetails describe(String stream);

        /** Asks, and says only how it ended. */
        Verdict ask(Query query);
    }

    /** Of the tuples of one batch. */
    private static final long BATCH_BYTES = 1 << 20;
    /** Of the records of one batch, of which a condition may leave few. */
    private static final long RECORD_BYTES = 8 << 20;

    /** How long it waits for the schema of a record. */
    private static final Duration SCHEMA_PATIENCE = Duration.ofSeconds(20);

    private static final Duration LONGEST_QUESTION = Duration.ofSeconds(2);
    private static final Duration FIRST_QUESTION = Duration.ofSeconds(30);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long RESUME_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Server server;
    private final TopicLog log;
    private final long paceNanos;
    private final TailRows rows;
    private StreamDetails stream;
    /** By partition, what is added to an offset to make a position. */
    private final Map<Integer, Long> bases = new TreeMap<>();
    /** By partition, below which everything was handed over. */
    private final Map<Integer, Long> delivered = new TreeMap<>();
    /** By partition, how many rows of the record at its position a tail before this one has handed over. */
    private final Map<Integer, Integer> within = new TreeMap<>();
    /** By partition, below which everything was read. */
    private final Map<Integer, Long> read = new TreeMap<>();
    /** Partitions whose log is another now. */
    private final Set<Integer> replaced = new HashSet<>();

    private final List<LostRange> missed = new ArrayList<>();
    private long recordBytes;
    private boolean handedOver;
    private boolean failed;
    /** Whether what was read is being asked about, and there is no answer yet: nothing more is read until then. */
    private boolean asking;
    /** Partitions that are not read for now: queries do not see all that was read of them. */
    private final Set<Integer> resting = new HashSet<>();
    /** Partitions that rested and have not caught up since: no question waits for them. */
    private final Set<Integer> slow = new HashSet<>();
    /** Whether the stream has given up ranges: then no demand above them is met, and positions alone are looked at. */
    private boolean lossy;

    private long askedNanos;
    private long lookedNanos;
    private long resumedNanos;

    /**
     * Begins.
     *
     * @param logs opens the topic of a stream
     * @param access lets one into the registry of the stream's schemas
     * @param pace between two questions about what queries see
     * @throws WaterwheelException when there is no such stream, the condition is none, or a position is wrong: USER
     */
    public Tail(
            Server server,
            Function<StreamDetails, TopicLog> logs,
            RegistryAccess access,
            String name,
            TailSettings settings,
            Duration pace) {
        this.server = server;
        this.paceNanos = pace.toNanos();
        this.stream = server.describe(name);
        if (settings.stream() != null && settings.stream() != stream.id()) {
            throw changed();
        }
        this.lookedNanos = System.nanoTime();
        this.askedNanos = lookedNanos - paceNanos;
        String registry = stream.definition().schema().text().types().registry();
        this.rows = new TailRows(
                stream.definition().schema(),
                stream.definition().format(),
                registry.isEmpty() ? WriterSchemas.NONE : new SchemaRegistry(registry, access).waiting(SCHEMA_PATIENCE),
                settings.where());
        this.log = logs.apply(stream);
        try {
            begin(settings);
        } catch (RuntimeException | Error e) {
            log.close();
            throw e;
        }
    }

    private void begin(TailSettings settings) {
        int partitions = stream.definition().partitions();
        within.putAll(settings.within());
        within.forEach(
                (partition, count) -> rows.passFirst(partition, settings.from().getOrDefault(partition, 0L), count));
        settings.from().forEach((partition, position) -> {
            if (partition < 0 || partition >= partitions || position < 0) {
                throw new WaterwheelException(
                        ErrorCode.BAD_REQUEST,
                        "from " + partition + ":" + position + ": stream " + name() + " has the partitions 0 to "
                                + (partitions - 1) + ", and positions are at least 0");
            }
        });
        boolean now = !settings.earliest() && settings.from().size() < partitions;
        Map<Integer, Long> seen = now ? probe(Map.of(), FIRST_QUESTION).positions() : Map.of();
        // Partitions behind those that have a position were added since: nothing of them was handed over.
        int last = settings.from().keySet().stream().max(Integer::compare).orElse(Integer.MAX_VALUE);
        for (int p = 0; p < partitions; p++) {
            long base = stream.topic().bases().getOrDefault(p, 0L);
            bases.put(p, base);
            Long from = settings.from().get(p);
            if (from == null) {
                from = p > last
                        ? Long.valueOf(base)
                        : settings.earliest() ? Long.valueOf(earliest(p, base)) : seen.getOrDefault(p, base);
            } else if (from < base) {
                start(p, from);
                log.drop(p);
                replaced.add(p);
                continue;
            } else if (from > log.end(p) + base) {
                throw new WaterwheelException(
                        ErrorCode.BAD_REQUEST,
                        "from " + p + ":" + from + ": the log of stream " + name() + " ends at " + (log.end(p) + base));
            }
            start(p, from);
        }
    }

    /** Where the stream's rows begin: what of it the topic no longer has is missed, and said so. */
    private long earliest(int partition, long base) {
        return base == 0 ? stream.topic().begins().getOrDefault(partition, 0L) : log.beginning(partition) + base;
    }

    private void start(int partition, long position) {
        delivered.put(partition, position);
        read.put(partition, position);
        log.seek(partition, Math.max(0, position - bases.getOrDefault(partition, 0L)));
    }

    private String name() {
        return stream.definition().name();
    }

    /** The stream as it is known. */
    public StreamDefinition definition() {
        return stream.definition();
    }

    /** The stream's number: a stream that is made anew under its name has another. */
    public int streamId() {
        return stream.id();
    }

    /** By partition the position below which everything was handed over. */
    public Map<Integer, Long> positions() {
        return Map.copyOf(delivered);
    }

    /**
     * By partition how many rows of the record at its position were handed over by a tail before this one: what its
     * settings say, until it has passed that record.
     */
    public Map<Integer, Integer> within() {
        return Map.copyOf(within);
    }

    /**
     * The next rows.
     *
     * @param patience how long it waits for some
     * @return null when there are none yet. A batch without rows says that positions were passed, or missed
     * @throws WaterwheelException when it cannot go on: the stream was dropped, or is another one now (STREAM_CHANGED,
     *     NO_SUCH_STREAM), its topic was cut (LOG_CHANGED), the condition cannot be computed for a row, the thread was
     *     interrupted. Another tail may begin at {@link #positions}
     * @throws IllegalStateException when it has failed before
     */
    public @Nullable TailBatch poll(Duration patience) {
        if (failed) {
            throw new IllegalStateException("this tail has failed; open another from its positions");
        }
        // What was read and not handed over must not be passed by the next call.
        failed = true;
        TailBatch batch = next(patience);
        failed = false;
        return batch;
    }

    private @Nullable TailBatch next(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        if (handedOver) {
            handedOver = false;
            rows.clear();
            missed.clear();
            recordBytes = 0;
        }
        while (true) {
            look();
            if (!asking) {
                goOnElsewhere();
                resume();
                read(deadline);
            }
            Map<Integer, Long> passed = passed();
            if (!passed.isEmpty()) {
                Verdict seen = seen(passed, deadline);
                asking = seen == null;
                if (seen != null && keep(passed, seen)) {
                    return handOver(seen);
                }
            }
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return null;
            }
            if (asking) {
                pause(Math.min(left, paceNanos));
            }
        }
    }

    /** Partitions of which something was read, or missed, since the last batch. */
    private Map<Integer, Long> passed() {
        Map<Integer, Long> passed = new TreeMap<>();
        read.forEach((partition, position) -> {
            if (position > delivered.getOrDefault(partition, 0L)) {
                passed.put(partition, position);
            }
        });
        return passed;
    }

    /**
     * Keeps of what was read only what queries see. A partition that stands, or is slow, rests until they see more of
     * it: the others go on.
     *
     * @return whether something is left to hand over
     */
    private boolean keep(Map<Integer, Long> passed, Verdict seen) {
        boolean some = false;
        for (Map.Entry<Integer, Long> one : passed.entrySet()) {
            int partition = one.getKey();
            long done = delivered.getOrDefault(partition, 0L);
            long upTo = Math.max(done, seen.positions().getOrDefault(partition, 0L));
            // What the topic no longer has was missed, whatever queries see.
            for (LostRange range : missed) {
                upTo = range.partition() == partition ? Math.max(upTo, range.to()) : upTo;
            }
            if (upTo >= one.getValue()) {
                slow.remove(partition);
            } else {
                read.put(partition, upTo);
                log.drop(partition);
                resting.add(partition);
                slow.add(partition);
            }
            some |= read.getOrDefault(partition, done) > done;
        }
        if (!some) {
            rows.clear();
            recordBytes = 0;
        }
        return some;
    }

    /** Reads on in partitions that rested, and that queries see more of now. */
    private void resume() {
        long now = System.nanoTime();
        if (resting.isEmpty() || now - resumedNanos < Math.min(RESUME_NANOS, 5 * paceNanos)) {
            return;
        }
        resumedNanos = now;
        Verdict seen;
        try {
            seen = partial();
        } catch (WaterwheelException e) {
            if (isOver(e)) {
                throw e;
            }
            return;
        }
        for (int partition : List.copyOf(resting)) {
            long next = read.getOrDefault(partition, 0L);
            if (!replaced.contains(partition) && seen.positions().getOrDefault(partition, 0L) > next) {
                resting.remove(partition);
                log.seek(partition, next - bases.getOrDefault(partition, 0L));
            }
        }
    }

    private TailBatch handOver(Verdict seen) {
        handedOver = true;
        for (LostRange lost : seen.lost()) {
            long from = Math.max(lost.from(), delivered.getOrDefault(lost.partition(), Long.MAX_VALUE));
            long to = Math.min(lost.to(), read.getOrDefault(lost.partition(), Long.MIN_VALUE));
            miss(lost.partition(), from, to, lost.reason());
        }
        rows.settle(seen.lost(), seen.horizon(), read);
        within.keySet().removeIf(partition -> read.getOrDefault(partition, 0L) > delivered.getOrDefault(partition, 0L));
        delivered.putAll(read);
        return new TailBatch(rows, delivered, within, missed);
    }

    /** Notes a range, less what is noted already. */
    private void miss(int partition, long from, long to, String reason) {
        long begin = from;
        List<LostRange> known = missed.stream()
                .filter(range -> range.partition() == partition)
                .sorted((one, other) -> Long.compare(one.from(), other.from()))
                .toList();
        for (LostRange range : known) {
            if (begin < Math.min(to, range.from())) {
                missed.add(new LostRange(partition, begin, Math.min(to, range.from()), reason));
            }
            begin = Math.max(begin, range.to());
        }
        if (begin < to) {
            missed.add(new LostRange(partition, begin, to, reason));
        }
    }

    /** Reads what there is, up to the size of a batch; waits for the first of it, and until it may ask again. */
    private void read(long deadline) {
        boolean some = false;
        while (rows.bytes() < BATCH_BYTES && recordBytes < RECORD_BYTES) {
            long now = System.nanoTime();
            long until =
                    some ? Math.min(deadline, askedNanos + paceNanos) : Math.min(deadline, lookedNanos + LOOK_NANOS);
            until = resting.isEmpty() ? until : Math.min(until, resumedNanos + RESUME_NANOS);
            long before = recordBytes;
            Set<Integer> without = log.poll(Duration.ofNanos(Math.max(0, until - now)), this::take);
            without.forEach(this::passGap);
            some |= recordBytes > before || !missed.isEmpty();
            if (recordBytes == before && System.nanoTime() - until >= 0) {
                return;
            }
        }
    }

    private void take(ByteBuffer value, RecordFacts facts) {
        int partition = facts.partition();
        long position = facts.offset() + bases.getOrDefault(partition, 0L);
        recordBytes += value.remaining() + 64;
        rows.add(partition, position, value, facts);
        read.put(partition, position + 1);
    }

    /**
     * The topic has removed records, or is not the one that was read. In that case nothing more of it is believed: the
     * server may not know yet.
     */
    private void passGap(int partition) {
        long next = read.getOrDefault(partition, 0L);
        long base = bases.getOrDefault(partition, 0L);
        long beginning = log.beginning(partition) + base;
        if (next < beginning) {
            miss(partition, next, beginning, "the topic no longer has them");
            read.put(partition, beginning);
            log.seek(partition, beginning - base);
            return;
        }
        throw new WaterwheelException(
                ErrorCode.LOG_CHANGED,
                "partition " + partition + " of stream " + name() + " does not go on at " + next
                        + ": its topic was cut or made anew. Begin again from the positions of the last rows; what the"
                        + " server makes of it, offsets show says");
    }

    /** Looks at the stream now and then. */
    private void look() {
        long now = System.nanoTime();
        if (now - lookedNanos < LOOK_NANOS) {
            return;
        }
        lookedNanos = now;
        StreamDetails found;
        try {
            found = server.describe(name());
        } catch (WaterwheelException e) {
            if (isOver(e)) {
                throw e;
            }
            return;
        }
        StreamDefinition was = stream.definition();
        StreamDefinition is = found.definition();
        if (found.id() != stream.id() || !is.schema().equals(was.schema()) || is.format() != was.format()) {
            throw changed();
        }
        for (int p = was.partitions(); p < is.partitions(); p++) {
            bases.put(p, found.topic().bases().getOrDefault(p, 0L));
            start(p, bases.getOrDefault(p, 0L));
        }
        for (int p = 0; p < was.partitions(); p++) {
            if (found.topic().bases().getOrDefault(p, 0L).longValue() != bases.getOrDefault(p, 0L) && replaced.add(p)) {
                log.drop(p);
            }
        }
        stream = found;
    }

    private WaterwheelException changed() {
        return new WaterwheelException(
                ErrorCode.STREAM_CHANGED,
                "stream " + name() + " was dropped and made anew, or changed, while it was followed: begin again");
    }

    /**
     * Goes on in the logs of partitions that were cut or made anew: behind what queries see of them, since what lies
     * before that may have been handed over at its old position.
     */
    private void goOnElsewhere() {
        if (replaced.isEmpty() || !passed().isEmpty()) {
            return;
        }
        Verdict seen;
        try {
            seen = probe(Map.of(), LONGEST_QUESTION);
        } catch (WaterwheelException e) {
            if (isOver(e)) {
                throw e;
            }
            return;
        }
        for (int partition : replaced) {
            long base = stream.topic().bases().getOrDefault(partition, 0L);
            long next = read.getOrDefault(partition, 0L);
            long to = Math.max(base, seen.positions().getOrDefault(partition, base));
            bases.put(partition, base);
            miss(partition, next, to, "the topic was cut or made anew");
            read.put(partition, Math.max(next, to));
            resting.remove(partition);
            log.seek(partition, to - base);
        }
        replaced.clear();
    }

    /**
     * How far queries see. Waits a moment for these positions, but for those of slow partitions; null when it is not
     * known.
     */
    private @Nullable Verdict seen(Map<Integer, Long> positions, long deadline) {
        Duration left = Duration.ofNanos(Math.max(TimeUnit.MILLISECONDS.toNanos(100), deadline - System.nanoTime()));
        askedNanos = System.nanoTime();
        Map<Integer, Long> demanded = new TreeMap<>(positions);
        demanded.keySet().removeAll(slow);
        try {
            if (!lossy) {
                try {
                    return probe(demanded, left.compareTo(LONGEST_QUESTION) < 0 ? left : LONGEST_QUESTION);
                } catch (WaterwheelException e) {
                    if (isOver(e)) {
                        throw e;
                    }
                }
            }
            Verdict seen = partial();
            lossy = !seen.lost().isEmpty();
            return seen;
        } catch (WaterwheelException e) {
            if (isOver(e)) {
                throw e;
            }
            return null;
        }
    }

    /** How far queries see at this moment, also where something is away. */
    private Verdict partial() {
        return verdict(nothing().toBuilder().allowPartial(true).build().withTimeout(LONGEST_QUESTION));
    }

    /** Asks for no rows, and so for nothing but the verdict. */
    private Query nothing() {
        return Query.of(name())
                .withTimes(new TimeInterval(Long.MIN_VALUE, Long.MIN_VALUE))
                .withResult(ResultSpec.Aggregates.COUNT);
    }

    private Verdict probe(Map<Integer, Long> atLeast, Duration timeout) {
        return verdict(nothing().withAtLeast(atLeast).withTimeout(timeout));
    }

    private Verdict verdict(Query query) {
        Verdict verdict = server.ask(query);
        if (verdict.streamId() != stream.id()) {
            throw changed();
        }
        return verdict;
    }

    /** Whether waiting does not help. */
    private static boolean isOver(WaterwheelException e) {
        return e.is(ErrorCode.STREAM_CHANGED)
                || e.is(ErrorCode.INTERRUPTED)
                || (e.kind() != WaterwheelException.Kind.TEMPORARY
                        && e.kind() != WaterwheelException.Kind.UNKNOWN_OUTCOME);
    }

    private static void pause(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaterwheelException(ErrorCode.INTERRUPTED, "interrupted while a stream was followed", e);
        }
    }

    @Override
    public void close() {
        log.close();
    }
}
