package io.waterwheel.topology.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Positions as text, {@code orders:2:17,orders:3:5}: stream, partition, offset. So demands are written, and positions
 * of answers. Pure functions.
 */
public final class DemandText {
    private static final int MOST_SHOWN = 64;

    private DemandText() {}

    /**
     * By stream and partition, the offset; of several of one partition the highest.
     *
     * @throws IllegalArgumentException when the text is something else; says what was expected
     */
    public static Map<String, Map<Integer, Long>> parse(String text) {
        Map<String, Map<Integer, Long>> positions = new TreeMap<>();
        for (String one : text.split(",", -1)) {
            List<String> parts = new ArrayList<>(List.of(one.strip().split(":", -1)));
            try {
                long offset = Long.parseLong(parts.remove(parts.size() - 1));
                int partition = Integer.parseInt(parts.remove(parts.size() - 1));
                String stream = String.join(":", parts);
                if (offset < 0 || partition < 0 || stream.isEmpty()) {
                    throw new NumberFormatException("below zero");
                }
                positions.computeIfAbsent(stream, name -> new TreeMap<>()).merge(partition, offset, Math::max);
            } catch (NumberFormatException | IndexOutOfBoundsException e) {
                String shown = one.length() <= MOST_SHOWN ? one : one.substring(0, MOST_SHOWN) + "...";
                throw new IllegalArgumentException("expected STREAM:PARTITION:OFFSET, got '" + shown + "'", e);
            }
        }
        return positions;
    }

    /** The text; empty for none. */
    public static String of(Map<String, Map<Integer, Long>> positions) {
        List<String> all = new ArrayList<>();
        new TreeMap<>(positions).forEach((stream, offsets) -> new TreeMap<>(offsets)
                .forEach((partition, offset) -> all.add(stream + ":" + partition + ":" + offset)));
        return String.join(",", all);
    }
}
