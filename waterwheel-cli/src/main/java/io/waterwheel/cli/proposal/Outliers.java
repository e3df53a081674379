package io.waterwheel.cli.proposal;

import io.waterwheel.cli.text.DefinitionYaml;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The first values of a column that are not what most of them are, and where they stand. One thread. */
final class Outliers {
    private static final int KEPT = 3;
    private static final int LONGEST = 24;

    private final Map<String, String> places = new LinkedHashMap<>();
    private boolean more;

    void add(String value, RowPlace place) {
        if (more) {
            return;
        }
        String begin = value.length() <= LONGEST ? value : value.substring(0, LONGEST) + "...";
        String shown = DefinitionYaml.oneLine(begin, "?");
        if (!places.containsKey(shown)) {
            more = places.size() == KEPT;
            if (!more) {
                places.put(shown, place.toString());
            }
        }
    }

    /** Whether there are no others than those in {@link #text}, and so few that they may be words for nothing. */
    boolean areAll() {
        return !more;
    }

    /** Whether there are some, few, and no digit is in them. */
    boolean areFewWords() {
        return !more
                && !places.isEmpty()
                && places.keySet().stream().noneMatch(value -> value.chars().anyMatch(Character::isDigit));
    }

    /** Whether there are some, and those in {@link #text} have more characters. */
    boolean areLongerThan(int characters) {
        return !places.isEmpty() && places.keySet().stream().allMatch(value -> value.length() > characters);
    }

    /** Whether it is one of those in {@link #text}. */
    boolean has(String value) {
        return places.containsKey(value);
    }

    /** Such as {@code n/a (line 10), ? (line 71)}. */
    String text() {
        List<String> texts = new ArrayList<>();
        places.forEach((value, place) -> texts.add(value + " (" + place + ")"));
        return String.join(", ", texts);
    }
}
