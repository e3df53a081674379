package io.waterwheel.topology.worker;

import java.util.HashMap;
import java.util.Map;

/**
 * What a spout task that Storm has deactivated says of itself, in an ephemeral node of the catalog: how far it has
 * read. Whoever drains the topology waits for it: nothing beyond these positions is on its way to an indexer.
 *
 * @param positions by partition of a stream, the offset that it would have read next
 */
public record StandingSpout(Map<Source, Long> positions) {
    /** A partition of a stream. */
    public record Source(int streamId, int partition) {}

    public StandingSpout {
        positions = Map.copyOf(positions);
    }

    /** Path of the folder of a topology's standing spouts. */
    public static String folder(String topology) {
        return "/standing/" + topology;
    }

    /** Path of the node of a spout task. */
    public static String path(String topology, int spout) {
        return folder(topology) + "/" + Role.SPOUT.address(spout);
    }

    /** A line for each partition: {@code STREAM PARTITION POSITION}. */
    public String text() {
        StringBuilder text = new StringBuilder();
        positions.forEach((source, position) -> text.append(source.streamId())
                .append(' ')
                .append(source.partition())
                .append(' ')
                .append(position)
                .append('\n'));
        return text.toString();
    }

    /**
     * The inverse of {@link #text}.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static StandingSpout parse(String text) {
        Map<Source, Long> positions = new HashMap<>();
        text.lines().forEach(line -> {
            String[] parts = line.split(" ", -1);
            if (parts.length != 3) {
                throw new IllegalArgumentException(
                        "a standing spout: expected 'STREAM PARTITION POSITION', got '" + line + "'");
            }
            positions.put(new Source(Integer.parseInt(parts[0]), Integer.parseInt(parts[1])), Long.parseLong(parts[2]));
        });
        return new StandingSpout(positions);
    }
}
