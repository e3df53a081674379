package io.waterwheel.gateway.http;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Media types, and which of them a client takes [RFC 9110, 12.5.1]. Pure functions. */
public final class MediaTypes {
    private MediaTypes() {}

    /** Without parameters, in lower case. */
    public static String bare(String type) {
        int end = type.indexOf(';');
        return (end < 0 ? type : type.substring(0, end)).strip().toLowerCase(Locale.ROOT);
    }

    /** The value of a parameter, without quotes and in lower case; null where the type has none of that name. */
    public static @Nullable String parameter(String type, String name) {
        String[] parts = type.split(";", -1);
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            if (equals > 0 && parts[i].substring(0, equals).strip().equalsIgnoreCase(name)) {
                String value = parts[i].substring(equals + 1).strip().toLowerCase(Locale.ROOT);
                return value.length() > 1 && value.startsWith("\"") && value.endsWith("\"")
                        ? value.substring(1, value.length() - 1)
                        : value;
            }
        }
        return null;
    }

    /** A range of types, such as {@code text/*}, and how much it is liked. */
    private record Range(String type, double quality) {
        /** How closely it names the type: 0 not at all, then by {@code *}, by its first half, whole. */
        int closeness(String other) {
            if (type.equals(other)) {
                return 3;
            }
            int slash = other.indexOf('/');
            if (type.equals(other.substring(0, slash + 1) + "*")) {
                return 2;
            }
            return type.equals("*/*") ? 1 : 0;
        }
    }

    /**
     * Which of the types on offer the client likes best; of those that it likes equally, the first.
     *
     * @param accept the header {@code Accept}; null or empty: the client takes everything
     * @return its place; -1 when the client takes none
     */
    public static int best(@Nullable String accept, List<String> offered) {
        if (accept == null || accept.isBlank()) {
            return 0;
        }
        List<Range> ranges = new ArrayList<>();
        for (String part : accept.split(",", -1)) {
            if (!part.isBlank()) {
                ranges.add(new Range(bare(part), quality(part)));
            }
        }
        int best = -1;
        double most = 0;
        for (int i = 0; i < offered.size(); i++) {
            String type = offered.get(i);
            double quality = ranges.stream()
                    .filter(range -> range.closeness(type) > 0)
                    .max(Comparator.comparingInt(range -> range.closeness(type)))
                    .map(Range::quality)
                    .orElse(0.0);
            if (quality > most) {
                most = quality;
                best = i;
            }
        }
        return best;
    }

    private static double quality(String range) {
        for (String parameter : range.split(";", -1)) {
            String text = parameter.strip().toLowerCase(Locale.ROOT);
            if (text.startsWith("q=")) {
                try {
                    return Math.max(0, Math.min(1, Double.parseDouble(text.substring(2))));
                } catch (NumberFormatException e) {
                    return 0;
                }
            }
        }
        return 1;
    }
}
