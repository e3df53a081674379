package io.waterwheel.client.admin;

import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.wire.proto.ChunkPosition;
import io.waterwheel.wire.proto.ChunkRegion;
import io.waterwheel.wire.proto.ListRegionsReply;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where some chunks of a stream lie, in keys and times.
 *
 * @param edit number of the catalog's edit that this is of
 * @param regions in the order of their positions
 * @param next where the next page begins; null when there are no more
 */
public record ChunkRegions(
        long edit, List<Region> regions, @Nullable Position next) {
    public ChunkRegions {
        regions = List.copyOf(regions);
    }

    /**
     * A chunk, and the smallest region that holds its tuples.
     *
     * @param file name in the chunk store
     * @param bytes of the file
     * @param low least value of the key, as a key range has it; text is cut to what is compared
     * @param high greatest value, as above
     * @param times from the oldest tuple to the newest
     */
    public record Region(
            Position position, String file, long tuples, long bytes, String low, String high, TimeInterval times) {}

    /**
     * Where a chunk stands among those of its stream.
     *
     * @param indexer that wrote it
     * @param epoch of that indexer
     * @param flush number within the epochs of that indexer
     * @param part within the flush
     */
    public record Position(int indexer, int epoch, long flush, int part) {
        private static final Pattern TEXT = Pattern.compile("(\\d{1,9})\\.(\\d{1,9})\\.(\\d{1,18})\\.(\\d{1,9})");

        static Position of(ChunkPosition message) {
            return new Position(message.getIndexer(), message.getEpoch(), message.getFlush(), message.getPart());
        }

        /**
         * Reads what {@link #toString} wrote.
         *
         * @throws IllegalArgumentException when it is none
         */
        public static Position parse(String text) {
            Matcher parts = TEXT.matcher(text);
            if (!parts.matches()) {
                throw new IllegalArgumentException(
                        "expected INDEXER.EPOCH.FLUSH.PART, the next of another answer, got '" + text + "'");
            }
            return new Position(
                    Integer.parseInt(parts.group(1)),
                    Integer.parseInt(parts.group(2)),
                    Long.parseLong(parts.group(3)),
                    Integer.parseInt(parts.group(4)));
        }

        /** For the call. */
        public ChunkPosition message() {
            return ChunkPosition.newBuilder()
                    .setIndexer(indexer)
                    .setEpoch(epoch)
                    .setFlush(flush)
                    .setPart(part)
                    .build();
        }

        @Override
        public String toString() {
            return indexer + "." + epoch + "." + flush + "." + part;
        }
    }

    /** As a coordinator tells it. */
    public static ChunkRegions of(ListRegionsReply reply) {
        return new ChunkRegions(
                reply.getEdit(),
                reply.getRegionsList().stream().map(ChunkRegions::region).toList(),
                reply.hasNext() ? Position.of(reply.getNext()) : null);
    }

    private static Region region(ChunkRegion region) {
        return new Region(
                Position.of(region.getPosition()),
                region.getFile(),
                region.getTuples(),
                region.getBytes(),
                region.getLow(),
                region.getHigh(),
                new TimeInterval(region.getFrom(), region.getTo()));
    }
}
