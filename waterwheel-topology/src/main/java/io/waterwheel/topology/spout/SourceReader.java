package io.waterwheel.topology.spout;

import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.ingest.source.LogSource;
import io.waterwheel.ingest.source.LogTracker;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.protocol.Control;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.task.SourceTask;
import io.waterwheel.topology.task.TaskContext;
import io.waterwheel.topology.worker.Closing;
import io.waterwheel.topology.worker.ControlBatch;
import io.waterwheel.topology.worker.DeactivatedSpout;
import io.waterwheel.topology.worker.Placement;
import io.waterwheel.topology.worker.Role;
import io.waterwheel.topology.worker.WorkerServices;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the topics of all streams live and hands record batches to the dispatcher of each partition. Which partitions
 * are this task's follows from their numbers. Holds nothing that matters: where it starts is only where reading is
 * likely to be wanted, and dispatchers send it elsewhere.
 */
public final class SourceReader implements SourceTask {
    private static final Logger LOG = LoggerFactory.getLogger(SourceReader.class);

    private static final int CONTROL_EVENTS = 4096;
    private static final Duration POLL = Duration.ofMillis(5);
    /** Reading that failed and does not again for so long goes well. */
    private static final long SOUND_NANOS = 1_000_000_000;
    /** Between two looks while there is no partition; a new stream ends it. */
    private static final long REST_NANOS = 1_000_000_000;

    private final WorkerServices services;
    private final int index;
    private final int spouts;
    private final int dispatchers;
    private final LogSource source;
    private final Handover handover;
    private final AutoCloseable registration;
    private final SpoutMeter meter;
    private final ControlBatch states;
    private final ArrayBlockingQueue<Control.ReadFrom> control = new ArrayBlockingQueue<>(CONTROL_EVENTS);
    private final Map<Integer, Map<Integer, SourcePartition>> partitions = new HashMap<>();
    /** By stream, how many of its partitions have been looked at. */
    private final Map<Integer, Integer> covered = new HashMap<>();

    private final SourceCheck check;
    private final StreamStarts starts;
    private final StreamNews news;
    private @Nullable Map<Integer, StreamInfo> known;
    /** Whether there may be partitions of which it is not known where they begin. */
    private boolean uncovered;
    /** That it stands, page by page; empty while it reads. */
    private final List<AutoCloseable> standing = new ArrayList<>();

    /**
     * Opens one.
     *
     * @param services closed with it
     */
    public SourceReader(WorkerServices services, TaskContext context) {
        this.services = services;
        this.index = context.index();
        this.spouts = context.tasks(Role.SPOUT);
        this.dispatchers = context.tasks(Role.DISPATCHER);
        this.states = new ControlBatch(services.controlBus());
        this.source = services.openLogSource();
        long readAhead = services.config().get(Keys.SPOUT_READ_AHEAD).bytes();
        this.handover = new Handover(
                source,
                readAhead,
                dispatchers,
                services.config().get(Keys.HEARTBEAT_INTERVAL).toNanos(),
                context::send);
        this.meter = new SpoutMeter(services.metrics(), Role.SPOUT.address(index), readAhead);
        this.check = new SourceCheck(services, index);
        this.starts = new StreamStarts(services, index);
        this.registration = services.controlBus()
                .register(
                        Role.SPOUT, index, message -> message instanceof Control.ReadFrom live && control.offer(live));
        // Last: the worker's list of streams would keep that of a reader which could not be made.
        this.news = new StreamNews(services.streams());
    }

    @Override
    public void next() {
        if (known != null && partitions.isEmpty() && !uncovered) {
            news.await(REST_NANOS);
        }
        Map<Integer, StreamInfo> streams = services.streams().streams();
        if (streams != known) {
            follow(streams);
        }
        takeStarts(streams);
        steer();
        look();
        for (LogSource.PollEvent event : source.poll(POLL)) {
            if (event instanceof LogSource.PollEvent.Read read) {
                take(read.batch(), read.epoch());
            } else if (event instanceof LogSource.PollEvent.Gap gap) {
                // Never skipped silently: its dispatcher, told how the log is, does what the policy says.
                LOG.error("[spout-{}] {}", index, gap.problem().getMessage());
                meet(gap);
            } else if (event instanceof LogSource.PollEvent.Unreadable unreadable) {
                meet(unreadable);
            }
        }
        handover.onTime(System.nanoTime());
        meter.onTime(handover.bytes());
    }

