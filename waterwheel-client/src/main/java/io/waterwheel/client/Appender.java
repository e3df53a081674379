package io.waterwheel.client;

import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.kafka.RecordSender;
import io.waterwheel.encode.RecordEncoder;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Appends tuples to a stream: sends records of the stream's format to its topic, every partition in turn. Each is
 * stored once, whatever the network does, unless {@link #flush} or {@link #close} fails: then some may be missing.
 * Memory is bounded: when the brokers do not keep up, appending waits. Thread-safe; the calls of several threads take
 * turns.
 *
 * <p>What {@link #flush} returns makes a query that sees all of it: {@code query.withAtLeast(appender.flush())}.
 */
public final class Appender implements AutoCloseable {
    private final StreamDefinition stream;
    private final AppenderSettings settings;
    private final RecordSender sender;
    /** Guarded by this. */
    private final RecordEncoder encoder;

    private final ScheduledExecutorService timer;
    private boolean timerSet;
    private @Nullable WaterwheelException timerFailure;

    private Appender(StreamDetails details, AppenderSettings settings, RecordSender sender) {
        this.stream = details.definition();
        this.settings = settings;
        this.encoder = new RecordEncoder(stream.format(), stream.schema(), settings.blockBytes());
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "waterwheel-appender-" + stream.name());
            thread.setDaemon(true);
            return thread;
        });
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.timer = executor;
        this.sender = sender;
    }

    /**
     * Opens an appender. Needs Kafka's clients on the class path.
     *
     * @param stream as {@link WaterwheelClient#describe} gives it
     */
    public static Appender open(StreamDetails stream, AppenderSettings settings) {
        Libraries.requireKafka("to append");
        return new Appender(stream, settings, RecordSender.open(stream, settings.sending(), null));
    }

    /** One whose records go where somebody else begins and commits transactions. */
    static Appender on(StreamDetails stream, AppenderSettings settings, RecordSender sender) {
        return new Appender(stream, settings, sender);
    }

    /** The stream that it appends to. */
    public StreamDefinition stream() {
        return stream;
    }

    /**
     * Appends one tuple.
     *
     * @param values in the order of the schema's fields: Number for int, long, float and double; Number or Instant for
     *     timestamp (milliseconds); Boolean; String (of addresses too); UUID or String for uuid; byte[]; null for none
     * @throws IllegalArgumentException when a value does not fit its field; nothing is appended then
     * @throws WaterwheelException when what was appended before could not be sent
     */
    public synchronized void append(@Nullable Object... values) {
        checkTimer();
        send(encoder.add(values));
    }

    /**
     * Appends the tuples of a block to a stream that {@link StreamDefinition#takesBlocks}.
     *
     * @param block of the layout {@code RowLayout.of(schema)}; its keys count only when the key is a field that is not
     *     the time. Its arena may be sent as it is, with bytes that no row refers to any longer: where rows were taken
     *     back, set its size too. Not kept
     */
    public synchronized void append(TupleBlock block) {
        if (!stream.takesBlocks()) {
            throw new IllegalArgumentException("stream " + stream.name() + " takes " + stream.format()
                    + " records, not tuple blocks; append values or records");
        }
        checkTimer();
        byte[] whole = encoder.whole(block);
        if (whole != null) {
            send(whole);
            return;
        }
        for (int row = 0; row < block.size(); row++) {
            send(encoder.add(block, row));
        }
    }

    /**
     * Appends a record as it is: a CSV line, a JSON object, or an encoded tuple block, as the stream's format is. What
     * the server cannot decode it puts aside into the stream's dead letters, with the reason.
     *
     * @param value not changed by the caller afterwards
     */
    public synchronized void appendRecord(byte[] value) {
        checkTimer();
        sendOpen();
        sender.send(value);
    }

    /** Sends a record that is ready; tuples that wait in a block go in some time. */
    private void send(byte @Nullable [] record) {
        if (record != null) {
            sender.send(record);
        }
        if (encoder.waits() && !timerSet) {
            timerSet = true;
            var unused = timer.schedule(this::onTimer, settings.linger().toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void sendOpen() {
        byte[] record = encoder.rest();
        if (record != null) {
            sender.send(record);
        }
    }

    private synchronized void onTimer() {
        timerSet = false;
        try {
            sendOpen();
        } catch (WaterwheelException e) {
            timerFailure = e;
        }
    }

    private void checkTimer() {
        WaterwheelException failure = timerFailure;
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * Sends what waits, and returns when the brokers have confirmed everything appended so far.
     *
     * @return by partition the offset below which lies everything that this appender has sent there; partitions that it
     *     has sent nothing to are left out
     * @throws WaterwheelException when something could not be sent
     */
    public synchronized Map<Integer, Long> flush() {
        checkTimer();
        sendOpen();
        return sender.flush();
    }

    /** {@link #flush}, then ends the connection. */
    @Override
    public synchronized void close() {
        timer.shutdown();
        try {
            flush();
        } finally {
            sender.close();
        }
    }

    /** Ends the connection; what was not sent yet is dropped. */
    synchronized void abandon() {
        timer.shutdown();
        sender.close();
    }
}
