package io.waterwheel.error;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Finds the name that a mistyped one was perhaps meant to be. Of {@code level} and {@code time_ms}, {@code lvel} is
 * near the one and {@code time} near the other; {@code c} is near none, and no name is better than any.
 */
public final class NearestName {
    /** Letters of a name that is a part of another. */
    private static final int LEAST_PART = 3;
    /** A longer name is compared with none. */
    private static final int MOST_LETTERS = 128;
    /** Each is measured. */
    private static final int MOST_CANDIDATES = 1_000;

    private NearestName() {}

    /**
     * The candidate that the fewest inserted, removed, replaced or exchanged letters lead to, however many they are.
     */
    public static String of(String name, Collection<String> candidates) {
        String sought = name.toLowerCase(Locale.ROOT);
        return candidates.stream()
                .min(Comparator.comparingInt((String candidate) -> distance(sought, candidate))
                        .thenComparing(Comparator.naturalOrder()))
                .orElseThrow();
    }

    /** A question behind a message, such as {@code ; did you mean 'level'?}; empty where no candidate is near. */
    public static String question(String name, Collection<String> candidates) {
        String near = near(name, candidates);
        return near == null ? "" : "; did you mean '" + near + "'?";
    }

    /**
     * The candidate that the fewest inserted, removed, replaced or exchanged letters lead to, at most a third of them;
     * else the shortest that one of the two begins, or has within. Null where none is near, or the name is one itself.
     */
    public static @Nullable String near(String name, Collection<String> candidates) {
        if (name.length() > MOST_LETTERS || candidates.contains(name)) {
            return null;
        }
        String sought = name.toLowerCase(Locale.ROOT);
        List<String> sorted = candidates.stream()
                .filter(candidate -> candidate.length() <= MOST_LETTERS)
                .limit(MOST_CANDIDATES)
                .sorted()
                .toList();
        String mistyped = sorted.stream()
                .filter(candidate -> 3 * distance(sought, candidate) <= Math.max(sought.length(), candidate.length()))
                .min(Comparator.comparingInt((String candidate) -> distance(sought, candidate)))
                .orElse(null);
        return mistyped != null
                ? mistyped
                : sorted.stream()
                        .filter(candidate -> isPart(sought, candidate.toLowerCase(Locale.ROOT)))
                        .min(Comparator.comparing((String candidate) -> !begins(sought, candidate))
                                .thenComparingInt(candidate -> Math.abs(candidate.length() - sought.length())))
                        .orElse(null);
    }

    private static boolean isPart(String a, String b) {
        return Math.min(a.length(), b.length()) >= LEAST_PART && (a.contains(b) || b.contains(a));
    }

    private static boolean begins(String sought, String candidate) {
        String other = candidate.toLowerCase(Locale.ROOT);
        return sought.startsWith(other) || other.startsWith(sought);
    }

    /** Without regard to the case of the candidate's letters. */
    private static int distance(String a, String candidate) {
        String b = candidate.toLowerCase(Locale.ROOT);
        int[] before = new int[b.length() + 1];
        int[] above = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(above[j], row[j - 1]) + 1);
                boolean exchanged =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                if (exchanged) {
                    row[j] = Math.min(row[j], before[j - 2] + 1);
                }
            }
            before = above;
            above = row;
        }
        return above[b.length()];
    }
}
