package io.waterwheel.client;

import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.kafka.RecordSender;
import io.waterwheel.decode.BlockCodec;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.MemberPath;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
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
    /** By field where it stands in a JSON object. */
    private final List<List<MemberPath.Step>> places;

    private final boolean hasPattern;
    private final AppenderSettings settings;
    private final RecordSender sender;

    /** The open block of a stream of tuple blocks, guarded by this. */
    private final TupleBlock open;

    private final RowWriter rows;
    private final boolean keysSent;
    private final ScheduledExecutorService timer;
    private boolean timerSet;
    private @Nullable WaterwheelException timerFailure;

    private Appender(StreamDetails details, AppenderSettings settings, RecordSender sender) {
        this.stream = details.definition();
        this.settings = settings;
        Schema schema = stream.schema();
        this.places = TextRows.places(schema);
        this.hasPattern = !schema.text().times().isEmpty();
        this.open = new TupleBlock(RowLayout.of(schema), 16);
        this.rows = new RowWriter(schema, open);
        this.keysSent = open.layout().hasKeyField();
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
     * @throws IllegalArgumentException when a value does not fit its field, or the stream has fields that are of Kafka;
     *     nothing is appended then
     * @throws WaterwheelException when what was appended before could not be sent
     */
    public synchronized void append(@Nullable Object... values) {
        checkTimer();
        if (stream.format() != RecordFormat.BLOCK && !stream.format().isText()) {
            throw new IllegalArgumentException("stream " + stream.name() + ": its records are "
                    + SchemaFile.formatName(stream.format()) + ", which programs of their own write; append records");
        }
        if (stream.schema().text().kafka().any()) {
            throw new IllegalArgumentException(
                    "stream " + stream.name() + " has fields that are of Kafka (from: kafka...),"
                            + " which no tuple brings along; append records");
        }
        int arena = open.arenaSize();
        rows.append(values);
        if (stream.format() == RecordFormat.BLOCK) {
            rowAdded();
            return;
        }
        // The row has proved that the values fit; the text is made of what it holds.
        List<@Nullable Object> stored = rows.values(open.size() - 1);
        open.setSize(open.size() - 1);
        open.setArenaSize(arena);
        if (stream.format() == RecordFormat.JSON) {
            checkFinite(stored);
        }
        inSourceUnits(stored);
        String text = stream.format() == RecordFormat.CSV
                ? TextRows.csv(stored, stream.schema().text().csv())
                : TextRows.jsonAt(places, stored);
        byte[] record = stream.schema().text().encoding().ofUtf8(text.getBytes(StandardCharsets.UTF_8));
        if (record == null) {
            throw new IllegalArgumentException("a text has a character that "
                    + stream.schema().text().encoding().label() + ", the encoding of the stream's records, lacks");
        }
        sender.send(record);
    }

    /**
     * Timestamps that are read in another unit than they are kept in, as exact decimals of that unit; where digits
     * could be a time by the stream's pattern, as ISO 8601 has them.
     */
    private void inSourceUnits(List<@Nullable Object> values) {
        List<Field> fields = stream.schema().fields();
        for (int f = 0; f < values.size(); f++) {
            Field field = fields.get(f);
            if (hasPattern
                    && values.get(f) instanceof Long units
                    && field.type().isTimestamp()) {
                long perSecond = TimestampUnit.SECONDS.nanos()
                        / field.type().resolution().nanos();
                values.set(
                        f,
                        Instant.ofEpochSecond(
                                        Math.floorDiv(units, perSecond),
                                        Math.floorMod(units, perSecond)
                                                * field.type().resolution().nanos())
                                .toString());
            } else if (values.get(f) instanceof Long units
                    && field.type().isTimestamp()
                    && field.unit() != field.type().resolution()) {
                BigDecimal nanos = BigDecimal.valueOf(units)
                        .multiply(BigDecimal.valueOf(field.type().resolution().nanos()));
                values.set(
                        f,
                        nanos.divide(BigDecimal.valueOf(field.unit().nanos())).toPlainString());
            }
        }
    }

    private void checkFinite(List<@Nullable Object> values) {
        for (int f = 0; f < values.size(); f++) {
            Object value = values.get(f);
            if ((value instanceof Float || value instanceof Double)
                    && !Double.isFinite(((Number) value).doubleValue())) {
                throw new IllegalArgumentException(
                        "field " + stream.schema().fields().get(f).name() + ": " + value + " has no form in JSON");
            }
        }
    }

    /**
     * Appends the tuples of a block to a stream of tuple blocks.
     *
     * @param block of the layout {@code RowLayout.of(schema)}; its keys count only when the key is a field that is not
     *     the time. Not kept
     */
    public synchronized void append(TupleBlock block) {
        if (stream.format() != RecordFormat.BLOCK) {
            throw new IllegalArgumentException("stream " + stream.name() + " takes " + stream.format()
                    + " records, not tuple blocks; append values or records");
        }
        checkTimer();
        for (int row = 0; row < block.size(); row++) {
            rows.copy(block, row);
            rowAdded();
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
        if (open.size() > 0) {
            sendOpen();
        }
        sender.send(value);
    }

    private void rowAdded() {
        if (BlockCodec.encodedBytes(open, keysSent) >= settings.blockBytes()) {
            sendOpen();
        } else if (!timerSet) {
            timerSet = true;
            var unused = timer.schedule(this::onTimer, settings.linger().toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void sendOpen() {
        if (open.size() > 0) {
            byte[] record = BlockCodec.encode(open, keysSent);
            open.clear();
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
