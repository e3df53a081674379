package io.waterwheel.topology.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.ingest.RefusedRow;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter: the record's value as it came, and headers, all of them text: {@code namespace} and {@code stream}
 * (its id), for the topic outlives a stream and may serve several; {@code partition}, {@code offset}, {@code index} (-1
 * for the whole record), {@code reason}, {@code length} of the value. A value over
 * {@link KafkaDeadLetters#MAX_VALUE_BYTES} is cut: a letter that no broker takes would stop the stream for ever. Only
 * the first letter of a record has the value, the others none. {@code since} and {@code until} say that every refused
 * row of these offsets is stored, with this letter's transaction or before it.
 */
final class LetterFormat {
    /** Of the dead-letter topic, that holds all letters: a topic made by somebody else may have more. */
    static final int PARTITION = 0;

    private static final int MAX_REASON_CHARACTERS = 1_000;

    /**
     * Whose letters they are.
     *
     * @param namespace the same for all who may write letters of the same streams
     * @param streamId unique in it for ever: a stream dropped and created again has another
     */
    record Sender(String namespace, int streamId, int partition) {
        /** Whether a letter is of this partition; one that does not name its stream is not. */
        boolean sent(Headers letter) {
            Long partitionOf = number(letter, "partition");
            Long streamOf = number(letter, "stream");
            Header namespaceOf = letter.lastHeader("namespace");
            return partitionOf != null
                    && partitionOf == partition
                    && streamOf != null
                    && streamOf == streamId
                    && namespaceOf != null
                    && namespaceOf.value() != null
                    && namespace.equals(new String(namespaceOf.value(), UTF_8));
        }
    }

    private LetterFormat() {}

    static ProducerRecord<byte[], byte[]> write(
            String topic, Sender sender, long since, long until, RefusedRow letter, boolean withValue) {
        byte[] value = null;
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
                header("length", Integer.toString(letter.raw().remaining())),
                header("since", Long.toString(since)),
                header("until", Long.toString(until)));
        return new ProducerRecord<>(topic, PARTITION, null, null, value, headers);
    }

    private static Header header(String name, String text) {
        return new RecordHeader(name, text.getBytes(UTF_8));
    }

    /** A header that is a number; null when it is absent or none. */
    static @Nullable Long number(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        if (header == null || header.value() == null) {
            return null;
        }
        try {
            return Long.valueOf(new String(header.value(), UTF_8));
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
