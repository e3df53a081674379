package io.waterwheel.cli.proposal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The first values of a column that are not what most of them are, and the rows that they are in. One thread. */
final class Outliers {
    private static final int KEPT = 3;
    private static final int LONGEST = 24;
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private final Map<String, Long> rows = new LinkedHashMap<>();
    private boolean more;

    void add(String value, long row) {
        if (more) {
            return;
        }
        String shown = value.length() <= LONGEST ? value : value.substring(0, LONGEST) + "...";
        if (!rows.containsKey(shown)) {
            more = rows.size() == KEPT;
            if (!more) {
                rows.putIfAbsent(CONTROL.matcher(shown).replaceAll("?"), row);
            }
        }
    }

    /** Whether there are no others than those in {@link #text}, and so few that they may be words for nothing. */
    boolean areAll() {
        return !more;
    }

    /** Such as {@code n/a (row 10), ? (row 71)}. */
    String text() {
        List<String> texts = new ArrayList<>();
        rows.forEach((value, row) -> texts.add(value + " (row " + row + ")"));
        return String.join(", ", texts);
    }
}
