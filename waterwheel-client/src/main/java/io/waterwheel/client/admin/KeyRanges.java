package io.waterwheel.client.admin;

import io.waterwheel.schema.Balancing;
import io.waterwheel.wire.proto.PartitionsReply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a stream's keys are divided between its indexers.
 *
 * @param version of the routing table; the newest, which holds for what is read from about a second on
 * @param partitions in key order
 */
public record KeyRanges(int version, Balancing balancing, List<Part> partitions) {
    /**
     * The keys of one indexer.
     *
     * @param low first value of the key field, as a key range has it; null when none is below
     * @param lowKey that value as chunks have it; of a text its first eight bytes, ordered as a signed number. 0 where
     *     none is below
     * @param rate tuples a second in the last seconds, by samples
     */
    public record Part(int indexer, @Nullable String low, long lowKey, double rate) {}

    public static KeyRanges of(PartitionsReply reply) {
        return new KeyRanges(
                reply.getVersion(),
                Balancing.parse(reply.getBalancing()),
                reply.getPartitionsList().stream()
                        .map(part -> new Part(
                                part.getIndexer(),
                                part.hasLow() ? part.getLow() : null,
                                part.getLowKey(),
                                part.getRate()))
                        .toList());
    }

    /** The rate of the busiest indexer as a multiple of the mean; 1 while nothing comes. */
    public double fullest() {
        double sum = partitions.stream().mapToDouble(Part::rate).sum();
        double most = partitions.stream().mapToDouble(Part::rate).max().orElse(0);
        return sum == 0 ? 1 : most * partitions.size() / sum;
    }
}
