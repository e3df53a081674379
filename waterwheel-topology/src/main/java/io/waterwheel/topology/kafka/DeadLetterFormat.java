package io.waterwheel.topology.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.ingest.dispatch.RefusedRow;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * A dead letter: a key that names the row, the record's value as it came, and headers, all of them text:
 * {@code namespace} and {@code stream} (its id), for the topic outlives a stream and may serve several;
 * {@code partition}, {@code offset}, {@code index} (-1 for the whole record), {@code reason}, {@code length} of the
 * value. A value over {@link KafkaDeadLetters#MAX_VALUE_BYTES} is cut: a letter that no broker takes would stop the
 * stream for ever. Only the first letter of a record has the value, those of its other rows an empty one: never none,
 * which would delete the letter when the topic is compacted.
 */
final class DeadLetterFormat {
    /** Of the dead-letter topic, that holds all letters: a topic made by somebody else may have more. */
    static final int PARTITION = 0;

    private static final int MAX_REASON_CHARACTERS = 1_000;
    private static final byte[] NO_VALUE = new byte[0];

    /**
     * Whose letters they are.
     *
     * @param namespace the same for all who may write letters of the same streams
     * @param streamId unique in it for ever: a stream dropped and created again has another
     */
    record Sender(String namespace, int streamId, int partition) {}

    private DeadLetterFormat() {}

    /** The namespace, which may hold any character, comes last: so no two rows have one key. */
    static String key(Sender sender, RefusedRow letter) {
        return sender.streamId() + "/" + sender.partition() + "/" + letter.offset() + "/" + letter.index() + "/"
                + sender.namespace();
    }

    static ProducerRecord<byte[], byte[]> write(String topic, Sender sender, RefusedRow letter, boolean withValue) {
        byte[] value = NO_VALUE;
        if (withValue) {
            value = new byte[Math.min(letter.raw().remaining(), KafkaDeadLetters.MAX_VALUE_BYTES)];
            letter.raw().duplicate().get(value);
        }
        String reason = letter.reason();
        List<Header> headers = List.of(
                header("namespace", sender.namespace()),
                header("stream", Integer.toString(sender.streamId())),
                header("partition", Integer.toString(sender.partition())),
                header("offset", Long.toString(letter.offset())),
                header("index", Integer.toString(letter.index())),
                header("reason", reason.substring(0, Math.min(reason.length(), MAX_REASON_CHARACTERS))),
                header("length", Integer.toString(letter.raw().remaining())));
        return new ProducerRecord<>(topic, PARTITION, null, key(sender, letter).getBytes(UTF_8), value, headers);
    }

    private static Header header(String name, String text) {
        return new RecordHeader(name, text.getBytes(UTF_8));
    }
}
