package io.waterwheel.query;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How many chunks, or leaves, were pruned, by the reason. Each counts once, for the first reason that applies, so that
 * the sum is their number. Immutable.
 *
 * @param counts each reason and field once, in the order of {@link PruneReason}; reasons that this release does not
 *     know come last
 */
public record Pruning(List<Count> counts) {
    private static final Map<String, Integer> PLACES = places();

    /** Nothing was pruned. */
    public static final Pruning NOTHING = new Pruning(List.of());

    /**
     * What one reason has pruned.
     *
     * @param reason a {@link PruneReason} as text, or one of a newer server
     * @param field whose values it is about; empty when it is about no field, or several
     * @param number of chunks or leaves, at least 1
     */
    public record Count(String reason, String field, long number) {}

    public Pruning {
        // Scans tell theirs in order, and they are many.
        counts = isInOrder(counts)
                ? List.copyOf(counts)
                : counts.stream().sorted(Pruning::compare).toList();
    }

    private static boolean isInOrder(List<Count> counts) {
        for (int i = 1; i < counts.size(); i++) {
            if (compare(counts.get(i - 1), counts.get(i)) > 0) {
                return false;
            }
        }
        return true;
    }

    private static int compare(Count one, Count other) {
        if (one.reason().equals(other.reason())) {
            return one.field().compareTo(other.field());
        }
        int byPlace = Integer.compare(place(one.reason()), place(other.reason()));
        return byPlace == 0 ? one.reason().compareTo(other.reason()) : byPlace;
    }

    private static int place(String reason) {
        return PLACES.getOrDefault(reason, Integer.MAX_VALUE);
    }

    /** This number for a reason that is about no field; 0 is nothing. */
    public static Pruning of(PruneReason reason, long number) {
        return of(reason, "", number);
    }

    /** This number for a reason; 0 is nothing. */
    public static Pruning of(PruneReason reason, String field, long number) {
        return number == 0 ? NOTHING : new Pruning(List.of(new Count(reason.toString(), field, number)));
    }

    private static Map<String, Integer> places() {
        Map<String, Integer> places = new HashMap<>();
        for (PruneReason reason : PruneReason.values()) {
            places.put(reason.toString(), places.size());
        }
        return places;
    }

    /** Pruned in all. */
    public long total() {
        return counts.stream().mapToLong(Count::number).sum();
    }

    /** Pruned for this reason, whatever the field. */
    public long by(PruneReason reason) {
        return counts.stream()
                .filter(count -> count.reason().equals(reason.toString()))
                .mapToLong(Count::number)
                .sum();
    }

    /** Both together. */
    public Pruning plus(Pruning other) {
        if (other.counts.isEmpty()) {
            return this;
        }
        if (counts.isEmpty()) {
            return other;
        }
        List<Count> all = new ArrayList<>(counts);
        for (Count more : other.counts) {
            int at = 0;
            while (at < all.size() && !isOfOne(all.get(at), more)) {
                at++;
            }
            if (at < all.size()) {
                all.set(at, new Count(more.reason(), more.field(), all.get(at).number() + more.number()));
            } else {
                all.add(more);
            }
        }
        return new Pruning(all);
    }

    private static boolean isOfOne(Count one, Count other) {
        return one.reason().equals(other.reason()) && one.field().equals(other.field());
    }

    /** For people, such as {@code 80 by key, 10 by zone (altitude_ft 8, callsign 2)}; empty when nothing was pruned. */
    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < counts.size(); ) {
            String reason = counts.get(i).reason();
            long number = 0;
            List<String> fields = new ArrayList<>();
            for (; i < counts.size() && counts.get(i).reason().equals(reason); i++) {
                Count count = counts.get(i);
                number += count.number();
                fields.add((count.field().isEmpty() ? "several fields" : count.field()) + " " + count.number());
            }
            boolean ofNoField = fields.size() == 1 && counts.get(i - 1).field().isEmpty();
            parts.add(number + " by " + reason
                    + (ofNoField ? "" : fields.stream().collect(Collectors.joining(", ", " (", ")"))));
        }
        return String.join(", ", parts);
    }
}