    private void meet(LogSource.PollEvent.Gap gap) {
        Map<Integer, SourcePartition> ofStream = partitions.get(gap.streamId());
        SourcePartition partition = ofStream == null ? null : ofStream.get(gap.partition());
        if (partition != null) {
            partition.gap = true;
            if (gap.truncatedAt() >= 0 && partition.reading) {
                partition.tracker.onTruncation(gap.truncatedAt());
                stop(partition, Control.LogProblem.TRUNCATED);
            }
        }
        check.soon();
    }

    /** The next look at the topic begins with it again. */
    private void meet(LogSource.PollEvent.Unreadable failed) {
        Map<Integer, SourcePartition> ofStream = partitions.get(failed.streamId());
        SourcePartition partition = ofStream == null ? null : ofStream.get(failed.partition());
        if (partition == null) {
            return;
        }
        if (!partition.unreadable) {
            LOG.error(
                    "[{}/spout-{}] {}; trying again",
                    partition.stream.name(),
                    index,
                    failed.problem().getMessage());
        }
        partition.unreadable = true;
        end(partition);
    }

    private void take(RecordBatch batch, int epoch) {
        Map<Integer, SourcePartition> ofStream = partitions.get(batch.streamId());
        SourcePartition partition = ofStream == null ? null : ofStream.get(batch.partition());
        if (partition == null || !partition.reading) {
            return;
        }
        if (!partition.tracker.onRecords(epoch)) {
            // Read again once the catalog remembers under which epoch it was: see LogTracker.
            source.remove(batch.streamId(), batch.partition());
            end(partition);
            check.soon();
            return;
        }
        partition.read(batch);
    }

    private void end(SourcePartition partition) {
        partition.reading = false;
        partition.position = partition.lane.end(partition.position);
    }

    private void steer() {
        Control.ReadFrom live;
        while ((live = control.poll()) != null) {
            Map<Integer, SourcePartition> ofStream = partitions.get(live.streamId());
            SourcePartition partition = ofStream == null ? null : ofStream.get(live.partition());
            if (partition == null) {
                continue;
            }
            if (!partition.reading) {
                if (live.position() >= 0) {
                    partition.position = live.position();
                }
                continue;
            }
            if (live.position() >= 0) {
                partition.gap = false;
            }
            partition.lane.steer(live);
        }
    }

    /** Asks how the topics are, and takes what came of it. */
    private void look() {
        check.begin(partitions.values());
        for (SourcePartition partition : check.poll()) {
            Map<Integer, SourcePartition> ofStream = partitions.get(partition.stream.id());
            if (ofStream != null && ofStream.get(partition.number) == partition) {
                take(partition);
            }
        }
        states.flush();
    }

    private void take(SourcePartition partition) {
        StreamInfo stream = partition.stream;
        LogTracker tracker = partition.tracker;
        Control.LogState state = new Control.LogState(
                stream.id(),
                partition.number,
                tracker.log().since(),
                tracker.start(),
                tracker.end(),
                tracker.problem(),
                check.lastMillis());
        boolean anotherLog = partition.position < tracker.log().since();
        boolean sound = tracker.isSound();
        if (partition.reading && (!sound || anotherLog)) {
            stop(partition, state.problem());
        }
        if (state.problem() == Control.LogProblem.UNKNOWN) {
            // What is read is read on; what is not is not begun.
            tell(state);
            return;
        }
        if (tracker.mayRead() && !partition.reading) {
            begin(partition);
        }
        if (partition.unreadable && partition.reading && System.nanoTime() - partition.begunNanos >= SOUND_NANOS) {
            partition.unreadable = false;
            LOG.info("[{}/spout-{}] partition {} can be read again", stream.name(), index, partition.number);
        }
        long next = partition.position;
        if (partition.reading && partition.gap && state.start() <= next && next <= state.end()) {
            // What was not there is there again: a former leader may have answered.
            partition.gap = false;
            source.seek(stream.id(), partition.number, next);
        }
        tell(partition.unreadable && sound ? unreadable(state) : state);
    }

    private void begin(SourcePartition partition) {
        StreamInfo stream = partition.stream;
        LogIdentity log = partition.tracker.log();
        partition.position = Math.max(partition.position, log.since());
        source.assign(
                stream.id(),
                stream.topic(),
                partition.number,
                partition.position,
                log.base(),
                stream.schema().text().kafka());
        partition.reading = true;
        partition.lane.begin(partition.position);
        partition.begunNanos = System.nanoTime();
        partition.gap = false;
        if (!partition.unreadable) {
            LOG.info(
                    "[{}/spout-{}] reads partition {} from {}",
                    stream.name(),
                    index,
                    partition.number,
                    partition.position);
        }
    }

    private static Control.LogState unreadable(Control.LogState state) {
        return new Control.LogState(
                state.streamId(),
                state.partition(),
                state.since(),
                state.start(),
                state.end(),
                Control.LogProblem.UNREADABLE,
                state.lookMillis());
    }

