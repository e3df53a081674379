package io.waterwheel.cli.output;

import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.StreamDefinition;
import java.util.ArrayList;
import java.util.List;

/**
 * The streams of a server that read a topic.
 *
 * @param streams their names
 * @param areKnown whether there are no others: not where an entry of the catalog cannot be read
 */
public record TopicReaders(List<String> streams, boolean areKnown) {
    /**
     * Those that a server knows of.
     *
     * @param but name of a stream that does not count; empty: all count
     */
    public static TopicReaders of(WaterwheelClient client, String topic, String but) {
        List<String> unreadable = new ArrayList<>();
        try {
            List<String> streams = client.listStreams(unreadable::add).stream()
                    .map(StreamDetails::definition)
                    .filter(stream ->
                            stream.topic().equals(topic) && !stream.name().equals(but))
                    .map(StreamDefinition::name)
                    .toList();
            return new TopicReaders(streams, unreadable.isEmpty());
        } catch (WaterwheelException e) {
            // What it is asked for is advice only, which is left out then.
            return new TopicReaders(List.of(), false);
        }
    }
}
