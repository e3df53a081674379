package io.waterwheel.topology.worker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a spout task that Storm has deactivated says of itself, in ephemeral nodes of the catalog: how far it has read.
 * A process that drains the topology waits for it: nothing beyond these positions is on its way to an indexer.
 *
 * @param positions by partition of a stream, the offset that it would have read next
 */
public record DeactivatedSpout(Map<Source, Long> positions) {
    /** Bytes of a page: ZooKeeper drops the connection of a client that sends 1 MiB. */
    public static final int PAGE_BYTES = 500_000;

    private static final String HEAD = "PAGES ";
    private static final int MAX_DIGITS = 11;

    /** A partition of a stream. */
    public record Source(int streamId, int partition) {}

    public DeactivatedSpout {
        positions = Map.copyOf(positions);
    }

    /** Path of the folder of a topology's standing spouts. */
    public static String folder(String topology) {
        return "/standing/" + topology;
    }

    /**
     * Path of a page of a spout task.
     *
     * @param page 0 for the first
     */
    public static String path(String topology, int spout, int page) {
        return folder(topology) + "/" + Role.SPOUT.address(spout) + (page == 0 ? "" : "." + page);
    }

    /**
     * What the nodes hold: a line {@code STREAM PARTITION POSITION} for each partition, on as many pages as a node's
     * bound asks for. Where there are more than one, the first begins with {@code PAGES n}; write it last: a reader
     * that finds it looks for the others.
     *
     * @param maxBytes of a page
     */
    public List<String> pages(int maxBytes) {
        List<StringBuilder> pages = new ArrayList<>(List.of(new StringBuilder()));
        positions.forEach((source, position) -> {
            String line = source.streamId() + " " + source.partition() + " " + position + "\n";
            StringBuilder page = pages.get(pages.size() - 1);
            if (page.length() > 0 && HEAD.length() + MAX_DIGITS + page.length() + line.length() > maxBytes) {
                page = new StringBuilder();
                pages.add(page);
            }
            page.append(line);
        });
        if (pages.size() > 1) {
            pages.get(0).insert(0, HEAD + pages.size() + "\n");
        }
        return pages.stream().map(StringBuilder::toString).toList();
    }

    /** How many pages there are, by the first. */
    public static int pageCount(String first) {
        return first.startsWith(HEAD) ? Integer.parseInt(first.substring(HEAD.length(), first.indexOf('\n'))) : 1;
    }

    /**
     * The inverse of {@link #pages}.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static DeactivatedSpout parse(List<String> pages) {
        Map<Source, Long> positions = new HashMap<>();
        for (String page : pages) {
            page.lines().filter(line -> !line.startsWith(HEAD)).forEach(line -> {
                String[] parts = line.split(" ", -1);
                if (parts.length != 3) {
                    throw new IllegalArgumentException(
                            "a standing spout: expected 'STREAM PARTITION POSITION', got '" + line + "'");
                }
                positions.put(
                        new Source(Integer.parseInt(parts[0]), Integer.parseInt(parts[1])), Long.parseLong(parts[2]));
            });
        }
        return new DeactivatedSpout(positions);
    }
}
