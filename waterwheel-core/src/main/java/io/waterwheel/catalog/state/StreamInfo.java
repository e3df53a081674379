package io.waterwheel.catalog.state;

import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamPolicy;
import java.util.regex.Pattern;

/**
 * A stream's entry in the catalog. Its partitions grow with its topic's, its indexers with its routing tables, its
 * policy is changed by its operator, scales are added to its dimensions; the rest is never changed.
 *
 * @param name letters, digits, dots, underscores and hyphens, starting with a letter or digit, at most 100
 * @param id unique in the namespace for ever: a stream dropped and created again has another
 * @param schema its fields, key and time; with every version of the scales of its dimensions
 * @param format of the topic's records
 * @param topic the Kafka topic that feeds it
 * @param partitions number of the topic's partitions
 * @param indexers number of logical indexers that any of its routing tables names: ids from 0, each with a checkpoint,
 *     and hosted whether or not the newest table names it
 * @param policy what is done about trouble with its topic
 * @param sharesTopic whether another stream read the topic already when it was created. Then what clients keep beside
 *     the topic for the stream has the stream's id in its name
 */
public record StreamInfo(
        String name,
        int id,
        Schema schema,
        RecordFormat format,
        String topic,
        int partitions,
        int indexers,
        StreamPolicy policy,
        boolean sharesTopic) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    /** A stream with the default policy. */
    public StreamInfo(
            String name, int id, Schema schema, RecordFormat format, String topic, int partitions, int indexers) {
        this(name, id, schema, format, topic, partitions, indexers, StreamPolicy.DEFAULT);
    }

    /** The first stream of its topic. */
    public StreamInfo(
            String name,
            int id,
            Schema schema,
            RecordFormat format,
            String topic,
            int partitions,
            int indexers,
            StreamPolicy policy) {
        this(name, id, schema, format, topic, partitions, indexers, policy, false);
    }

    public StreamInfo withPartitions(int count) {
        return new StreamInfo(name, id, schema, format, topic, count, indexers, policy, sharesTopic);
    }

    public StreamInfo withIndexers(int count) {
        return new StreamInfo(name, id, schema, format, topic, partitions, count, policy, sharesTopic);
    }

    public StreamInfo withSchema(Schema other) {
        return new StreamInfo(name, id, other, format, topic, partitions, indexers, policy, sharesTopic);
    }

    /** How many versions of scales of its dimensions it knows; 1 where its key has none. */
    public int scales() {
        KeySpec.Dimensions key = schema.key().dimensional();
        return key == null ? 1 : key.scales();
    }

    public StreamInfo withPolicy(StreamPolicy changed) {
        return new StreamInfo(name, id, schema, format, topic, partitions, indexers, changed, sharesTopic);
    }

    public StreamInfo {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "stream name '" + name
                            + "': expected letters, digits, dots, underscores and hyphens, at most 100, first a letter or digit");
        }
        if (partitions < 1 || indexers < 1) {
            throw new IllegalArgumentException("stream " + name + ": partitions " + partitions + ", indexers "
                    + indexers + ": expected at least 1");
        }
    }
}
