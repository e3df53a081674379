package io.waterwheel.client.admin;

import java.time.Instant;
import java.util.List;

/**
 * Records of a topic, to see what they are: the first and the newest of each partition, as many of each.
 *
 * @param topic its name
 * @param partitions of the topic
 * @param values of the records that have one, by partition in the order of their offsets
 * @param keys of those records, as many as have one
 * @param times of those records, as many as have one: of the producer or of the broker, as the topic is set up
 * @param records that were read
 * @param withoutValue of them
 * @param withKey of them
 * @param all whether the topic has no other records
 * @param offsets that the topic still has, of all partitions: no less than its records, and more where transactions or
 *     removed records took some
 */
public record TopicSample(
        String topic,
        int partitions,
        List<byte[]> values,
        List<byte[]> keys,
        List<Instant> times,
        long records,
        long withoutValue,
        long withKey,
        boolean all,
        long offsets) {
    /** How many records the topic has, for people. */
    public String size() {
        return all ? records + (records == 1 ? " record" : " records") : atMost(offsets);
    }

    /** At most this number of records, for people. */
    public static String atMost(long offsets) {
        return "up to " + offsets + (offsets == 1 ? " record" : " records");
    }
}