    private void stop(SourcePartition partition, Control.LogProblem problem) {
        LOG.error(
                "[{}/spout-{}] partition {} is not read on at {}: {}",
                partition.stream.name(),
                index,
                partition.number,
                partition.position,
                problem == Control.LogProblem.NONE ? "another log follows" : problem);
        source.remove(partition.stream.id(), partition.number);
        end(partition);
    }

    private void tell(Control.LogState state) {
        int dispatcher = Placement.dispatcherOf(state.streamId(), state.partition(), dispatchers);
        states.send(Role.DISPATCHER, dispatcher, state);
    }

    private void follow(Map<Integer, StreamInfo> streams) {
        for (Iterator<Map.Entry<Integer, Map<Integer, SourcePartition>>> all =
                        partitions.entrySet().iterator();
                all.hasNext(); ) {
            Map.Entry<Integer, Map<Integer, SourcePartition>> gone = all.next();
            if (!streams.containsKey(gone.getKey())) {
                gone.getValue().values().forEach(partition -> {
                    source.remove(gone.getKey(), partition.number);
                    partition.lane.close();
                });
                covered.remove(gone.getKey());
                all.remove();
            }
        }
        for (StreamInfo stream : streams.values()) {
            for (SourcePartition partition :
                    partitions.getOrDefault(stream.id(), Map.of()).values()) {
                partition.stream = stream;
            }
        }
        known = streams;
        uncovered = true;
    }

    /** Asks where the partitions of new streams, and new partitions, begin, and takes what came of it. */
    private void takeStarts(Map<Integer, StreamInfo> streams) {
        StreamStarts.Begun begun;
        while ((begun = starts.poll()) != null) {
            StreamInfo stream = begun.stream();
            if (streams.containsKey(stream.id()) && covered.getOrDefault(stream.id(), 0) < stream.partitions()) {
                Map<Integer, SourcePartition> mine = partitions.computeIfAbsent(stream.id(), key -> new HashMap<>());
                begun.starts().forEach(start -> mine.put(start.number(), partition(stream, start)));
                covered.put(stream.id(), stream.partitions());
                uncovered = true;
                check.soon();
            }
        }
        if (!uncovered) {
            return;
        }
        List<StreamStarts.Wanted> wanted = new ArrayList<>();
        for (StreamInfo stream : streams.values()) {
            int from = covered.getOrDefault(stream.id(), 0);
            if (from < stream.partitions()) {
                wanted.add(new StreamStarts.Wanted(stream, from));
            }
        }
        uncovered = !wanted.isEmpty();
        starts.begin(wanted, (stream, partition) -> Placement.spoutOf(stream, partition, spouts) == index);
    }

    private SourcePartition partition(StreamInfo stream, StreamStarts.Start start) {
        int dispatcher = Placement.dispatcherOf(stream.id(), start.number(), dispatchers);
        return new SourcePartition(
                stream,
                start.number(),
                start.position(),
                start.tracker(),
                meter.stream(stream.name()),
                handover.lane(stream.id(), start.number(), dispatcher, start.position()));
    }

    /** Reads no more, and says so where the process that drains the topology can see it. */
    @Override
    public void stand() {
        Map<DeactivatedSpout.Source, Long> positions = new HashMap<>();
        partitions.forEach((stream, ofStream) -> ofStream.forEach((number, partition) -> {
            if (partition.reading) {
                positions.put(new DeactivatedSpout.Source(stream, number), partition.lane.position());
            }
        }));
        goOn();
        String topology = services.config().get(Keys.TOPOLOGY_NAME);
        List<String> pages = new DeactivatedSpout(positions).pages(DeactivatedSpout.PAGE_BYTES);
        // The first page last: it says how many there are.
        for (int page = pages.size() - 1; page >= 0; page--) {
            standing.add(services.announce(DeactivatedSpout.path(topology, index, page), pages.get(page)));
        }
        LOG.info("[spout-{}] deactivated: {} partitions stand", index, positions.size());
        LOG.debug("[spout-{}] stands at {}", index, positions);
    }

    @Override
    public void goOn() {
        if (standing.isEmpty()) {
            return;
        }
        // What was said to a spout that stood is old; what matters is said again.
        control.clear();
        for (AutoCloseable page : standing) {
            try {
                page.close();
            } catch (Exception e) {
                LOG.warn("[spout-{}] it could not be taken back that it stands", index, e);
            }
        }
        standing.clear();
        LOG.info("[spout-{}] activated: reads on", index);
    }

    @Override
    public void close() {
        Closing.all(LOG, "spout-" + index, this::goOn, news, registration, meter, source, services);
    }
}
