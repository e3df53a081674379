package io.waterwheel.client;

import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.kafka.ProgressTopic;
import io.waterwheel.client.kafka.RecordSender;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Appends under a name, so that a source which is read again after any failure is appended once: each {@link #commit}
 * makes what was appended since the last one visible together with a note of how far the source was read, in one Kafka
 * transaction. The next appender of the name finds the last note, and what came after it was never appended.
 *
 * <pre>{@code
 * try (NamedAppender appender = NamedAppender.open(client.describe("orders"), AppenderSettings.DEFAULT, "orders.csv")) {
 *     int done = appender.progress().map(note -> Integer.valueOf(new String(note, UTF_8))).orElse(0);
 *     for (String line : lines.subList(done, lines.size())) {
 *         appender.appendRecord(line.getBytes(UTF_8));
 *         if (++done % 10_000 == 0) {
 *             appender.commit(Integer.toString(done).getBytes(UTF_8));
 *         }
 *     }
 *     appender.commit(Integer.toString(done).getBytes(UTF_8));
 * }
 * }</pre>
 *
 * <p>Notes are in the topic {@code TOPIC.appends} and outlive the topic that they speak of: where that is deleted and
 * made anew, delete them too, or take other names. One appender a name: the next to open it shuts out the one before,
 * whose commits fail from then on. Commit every second or so: until then queries see nothing of it, nor of what others
 * append to the same partitions after it; after 20 seconds Kafka gives the transaction up. Thread-safe; the calls of
 * several threads take turns.
 */
public final class NamedAppender implements AutoCloseable {
    /** Longest name, in characters. */
    public static final int MAX_NAME = 200;

    /** Longest note of progress, in bytes. */
    public static final int MAX_PROGRESS_BYTES = 64 << 10;

    private final RecordSender sender;
    private final Appender appender;
    private final ProgressTopic topic;
    private final byte[] key;
    private final Optional<byte[]> progress;
    private final Map<Integer, Long> positions;
    private boolean failed;

    private NamedAppender(
            RecordSender sender,
            Appender appender,
            ProgressTopic topic,
            byte[] key,
            Optional<byte[]> progress,
            Map<Integer, Long> positions) {
        this.sender = sender;
        this.appender = appender;
        this.topic = topic;
        this.key = key;
        this.progress = progress;
        this.positions = positions;
    }

    /**
     * Opens a name, for itself alone. Keeps its notes in the topic {@code TOPIC.appends}, which it makes when there is
     * none; one that was made otherwise must have {@code cleanup.policy=compact}, or it is refused. Needs Kafka's
     * clients on the class path.
     *
     * @param stream as {@link WaterwheelClient#describe} gives it
     * @param name 1 to 200 characters, unique among the sources of the stream
     */
    public static NamedAppender open(StreamDetails stream, AppenderSettings settings, String name) {
        if (name.isEmpty() || name.length() > MAX_NAME) {
            throw new IllegalArgumentException(
                    "append: name: expected 1 to " + MAX_NAME + " characters, got " + name.length());
        }
        Libraries.requireKafka("to append");
        ProgressTopic topic =
                new ProgressTopic(stream.definition().topic(), stream.topic().bootstrapServers());
        topic.ensure(settings.timeout());
        byte[] key = name.getBytes(StandardCharsets.UTF_8);
        RecordSender sender = RecordSender.open(
                stream, settings.sending(), transactionalId(stream.definition().topic(), name));
        sender.takeOver();
        try {
            // Only now: a former appender can commit nothing more.
            Optional<byte[]> progress = topic.last(key, settings.timeout());
            Map<Integer, Long> positions = progress.isEmpty()
                    ? Map.of()
                    : topic.streamEnds(
                            stream.definition().partitions(), stream.topic().bases(), settings.timeout());
            return new NamedAppender(sender, Appender.on(stream, settings, sender), topic, key, progress, positions);
        } catch (RuntimeException e) {
            sender.close();
            throw e;
        }
    }

    /** With what no topic's name may hold between the two: names with dots do not shut each other out. */
    static String transactionalId(String topic, String name) {
        return "waterwheel.append/" + topic + "/" + name;
    }

    /** The note of the last commit under this name before it was opened; empty when there was none. */
    public Optional<byte[]> progress() {
        return progress.map(byte[]::clone);
    }

    /**
     * By partition an offset below which lies everything that was appended under this name before it was opened; empty
     * when nothing was.
     */
    public Map<Integer, Long> positions() {
        return positions;
    }

    /** The stream that it appends to. */
    public StreamDefinition stream() {
        return appender.stream();
    }

    /** As {@link Appender#append(Object...)}. */
    public synchronized void append(@Nullable Object... values) {
        begin();
        appender.append(values);
    }

    /** As {@link Appender#append(TupleBlock)}. */
    public synchronized void append(TupleBlock block) {
        begin();
        appender.append(block);
    }

    /** As {@link Appender#appendRecord}. */
    public synchronized void appendRecord(byte[] value) {
        begin();
        appender.appendRecord(value);
    }

    private void begin() {
        if (failed) {
            throw new WaterwheelException(
                    ErrorCode.APPENDER_FAILED, "this appender has failed; open its name again and go on from there");
        }
        sender.begin();
    }

    /**
     * Makes what was appended since the last commit visible, together with the note; all of it or nothing.
     *
     * @param note whatever finds the place in the source again, at most 64 KiB
     * @return by partition the offset below which lies everything that this appender has sent there
     * @throws WaterwheelException when the outcome is not a success: open the name again to see what it was
     */
    public synchronized Map<Integer, Long> commit(byte[] note) {
        if (note.length > MAX_PROGRESS_BYTES) {
            throw new IllegalArgumentException(
                    "append: a note of progress has at most " + MAX_PROGRESS_BYTES + " bytes, got " + note.length);
        }
        begin();
        try {
            appender.flush();
            return sender.commit(topic.name(), key, note);
        } catch (RuntimeException e) {
            failed = true;
            throw e;
        }
    }

    /** Ends the connection. What was not committed is not appended. */
    @Override
    public synchronized void close() {
        appender.abandon();
    }
}
