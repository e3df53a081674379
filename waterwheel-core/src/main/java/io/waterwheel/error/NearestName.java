package io.waterwheel.error;

import java.util.Collection;
import java.util.Comparator;

/** Finds the name that a mistyped one was perhaps meant to be. */
public final class NearestName {
    private NearestName() {}

    /** The candidate that the fewest inserted, removed or replaced letters lead to. */
    public static String of(String name, Collection<String> candidates) {
        return candidates.stream()
                .min(Comparator.comparingInt((String candidate) -> distance(name, candidate))
                        .thenComparing(Comparator.naturalOrder()))
                .orElseThrow();
    }

    private static int distance(String a, String b) {
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
            }
            above = row;
        }
        return above[b.length()];
    }
}
